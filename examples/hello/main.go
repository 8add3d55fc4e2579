// Hello is the smallest server: one function, one directive, one line of main.
//
//	go run ./hello                                     # serves the client that has started it
//	go run ./hello -http 8080                          # at http://127.0.0.1:8080/mcp
//	go tool mcpgen call ./hello greet name=Ada times=2 # calls the tool from the shell
package main

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

//go:generate go tool mcpgen

func main() { mcpcmd.Main(NewMCPServer()) }

// Greet says hello to someone.
//
//mcp:tool readonly closedworld
//mcp:arg name "who is greeted" minLength=1
//mcp:arg times "how often" default=1 minimum=1 maximum=10
func Greet(name string, times int) string {
	return strings.TrimSpace(strings.Repeat("Hello, "+name+"! ", times))
}
