// Package kit reads lines "URL TAB OUT" and answers each when its file is saved.
package kit

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strings"
	"time"
)

// Serve answers each line with nanoseconds and bytes, or with nanoseconds and what went wrong.
func Serve(get func(url, out string) (int64, error)) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		url, out, _ := strings.Cut(lines.Text(), "\t")
		start := time.Now()
		bytes, err := get(url, out)
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
