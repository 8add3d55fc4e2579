// Mcpgen calls a server by mcpclient.
package main

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/bench/clients/load"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

func main() {
	load.Main(func(ctx context.Context, to load.Server) (*load.Client, error) {
		var o mcpclient.Options
		if to.Sessions {
			o.Revision = "2025-11-25"
		}
		c, err := mcpclient.Connect(ctx, target(to), o)
		if err != nil {
			return nil, err
		}
		return &load.Client{
			Call: func(ctx context.Context, arguments json.RawMessage) (string, any, error) {
				r, err := c.Call(ctx, "search", arguments)
				if err != nil {
					return "", nil, err
				}
				return r.Text(), r.Structured, nil
			},
			Close: c.Close,
		}, nil
	})
}

func target(to load.Server) mcpclient.Target {
	if to.Path == "" {
		return mcphttpclient.Endpoint{URL: to.URL}
	}
	return mcpclient.Command{Path: to.Path}
}
