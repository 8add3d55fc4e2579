// Byhand serves the shop, connected by hand: for customers, with -staff for the
// staff.
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
	s := servers.public
	if len(os.Args) > 1 && os.Args[1] == "-staff" {
		s = servers.staff
	}
	if err := s.ServeStdio(context.Background()); err != nil {
		log.Print(err)
	}
}

type servers struct{ public, staff *mcp.Server }

// connect makes both servers over the same store and desk.
func connect() (servers, func(), error) {
	store, closeStore, err := catalogue.Open()
	if err != nil {
		return servers{}, nil, err
	}
	desk := orders.NewDesk(store)
	return servers{
		public: public.NewMCPServer(desk, store),
		staff:  staff.NewMCPServer(desk, store),
	}, closeStore, nil
}
