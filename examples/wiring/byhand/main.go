// Byhand serves the shop, connected by hand: for customers, with -staff for the staff.
package main

import (
	"context"
	"flag"

	"github.com/mcpgen/mcpgen/examples/wiring/catalogue"
	"github.com/mcpgen/mcpgen/examples/wiring/orders"
	"github.com/mcpgen/mcpgen/examples/wiring/public"
	"github.com/mcpgen/mcpgen/examples/wiring/staff"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

func main() {
	forStaff := flag.Bool("staff", false, "serve those who work in the shop")
	open := func(context.Context) (*mcp.Server, func(), error) {
		servers, closeAll, err := connect()
		if err != nil {
			return nil, nil, err
		}
		if *forStaff {
			return servers.staff, closeAll, nil
		}
		return servers.public, closeAll, nil
	}
	mcpcmd.MainFunc(open, mcpcmd.WithFlags(flag.CommandLine), mcpcmd.WithCommands())
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
