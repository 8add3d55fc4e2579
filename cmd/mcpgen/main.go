// Mcpgen makes MCP servers out of annotated Go functions. Run "mcpgen help" for
// what it does and "mcpgen help directives" for the comments that it reads.
package main

import "github.com/mcpgen/mcpgen/generator/cli"

func main() { cli.Main() }
