// Withfx serves the shop, connected by fx: for customers, with -staff for the staff.
package main

import (
	"context"
	"log"
	"os"

	"go.uber.org/fx"

	"github.com/mcpgen/mcpgen/examples/wiring/catalogue"
	"github.com/mcpgen/mcpgen/examples/wiring/orders"
	"github.com/mcpgen/mcpgen/examples/wiring/public"
	"github.com/mcpgen/mcpgen/examples/wiring/staff"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func main() {
	app := fx.New(parts, fx.NopLogger, fx.Invoke(serve))
	app.Run()
	if err := app.Err(); err != nil {
		log.Fatal(err)
	}
}

// parts provides the parts of both servers. The generated constructors are provided as they are:
// their options are variadic, and fx omits variadic parameters.
var parts = fx.Options(
	fx.Provide(
		openStore,
		orders.NewDesk,
		fx.Annotate(public.NewMCPServer, fx.ResultTags(`name:"public"`)),
		fx.Annotate(staff.NewMCPServer, fx.ResultTags(`name:"staff"`)),
	),
)

// servers contains both servers.
type servers struct {
	fx.In

	Public *mcp.Server `name:"public"`
	Staff  *mcp.Server `name:"staff"`
}

func openStore(lifecycle fx.Lifecycle) (*catalogue.Store, error) {
	store, closeStore, err := catalogue.Open()
	if err == nil {
		lifecycle.Append(fx.StopHook(closeStore))
	}
	return store, err
}

// serve exits the program when its client disconnects.
func serve(lifecycle fx.Lifecycle, program fx.Shutdowner, both servers) {
	s := both.Public
	if len(os.Args) > 1 && os.Args[1] == "-staff" {
		s = both.Staff
	}
	ctx, stop := context.WithCancel(context.Background())
	lifecycle.Append(fx.StartStopHook(func() {
		go func() {
			if err := s.ServeStdio(ctx); err != nil {
				log.Print(err)
			}
			_ = program.Shutdown()
		}()
	}, stop))
}
