// Bookstore serves a bookshop over standard input and output.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/mcpgen/mcpgen/examples/bookstore"
)

func main() {
	file := flag.String("db", "", "keep the shop in this SQLite `file` (default: in memory)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After Ctrl-C the error only says so.
	if err := serve(ctx, *file); err != nil && ctx.Err() == nil {
		log.Fatal("bookstore: ", err)
	}
}

func serve(ctx context.Context, file string) error {
	store, err := bookstore.Open(ctx, file)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	return bookstore.NewServer(store).ServeStdio(ctx)
}
