// Server is a hostile server over standard input and output. Its argument is the name of the row.
package main

import (
	"fmt"
	"os"

	"github.com/mcpgen/mcpgen/interop/hostile"
)

func main() {
	row, err := hostile.Find(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	hostile.ServeStdio(row)
}
