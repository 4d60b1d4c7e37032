package main

import (
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const longestWait = 60_000

const largestEcho = 16 << 20

// A pointer tells a missing bet from a false one.
type toss struct {
	Bet *bool `json:"bet"`
}

type result struct {
	Win bool `json:"win"`
}

// A pointer tells a missing password from an empty one.
type credentials struct {
	Password *string `json:"password"`
}

type hashed struct {
	Hash string `json:"hash"`
}

type echoed struct {
	Name string
	Sum  int
}

type flagged struct {
	Flags int
}

type summed struct {
	Sum int
}

type account struct {
	ID     int    `json:"id"`
	Name   string `json:"name"`
	Email  string `json:"email"`
	Age    int    `json:"age"`
	Active bool   `json:"active"`
	City   string `json:"city"`
}

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", empty)
	mux.HandleFunc("GET /user/{id}", user)
	mux.HandleFunc("POST /user", empty)
	mux.HandleFunc("POST /coin", coin)
	mux.HandleFunc("GET /wait/{ms}", wait)
	mux.HandleFunc("PUT /users/{id}", setPassword)
	mux.HandleFunc("GET /Perf/Echo", echo)
	mux.HandleFunc("GET /Perf/Flags", flags)
	mux.HandleFunc("GET /Perf/Array", array)
	mux.HandleFunc("GET /Perf/Void", void)
	mux.HandleFunc("GET /Perf/Status", status)
	mux.HandleFunc("GET /Perf/Throw", throw)

	server := &http.Server{Addr: net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")), Handler: mux}
	server.Protocols = new(http.Protocols)
	switch os.Getenv("PROTOCOL") {
	case "h2c":
		server.Protocols.SetUnencryptedHTTP2(true)
	case "h2":
		server.Protocols.SetHTTP2(true)
	default:
		server.Protocols.SetHTTP1(true)
	}
	if certificate := os.Getenv("TLS_CERT"); certificate != "" {
		log.Fatal(server.ListenAndServeTLS(certificate, os.Getenv("TLS_KEY")))
	}
	log.Fatal(server.ListenAndServe())
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

func wait(w http.ResponseWriter, r *http.Request) {
	ms, err := strconv.Atoi(r.PathValue("ms"))
	if err != nil || ms < 0 || ms > longestWait {
		http.Error(w, "not a number of milliseconds up to 60000", http.StatusBadRequest)
		return
	}
	time.Sleep(time.Duration(ms) * time.Millisecond)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintf(w, "waited %d", ms)
}

func echo(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	x, errX := strconv.Atoi(query.Get("x"))
	y, errY := strconv.Atoi(query.Get("y"))
	e, errE := strconv.Atoi(query.Get("e"))
	if err := errors.Join(errX, errY, errE); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !query.Has("name") || e < 2 || e > 4 {
		http.Error(w, "name is missing, or e is not one of 2, 3 and 4", http.StatusBadRequest)
		return
	}
	answer := echoed{Name: query.Get("name"), Sum: (x + y) * e}
	body, err := json.Marshal(answer)
	if query.Has("size") && err == nil {
		var size int
		if size, err = strconv.Atoi(query.Get("size")); err != nil || size > largestEcho {
			http.Error(w, "size is not a number of bytes up to 16 MiB", http.StatusBadRequest)
			return
		}
		answer.Name += strings.Repeat("x", max(0, size-len(body)))
		body, err = json.Marshal(answer)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
}

func flags(w http.ResponseWriter, r *http.Request) {
	f, err := strconv.Atoi(r.URL.Query().Get("f"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(flagged{Flags: f})
}

func array(w http.ResponseWriter, r *http.Request) {
	sum := 0
	for _, text := range r.URL.Query()["a"] {
		number, err := strconv.Atoi(text)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		sum += number
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(summed{Sum: sum})
}

func void(w http.ResponseWriter, r *http.Request) {}

func status(w http.ResponseWriter, r *http.Request) {
	code, err := strconv.Atoi(r.URL.Query().Get("code"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	http.Error(w, http.StatusText(code), code)
}

func throw(w http.ResponseWriter, r *http.Request) {
	panic(errors.New("velo-secret-detail"))
}

func setPassword(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		http.Error(w, "the id is not a number", http.StatusBadRequest)
		return
	}
	var c credentials
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if c.Password == nil {
		http.Error(w, "password is missing", http.StatusBadRequest)
		return
	}
	accounts, err := readAccounts()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if !slices.ContainsFunc(accounts, func(a account) bool { return a.ID == id }) {
		http.Error(w, "no such user", http.StatusNotFound)
		return
	}
	sum := sha512.Sum512([]byte(*c.Password))
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(hashed{Hash: hex.EncodeToString(sum[:])})
}

func readAccounts() ([]account, error) {
	file, err := os.ReadFile(filepath.Join(os.Getenv("DATA_DIR"), "user.json"))
	if err != nil {
		return nil, err
	}
	var accounts []account
	err = json.Unmarshal(file, &accounts)
	return accounts, err
}
