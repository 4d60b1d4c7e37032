package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello/{number}", hello)
	mux.HandleFunc("GET /{$}", empty)
	mux.HandleFunc("GET /user/{id}", user)
	mux.HandleFunc("POST /user", empty)
	log.Fatal(http.ListenAndServe(net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")), mux))
}

func hello(w http.ResponseWriter, r *http.Request) {
	number := r.PathValue("number")
	if _, err := strconv.ParseUint(number, 10, 64); err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, "hello "+number)
}

func empty(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
}

func user(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, r.PathValue("id"))
}
