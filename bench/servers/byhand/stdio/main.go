// Stdio serves the catalogue over standard input and output.
package main

import (
	"log"
	"os"

	_ "github.com/mcpgen/mcpgen/bench/profile"
	"github.com/mcpgen/mcpgen/bench/servers/byhand"
)

func main() {
	if err := byhand.Default().ServeLines(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}
