// Server serves the fixture of the conformance suite, over standard input and output or with -http
// over HTTP. With -keys, only callers with an API key are served.
package main

import (
	"log"

	"github.com/mcpgen/mcpgen/conformance/internal/features"
	"github.com/mcpgen/mcpgen/conformance/internal/skills"
	"github.com/mcpgen/mcpgen/conformance/internal/tasks"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

func main() {
	server := features.NewServer()
	tasks.RegisterMCP(server)
	if err := skills.Register(server); err != nil {
		log.Fatal(err)
	}
	mcpcmd.Main(server, mcpauth.Flags())
}
