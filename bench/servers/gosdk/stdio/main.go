// Stdio serves the catalogue over standard input and output.
package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	_ "github.com/mcpgen/mcpgen/bench/profile"
	"github.com/mcpgen/mcpgen/bench/servers/gosdk"
)

func main() {
	if err := gosdk.New().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
