package mcpnats_test

import (
	"context"
	"net/http"

	"github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpnats"
)

func ExampleOpen() {
	serve := func(ctx context.Context, secret []byte) error {
		nc, err := nats.Connect("nats://nats.internal:4222", nats.UserCredentials("/run/secrets/nats.creds"), nats.MaxReconnects(-1))
		if err != nil {
			return err
		}
		defer nc.Close()
		cluster, err := mcpnats.Open(ctx, nc, "bookstore", mcpnats.WithSecret(secret))
		if err != nil {
			return err
		}
		defer cluster.Close(context.Background())
		server := mcp.NewServer(mcp.ServerInfo{Name: "bookstore"}, cluster.Options()...)
		return http.ListenAndServe(":8080", mcphttp.NewHandler(server, cluster.HTTPOptions()...))
	}
	_ = serve
}
