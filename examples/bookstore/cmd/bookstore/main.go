// Bookstore serves a bookshop: over standard input and output to the client that started it, or
// with -http to any number of clients. With -auth, clients need an access token.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/examples/bookstore"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

func main() {
	file := flag.String("db", "", "keep the shop in this SQLite `file` (default: in memory)")
	flags := mcpcmd.WithFlags(flag.CommandLine, mcpauth.Flags())
	flag.Parse()
	store, err := bookstore.Open(context.Background(), *file)
	if err != nil {
		log.Fatal("bookstore: ", err)
	}
	mcpcmd.Main(bookstore.NewServer(store), flags, mcpcmd.WithCleanup(func() { _ = store.Close() }))
}
