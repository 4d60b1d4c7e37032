// A server for scripts/interop-h2.sh: Go's net/http over HTTP/2 alone. It answers each request with /f.txt's text, or with as many bytes as
// the path says, reads bodies to their end, ends in order on SIGTERM, and then prints how many requests it has answered.
//
//	server PORT TEXT [CERT KEY]
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	text, err := os.ReadFile(os.Args[2])
	check(err)
	var answered atomic.Int64
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		body := text
		if size, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/bytes/")); err == nil {
			body = make([]byte, size)
		}
		if _, err := w.Write(body); err == nil {
			answered.Add(1)
		}
	})
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: handler, Protocols: protocols}
	// Another process may listen already when this one ends.
	shared := net.ListenConfig{Control: func(_, _ string, socket syscall.RawConn) error {
		var failed error
		const reusePort = 15
		err := socket.Control(func(descriptor uintptr) {
			failed = syscall.SetsockoptInt(int(descriptor), syscall.SOL_SOCKET, reusePort, 1)
		})
		if err != nil {
			return err
		}
		return failed
	}}
	listener, err := shared.Listen(context.Background(), "tcp", "127.0.0.1:"+os.Args[1])
	check(err)
	ended := make(chan struct{})
	go func() {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		<-asked
		patience, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		check(server.Shutdown(patience))
		close(ended)
	}()
	if len(os.Args) > 3 {
		err = server.ServeTLS(listener, os.Args[3], os.Args[4])
	} else {
		err = server.Serve(listener)
	}
	if err != http.ErrServerClosed {
		check(err)
	}
	<-ended
	fmt.Println("answered", answered.Load())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
