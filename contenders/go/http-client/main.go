// Saves files with net/http.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"

	"client/kit"
)

func main() {
	kit.Serve(get)
}

func get(url, out string) (int64, error) {
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
	bytes, err := io.Copy(file, response.Body)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return bytes, err
}
