package mcpws

import (
	"context"
	"errors"
	"net/http"

	"github.com/coder/websocket"
)

// errJS is returned for all connections: JavaScript cannot set header fields of a WebSocket, and
// cannot accept connections.
var errJS = errors.New("mcpws: js/wasm has no WebSocket with the header fields of the protocol: use streamable HTTP")

func dialWebSocket(context.Context, string, *http.Client, http.Header, func(context.Context, []byte) bool) (*websocket.Conn, *http.Response, error) {
	return nil, nil, errJS
}

func acceptWebSocket(http.ResponseWriter, *http.Request, websocket.CompressionMode, func(context.Context, []byte) bool) (*websocket.Conn, error) {
	return nil, errJS
}
