//go:build wireinject

package main

import (
	"github.com/google/wire"

	"github.com/mcpgen/mcpgen/examples/wiring/catalogue"
	"github.com/mcpgen/mcpgen/examples/wiring/orders"
)

// connect makes both servers over the same store and desk.
func connect() (servers, func(), error) {
	panic(wire.Build(
		catalogue.Open,
		orders.NewDesk,
		newPublic,
		newStaff,
		wire.Struct(new(servers), "*"),
	))
}
