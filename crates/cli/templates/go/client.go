package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		url, out, _ := strings.Cut(lines.Text(), "\t")
		start := time.Now()
		bytes, err := save(url, out)
		took := time.Since(start).Nanoseconds()
		if err != nil {
			fmt.Printf("%d\terror: %s\n", took, strings.Join(strings.Fields(err.Error()), " "))
			continue
		}
		fmt.Printf("%d\t%d\n", took, bytes)
	}
}

func save(url, out string) (int64, error) {
	response, err := http.Get(url)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("status %s", response.Status)
	}
	file, err := os.Create(out)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return io.Copy(file, response.Body)
}
