// Stdio serves the catalogue over standard input and output.
package main

import (
	"log"

	"github.com/mark3labs/mcp-go/server"

	_ "github.com/mcpgen/mcpgen/bench/profile"
	"github.com/mcpgen/mcpgen/bench/servers/mcpgo"
)

func main() {
	// With a shorter queue, further calls would run sequentially in the reading goroutine.
	if err := server.ServeStdio(mcpgo.New(), server.WithQueueSize(1000)); err != nil {
		log.Fatal(err)
	}
}
