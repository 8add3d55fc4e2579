package mcpnet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
)

// A server on a Unix socket that only its owner can open, and a client.
func ExampleServe() {
	server := mcp.NewServer(mcp.ServerInfo{Name: "greeter", Version: "1.0.0"})
	server.Register(mcp.NewTool(mcp.ToolInfo{Name: "greet"},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult("hello"), nil
		}))

	dir, err := os.MkdirTemp("", "greeter") // mode 0700
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	l, err := net.Listen("unix", filepath.Join(dir, "mcp.sock"))
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- mcpnet.Serve(ctx, server, l) }()

	c, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	conn := mcpnet.NewConn(c, 0)
	if err := conn.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")); err != nil {
		log.Fatal(err)
	}
	answer, err := conn.Read()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(answer))
	_ = conn.Close()

	stop()
	fmt.Println(<-stopped)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// <nil>
}
