package mcpws_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// A WebSocket server with a graceful shutdown.
func ExampleNewHandler() {
	server := mcp.NewServer(mcp.ServerInfo{Name: "greeter", Version: "1.0.0"})
	server.Register(mcp.NewTool(mcp.ToolInfo{Name: "greet"},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult("hello"), nil
		}))

	handler := mcpws.NewHandler(server)
	mux := http.NewServeMux()
	mux.Handle("/ws", handler)
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		if err := web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Print(err)
		}
	}()

	talkTo("http://" + l.Addr().String() + "/ws")

	// Requests in flight are answered. The HTTP server does not track hijacked connections: the
	// handler waits for them.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := errors.Join(handler.Shutdown(ctx), web.Shutdown(ctx)); err != nil {
		log.Print(err)
	}
	<-stopped
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}

func talkTo(url string) {
	ctx := context.Background()
	c, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: []string{"mcp"}})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = c.Close(websocket.StatusNormalClosure, "") }()
	if err := c.Write(ctx, websocket.MessageText, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); err != nil {
		log.Fatal(err)
	}
	_, answer, err := c.Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(answer))
}
