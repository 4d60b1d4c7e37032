package main

import (
	"encoding/json"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
)

// A pointer tells a missing bet from a false one.
type toss struct {
	Bet *bool `json:"bet"`
}

type result struct {
	Win bool `json:"win"`
}

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", empty)
	mux.HandleFunc("GET /user/{id}", user)
	mux.HandleFunc("POST /user", empty)
	mux.HandleFunc("POST /coin", coin)
	log.Fatal(http.ListenAndServe(net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")), mux))
}

func empty(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
}

func user(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, r.PathValue("id"))
}

func coin(w http.ResponseWriter, r *http.Request) {
	var t toss
	if err := json.NewDecoder(r.Body).Decode(&t); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if t.Bet == nil {
		http.Error(w, "bet is missing", http.StatusBadRequest)
		return
	}
	draw := rand.IntN(2) == 1
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(result{Win: draw == *t.Bet})
}
