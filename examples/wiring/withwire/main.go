// Withwire serves the shop, connected by code that wire generates: for customers, with -staff for
// the staff.
package main

import (
	"context"
	"log"
	"os"

	"github.com/mcpgen/mcpgen/examples/wiring/catalogue"
	"github.com/mcpgen/mcpgen/examples/wiring/orders"
	"github.com/mcpgen/mcpgen/examples/wiring/public"
	"github.com/mcpgen/mcpgen/examples/wiring/staff"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func main() {
	servers, closeAll, err := connect()
	if err != nil {
		log.Fatal(err)
	}
	defer closeAll()
	s := servers.Public.Server
	if len(os.Args) > 1 && os.Args[1] == "-staff" {
		s = servers.Staff.Server
	}
	if err := s.ServeStdio(context.Background()); err != nil {
		log.Print(err)
	}
}

// Wire distinguishes values by their types, so each server has its own type.
type (
	publicServer struct{ *mcp.Server }
	staffServer  struct{ *mcp.Server }

	servers struct {
		Public publicServer
		Staff  staffServer
	}
)

func newPublic(desk *orders.Desk, store *catalogue.Store) publicServer {
	return publicServer{public.NewMCPServer(desk, store)}
}

func newStaff(desk *orders.Desk, store *catalogue.Store) staffServer {
	return staffServer{staff.NewMCPServer(desk, store)}
}
