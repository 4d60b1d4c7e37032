// What the handler of the workload users does, without a server: an id and a password in, a hash out.
package main

import (
	"bufio"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

type account struct {
	ID     int    `json:"id"`
	Name   string `json:"name"`
	Email  string `json:"email"`
	Age    int    `json:"age"`
	Active bool   `json:"active"`
	City   string `json:"city"`
}

func main() {
	path := filepath.Join(os.Getenv("DATA_DIR"), "user.json")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		field, password, _ := strings.Cut(lines.Text(), "\t")
		id, err := strconv.Atoi(field)
		if err != nil {
			log.Fatal(err)
		}

		start := time.Now()
		hash, err := hashOf(path, id, password)
		took := time.Since(start)

		if err != nil {
			log.Fatal(err)
		}
		// os.Stdout has no buffer: nothing is left to flush.
		fmt.Printf("%d\t%s\n", took.Nanoseconds(), hash)
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
}

func hashOf(path string, id int, password string) (string, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var accounts []account
	if err := unmarshal(file, &accounts); err != nil {
		return "", err
	}
	if !slices.ContainsFunc(accounts, func(a account) bool { return a.ID == id }) {
		return "absent", nil
	}
	sum := sha512.Sum512([]byte(password))
	return hex.EncodeToString(sum[:]), nil
}
