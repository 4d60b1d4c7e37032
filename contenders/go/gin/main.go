package main

import (
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"

	"github.com/gin-gonic/gin"
)

// A pointer lets "required" tell a missing bet from a false one.
type toss struct {
	Bet *bool `json:"bet" binding:"required"`
}

type result struct {
	Win bool `json:"win"`
}

func main() {
	router := gin.New()
	router.Use(gin.Recovery())
	router.HandleMethodNotAllowed = true

	router.GET("/", empty)
	router.GET("/user/:id", user)
	router.POST("/user", empty)
	router.POST("/coin", coin)

	log.Fatal(router.Run(net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))))
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
