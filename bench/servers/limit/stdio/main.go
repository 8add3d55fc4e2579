// Stdio serves the catalogue over standard input and output.
package main

import (
	"log"
	"os"

	_ "github.com/mcpgen/mcpgen/bench/profile"
	"github.com/mcpgen/mcpgen/bench/servers/limit"
)

func main() {
	if err := limit.Default().ServeLines(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}
