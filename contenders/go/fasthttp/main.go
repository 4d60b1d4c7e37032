// Saves files with fasthttp.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/valyala/fasthttp"

	"client/kit"
)

// A body is handed on as it comes: else all of it would be held first.
var client = fasthttp.Client{StreamResponseBody: true}

func main() {
	kit.Serve(get)
}

func get(url, out string) (int64, error) {
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	request.SetRequestURI(url)
	if err := client.Do(request, response); err != nil {
		return 0, err
	}
	if response.StatusCode() != fasthttp.StatusOK {
		return 0, fmt.Errorf("status %d", response.StatusCode())
	}
	file, err := os.Create(out)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	buffered := bufio.NewWriter(file)
	if err := response.BodyWriteTo(buffered); err != nil {
		return 0, err
	}
	if err := buffered.Flush(); err != nil {
		return 0, err
	}
	found, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return found.Size(), nil
}
