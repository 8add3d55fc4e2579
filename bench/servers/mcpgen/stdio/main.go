// Stdio serves the catalogue over standard input and output.
package main

import (
	"context"
	"log"

	_ "github.com/mcpgen/mcpgen/bench/profile"
	"github.com/mcpgen/mcpgen/bench/servers/mcpgen"
)

func main() {
	if err := mcpgen.NewMCPServer().ServeStdio(context.Background()); err != nil {
		log.Fatal(err)
	}
}
