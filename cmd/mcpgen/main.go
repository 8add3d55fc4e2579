// Mcpgen makes MCP servers from annotated Go functions. Run "mcpgen help" for its commands and
// "mcpgen help directives" for the comments that it reads.
package main

import "github.com/mcpgen/mcpgen/generator/cli"

func main() { cli.Main() }
