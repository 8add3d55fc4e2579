package mcp

import (
	"context"
	"math"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Connect serves a client in the same process. It returns the client's end of the connection;
// closing it closes the connection. wait waits until the server is done, and returns the result of
// [Server.Serve].
func (s *Server) Connect(ctx context.Context) (client jsonrpc.Conn, wait func() error) {
	client, server := jsonrpc.PipeLimit(math.MaxInt32, s.limits.MessageBytes)
	var served sync.WaitGroup
	var result error
	served.Go(func() { result = s.serve(ctx, server, "memory") })
	return client, func() error {
		served.Wait()
		return result
	}
}
