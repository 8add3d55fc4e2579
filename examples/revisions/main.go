// Revisions contains a test that calls the same tool in every revision of the protocol, and shows
// the response in each. The program is an ordinary one.
//
//	go run ./revisions            # serves a client of any revision
//	go test -v ./revisions        # one test for each revision
package main

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

//go:generate go tool mcpgen

func main() { mcpcmd.Main(NewMCPServer()) }

// Description is the server's view of a call.
type Description struct {
	Revision string `json:"revision"`
	Client   string `json:"client"`
	CanAsk   bool   `json:"canAsk"` // whether the client can ask the user
}

// Describe returns the revision of the call and what the client declares.
//
//mcp:tool readonly closedworld
func Describe(ctx context.Context) Description {
	call := mcp.CallFrom(ctx)
	return Description{call.Revision(), call.Client().Name, call.Can(mcp.CapabilityElicitation)}
}
