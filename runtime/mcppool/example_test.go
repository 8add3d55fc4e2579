package mcppool_test

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcppool"
)

// A gateway calls tools for many users, with the credentials of each. The key contains the user, so
// that no user gets a client of another.
func ExamplePool_Acquire() {
	backend := mcpclient.InMemory(mcp.NewServer(mcp.ServerInfo{Name: "backend"}))
	pool := mcppool.New(mcppool.Options{})
	defer pool.Close()

	serve := func(ctx context.Context, user string) error {
		lease, err := pool.Acquire(ctx, backend.Key()+" "+user, func(ctx context.Context) (*mcpclient.Client, error) {
			return mcpclient.Connect(ctx, backend, mcpclient.Options{})
		})
		if err != nil {
			return err
		}
		defer lease.Release()
		return lease.Client().Ping(ctx)
	}

	fmt.Println(serve(context.Background(), "ann"), serve(context.Background(), "bob"))
	// Output: <nil> <nil>
}
