//go:build !js

package mcpws

import (
	"context"
	"net/http"

	"github.com/coder/websocket"
)

// dialWebSocket opens a connection.
func dialWebSocket(ctx context.Context, url string, client *http.Client, header http.Header, onPing func(context.Context, []byte) bool) (*websocket.Conn, *http.Response, error) {
	return websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPClient: client, HTTPHeader: header, Subprotocols: []string{subprotocol}, OnPingReceived: onPing,
	})
}

// acceptWebSocket accepts a connection.
func acceptWebSocket(w http.ResponseWriter, r *http.Request, compression websocket.CompressionMode, onPing func(context.Context, []byte) bool) (*websocket.Conn, error) {
	return websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{subprotocol},
		InsecureSkipVerify: true, // checkRequest is stricter
		CompressionMode:    compression,
		OnPingReceived:     onPing,
	})
}
