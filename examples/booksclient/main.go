// Booksclient calls the bookstore as a client, and prints what it offers about the subjects that
// most of its books have.
//
//	go run ./booksclient                 # the bookstore in this process
//	go run ./bookstore/cmd/bookstore -http 8080
//	go run ./booksclient -url http://localhost:8080/mcp
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"text/tabwriter"

	"github.com/mcpgen/mcpgen/examples/bookstore"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

func main() {
	url := flag.String("url", "", "the bookstore at this `URL` (default: one in this process)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *url); err != nil {
		log.Fatal("booksclient: ", err)
	}
}

func run(ctx context.Context, w io.Writer, url string) error {
	var target mcpclient.Target = mcphttpclient.Endpoint{URL: url}
	if url == "" {
		store, err := bookstore.Open(ctx, "")
		if err != nil {
			return err
		}
		defer func() { _ = store.Close() }()
		target = mcpclient.InMemory(bookstore.NewServer(store))
	}
	c, err := mcpclient.Connect(ctx, target, mcpclient.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	return report(ctx, w, c)
}

// Parts of the results that the report needs.
type (
	subject struct {
		Name  string
		Books int
	}
	found struct {
		Books []struct {
			Title      string
			PriceCents int
			Available  int
		}
	}
)

func report(ctx context.Context, w io.Writer, c *mcpclient.Client) error {
	subjects, err := mcpclient.Call[[]subject](ctx, c, "list_subjects", map[string]any{"limit": 5})
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "SUBJECT\tBOOKS\tCHEAPEST\tEUROS\tCOPIES")
	for _, s := range subjects {
		// The search has no side effects, so it may be sent again after a lost connection.
		arguments := map[string]any{"query": s.Name, "sort": "price", "limit": 1}
		f, err := mcpclient.Call[found](ctx, c, "search_books", arguments, mcpclient.WithIdempotent())
		if err != nil {
			return err
		}
		for _, b := range f.Books {
			_, _ = fmt.Fprintf(table, "%s\t%d\t%s\t%.2f\t%d\n", s.Name, s.Books, b.Title, float64(b.PriceCents)/100, b.Available)
		}
	}
	return table.Flush()
}
