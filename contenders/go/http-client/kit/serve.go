// Package kit reads lines "URL TAB OUT" and answers each when its file is saved; a line may hold several such pairs.
package kit

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Get saves what an address names, and says how many bytes that were.
type Get func(url, out string) (int64, error)

// Serve answers each line with nanoseconds and bytes, or with nanoseconds and what went wrong.
func Serve(get Get) {
	atOnce, err := strconv.Atoi(os.Getenv("AT_ONCE"))
	if err != nil {
		atOnce = 1
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		start := time.Now()
		bytes, err := getAll(fields, atOnce, get)
		took := time.Since(start)
		// os.Stdout has no buffer: nothing is left to flush.
		if err != nil {
			fmt.Printf("%d\terror: %s\n", took.Nanoseconds(), strings.Join(strings.Fields(err.Error()), " "))
			continue
		}
		fmt.Printf("%d\t%d\n", took.Nanoseconds(), bytes)
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
}

func getAll(fields []string, atOnce int, get Get) (int64, error) {
	if len(fields) == 2 {
		return get(fields[0], fields[1])
	}
	var (
		bytes  int64
		failed error
		lock   sync.Mutex
		all    sync.WaitGroup
	)
	slots := make(chan struct{}, atOnce)
	for i := 0; i+1 < len(fields); i += 2 {
		slots <- struct{}{}
		all.Add(1)
		go func() {
			defer all.Done()
			size, err := get(fields[i], fields[i+1])
			<-slots
			lock.Lock()
			defer lock.Unlock()
			bytes += size
			if err != nil && failed == nil {
				failed = err
			}
		}()
	}
	all.Wait()
	return bytes, failed
}
