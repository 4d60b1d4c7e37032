// A server for scripts/interop-grpc.sh: grpc-go. Method One gives x-echo of a call's metadata back. It ends in order on SIGTERM, and then
// prints how many messages it has received and sent, and how many calls it has ended itself with each status.
//
//	server PORT [CERT KEY]
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"numbers/numbers"
)

var (
	received, sent atomic.Int64
	ended          [17]atomic.Int64
)

type server struct {
	numbers.UnimplementedNumbersServer
}

func (server) One(ctx context.Context, ask *numbers.Ask) (*numbers.Answer, error) {
	received.Add(1)
	if ask.WaitMs > 0 {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(ask.WaitMs) * time.Millisecond):
		}
	}
	if echo := metadata.ValueFromIncomingContext(ctx, "x-echo"); len(echo) == 1 {
		if err := grpc.SetHeader(ctx, metadata.Pairs("x-echo", echo[0])); err != nil {
			return nil, err
		}
	}
	ended[ask.Status].Add(1)
	if ask.Status != 0 {
		return nil, status.Error(codes.Code(ask.Status), "as was asked")
	}
	sent.Add(1)
	return &numbers.Answer{Number: ask.Number, Padding: make([]byte, ask.Padding)}, nil
}

func (server) Down(ask *numbers.Ask, stream grpc.ServerStreamingServer[numbers.Answer]) error {
	received.Add(1)
	for range ask.Count {
		if err := stream.Send(&numbers.Answer{Number: ask.Number, Padding: make([]byte, ask.Padding)}); err != nil {
			return err
		}
		sent.Add(1)
	}
	ended[codes.OK].Add(1)
	return nil
}

func (server) Up(stream grpc.ClientStreamingServer[numbers.Ask, numbers.Answer]) error {
	var answer numbers.Answer
	for {
		ask, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			ended[codes.OK].Add(1)
			sent.Add(1)
			return stream.SendAndClose(&answer)
		}
		if err != nil {
			return err
		}
		received.Add(1)
		answer.Number += ask.Number
		answer.Count++
	}
}

func (server) Both(stream grpc.BidiStreamingServer[numbers.Ask, numbers.Answer]) error {
	for {
		ask, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			ended[codes.OK].Add(1)
			return nil
		}
		if err != nil {
			return err
		}
		received.Add(1)
		if err := stream.Send(&numbers.Answer{Number: ask.Number, Padding: make([]byte, ask.Padding)}); err != nil {
			return err
		}
		sent.Add(1)
	}
}

func main() {
	// Another process may listen already when this one ends.
	shared := net.ListenConfig{Control: func(_, _ string, socket syscall.RawConn) error {
		var failed error
		const reusePort = 15
		err := socket.Control(func(descriptor uintptr) {
			failed = syscall.SetsockoptInt(int(descriptor), syscall.SOL_SOCKET, reusePort, 1)
		})
		return errors.Join(err, failed)
	}}
	listener, err := shared.Listen(context.Background(), "tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var options []grpc.ServerOption
	if len(os.Args) > 3 {
		transport, err := credentials.NewServerTLSFromFile(os.Args[2], os.Args[3])
		if err != nil {
			log.Fatal(err)
		}
		options = append(options, grpc.Creds(transport))
	}
	all := grpc.NewServer(options...)
	numbers.RegisterNumbersServer(all, server{})
	reflection.Register(all)
	go func() {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		<-asked
		all.GracefulStop()
	}()
	if err := all.Serve(listener); err != nil {
		log.Fatal(err)
	}
	fmt.Print("counted ", received.Load(), " ", sent.Load())
	for code := range ended {
		if calls := ended[code].Load(); calls > 0 {
			fmt.Printf(" %d:%d", code, calls)
		}
	}
	fmt.Println()
}
