package main

import (
	"bufio"
	"crypto/sha512"
	"fmt"
	"os"
	"time"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		start := time.Now()
		result := sha512.Sum512(lines.Bytes())
		fmt.Printf("%d\t%x\n", time.Since(start).Nanoseconds(), result)
	}
}
