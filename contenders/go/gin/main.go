package main

import (
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
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

	"github.com/gin-gonic/gin"
)

const longestWait = 60_000

// A pointer lets "required" tell a missing bet from a false one.
type toss struct {
	Bet *bool `json:"bet" binding:"required"`
}

type result struct {
	Win bool `json:"win"`
}

// A pointer lets "required" tell a missing password from an empty one.
type credentials struct {
	Password *string `json:"password" binding:"required"`
}

type hashed struct {
	Hash string `json:"hash"`
}

// Pointers let "required" tell a missing parameter from an empty name and from 0.
type operands struct {
	Name *string `form:"name" binding:"required"`
	X    *int    `form:"x" binding:"required"`
	Y    *int    `form:"y" binding:"required"`
	E    int     `form:"e" binding:"required,oneof=2 3 4"`
	Size int     `form:"size" binding:"max=16777216"`
}

type echoed struct {
	Name string
	Sum  int
}

type flagsQuery struct {
	F *int `form:"f" binding:"required"`
}

type arrayQuery struct {
	A []int `form:"a"`
}

type statusQuery struct {
	Code int `form:"code" binding:"required"`
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
	router := gin.New()
	router.Use(gin.Recovery())
	router.HandleMethodNotAllowed = true

	router.GET("/", empty)
	router.GET("/user/:id", user)
	router.POST("/user", empty)
	router.POST("/coin", coin)
	router.GET("/wait/:ms", wait)
	router.PUT("/users/:id", setPassword)
	router.GET("/Perf/Echo", echo)
	router.GET("/Perf/Flags", flags)
	router.GET("/Perf/Array", array)
	router.GET("/Perf/Void", void)
	router.GET("/Perf/Status", status)
	router.GET("/Perf/Throw", throw)

	address := net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))
	if certificate := os.Getenv("TLS_CERT"); certificate != "" {
		log.Fatal(router.RunTLS(address, certificate, os.Getenv("TLS_KEY")))
	}
	router.UseH2C = os.Getenv("PROTOCOL") == "h2c"
	log.Fatal(router.Run(address))
}

func empty(c *gin.Context) {
	c.Status(http.StatusOK)
}

func user(c *gin.Context) {
	c.String(http.StatusOK, c.Param("id"))
}

func coin(c *gin.Context) {
	var t toss
	if err := c.ShouldBindJSON(&t); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
		return
	}
	draw := rand.IntN(2) == 1
	c.JSON(http.StatusOK, result{Win: draw == *t.Bet})
}

func wait(c *gin.Context) {
	ms, err := strconv.Atoi(c.Param("ms"))
	if err != nil || ms < 0 || ms > longestWait {
		c.JSON(http.StatusBadRequest, gin.H{"error": "not a number of milliseconds up to 60000"})
		return
	}
	time.Sleep(time.Duration(ms) * time.Millisecond)
	c.String(http.StatusOK, "waited %d", ms)
}

func echo(c *gin.Context) {
	var o operands
	if err := c.ShouldBindQuery(&o); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
		return
	}
	answer := echoed{Name: *o.Name, Sum: (*o.X + *o.Y) * o.E}
	if o.Size > 0 {
		body, err := json.Marshal(answer)
		if err != nil {
			c.JSON(http.StatusInternalServerError, gin.H{"error": err.Error()})
			return
		}
		answer.Name += strings.Repeat("x", max(0, o.Size-len(body)))
	}
	c.JSON(http.StatusOK, answer)
}

func flags(c *gin.Context) {
	var query flagsQuery
	if err := c.ShouldBindQuery(&query); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
		return
	}
	c.JSON(http.StatusOK, flagged{Flags: *query.F})
}

func array(c *gin.Context) {
	var query arrayQuery
	if err := c.ShouldBindQuery(&query); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
		return
	}
	sum := 0
	for _, number := range query.A {
		sum += number
	}
	c.JSON(http.StatusOK, summed{Sum: sum})
}

func void(c *gin.Context) {}

func status(c *gin.Context) {
	var query statusQuery
	if err := c.ShouldBindQuery(&query); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
		return
	}
	c.AbortWithStatus(query.Code)
}

func throw(c *gin.Context) {
	panic(errors.New("velo-secret-detail"))
}

func setPassword(c *gin.Context) {
	id, err := strconv.Atoi(c.Param("id"))
	if err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": "the id is not a number"})
		return
	}
	var cred credentials
	if err := c.ShouldBindJSON(&cred); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
		return
	}
	accounts, err := readAccounts()
	if err != nil {
		c.JSON(http.StatusInternalServerError, gin.H{"error": err.Error()})
		return
	}
	if !slices.ContainsFunc(accounts, func(a account) bool { return a.ID == id }) {
		c.JSON(http.StatusNotFound, gin.H{"error": "no such user"})
		return
	}
	sum := sha512.Sum512([]byte(*cred.Password))
	c.JSON(http.StatusOK, hashed{Hash: hex.EncodeToString(sum[:])})
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
