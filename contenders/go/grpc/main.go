package main

import (
	"context"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"velodrome/contenders/go/grpc/auth"
	"velodrome/contenders/go/grpc/coin"
	"velodrome/contenders/go/grpc/user"
)

type account struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Email  string `json:"email"`
	Age    int    `json:"age"`
	Active bool   `json:"active"`
	City   string `json:"city"`
}

type userServer struct {
	user.UnimplementedUserServer
}

type coinServer struct {
	coin.UnimplementedCoinServer
}

type authServer struct {
	auth.UnimplementedAuthServer
}

func main() {
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")))
	if err != nil {
		log.Fatal(err)
	}
	var options []grpc.ServerOption
	if certificate := os.Getenv("TLS_CERT"); certificate != "" {
		transport, err := credentials.NewServerTLSFromFile(certificate, os.Getenv("TLS_KEY"))
		if err != nil {
			log.Fatal(err)
		}
		options = append(options, grpc.Creds(transport))
	}
	server := grpc.NewServer(options...)
	user.RegisterUserServer(server, userServer{})
	coin.RegisterCoinServer(server, coinServer{})
	auth.RegisterAuthServer(server, authServer{})
	log.Fatal(server.Serve(listener))
}

func (userServer) Index(context.Context, *user.Empty) (*user.Empty, error) {
	return &user.Empty{}, nil
}

func (userServer) Get(_ context.Context, id *user.UserId) (*user.UserId, error) {
	return &user.UserId{Id: id.GetId()}, nil
}

func (userServer) Create(context.Context, *user.Empty) (*user.Empty, error) {
	return &user.Empty{}, nil
}

func (coinServer) Toss(_ context.Context, bet *coin.Bet) (*coin.Outcome, error) {
	if bet.Bet == nil {
		return nil, status.Error(codes.InvalidArgument, "bet is missing")
	}
	draw := rand.IntN(2) == 1
	return &coin.Outcome{Win: draw == bet.GetBet()}, nil
}

func (authServer) Test(_ context.Context, request *auth.RequestBody) (*auth.ResponseBody, error) {
	accounts, err := readAccounts()
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	if !slices.ContainsFunc(accounts, func(a account) bool { return a.ID == request.GetId() }) {
		return nil, status.Error(codes.NotFound, "no such user")
	}
	sum := sha512.Sum512([]byte(request.GetPassword()))
	return &auth.ResponseBody{Hash: hex.EncodeToString(sum[:])}, nil
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
