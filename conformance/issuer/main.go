// Issuer is the program under test in the official suite's scenarios for authorization servers:
// package mcpissuer, with one registered client.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "issuer:", err)
		os.Exit(1)
	}
}

// run serves until the context is done.
func run(ctx context.Context) error {
	address := flag.String("http", "127.0.0.1:0", "the loopback `address` to serve at")
	client := flag.String("client", "conformance", "the `id` of the client")
	redirect := flag.String("redirect", "http://127.0.0.1/callback", "the redirect `URI` of the client, with any port")
	resource := flag.String("resource", "https://mcp.example.com/mcp", "the `URL` of the server that tokens are for")
	flag.Parse()
	l, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	// An issuer whose URL has a path publishes its metadata at several addresses.
	i, err := mcpissuer.New(mcpissuer.Options{
		URL: "http://" + l.Addr().String() + "/issuer", Resources: []string{*resource},
		Clients: []mcpissuer.Client{{ID: *client, Name: "Conformance suite", RedirectURIs: []string{*redirect}}},
	})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	s := &http.Server{Handler: i, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	fmt.Fprintf(os.Stderr, "serving at %s\n", i.URL())
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
