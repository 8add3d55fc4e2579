// Server serves the fixture of the conformance suite, over standard input and
// output or with -http over HTTP.
package main

import (
	"github.com/mcpgen/mcpgen/conformance/internal/features"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

func main() {
	mcpcmd.Main(features.NewServer())
}
