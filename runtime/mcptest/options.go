package mcptest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// Options configures a client. The zero value is a client of the newest revision without
// capabilities.
type Options struct {
	// Revision is the protocol revision, such as 2025-06-18; "" is the newest. Up to 2025-11-25 the
	// client opens a session; from 2026-07-28 on each request carries version, client and
	// capabilities.
	Revision string
	// Client is the client's name and version; the default Name is "mcptest".
	Client mcp.ClientInfo
	// Context is the parent of the handlers' contexts, which contain its values. Nil means the
	// context of the test, without its cancellation.
	Context context.Context
	// Principal is the authenticated caller, as a transport with authentication provides it:
	// Call.Principal returns it to handlers, and its Access determines which features exist. The
	// connection ends at Expires. The zero value means the principal in Context, if
	// [mcp.CallerContext] has set one.
	Principal mcp.Principal

	// Elicit answers forms and links. It declares both capabilities.
	Elicit func(context.Context, *mcpclient.Elicitation) mcpclient.ElicitAnswer
	// Sample answers requests for model messages. It declares sampling with tools and context. An
	// error refuses the request: in a session the server gets an error, and from revision
	// 2026-07-28 on the client's request ends with [ErrRefused].
	Sample func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error)
	// Roots returns the client's roots. It declares the capability.
	Roots func() []mcp.Root
	// Capabilities overrides the capabilities that the functions imply. A nil value removes a
	// capability.
	Capabilities map[string]any

	// LogLevel is the lowest level of log messages to receive: debug, info, notice, warning, error,
	// critical, alert or emergency. With "" the server decides: a session then gets messages from
	// its default level on, a client of revision 2026-07-28 gets none.
	LogLevel string
	// OnLog is called with each log message, in order; see also [Client.Logs]. It must not call the
	// client.
	OnLog func(mcpclient.LogMessage)
	// OnNotification is called with every notification of the server, in order, before the client
	// handles it. It must not call the client.
	OnNotification func(method string, params json.RawMessage)

	// OnMessage is called with the JSON text of every message, in order for each side, for tests
	// that print or check messages themselves. It must not call the client, nor retain or modify
	// the message.
	OnMessage func(fromServer bool, message json.RawMessage)

	// Timeout limits how long the test waits for the server before it fails; 0 means a minute. In a
	// testing/synctest bubble, the clock of the bubble applies.
	Timeout time.Duration
}

// RequestOption configures one request.
type RequestOption func(*requestOptions)

type requestOptions struct {
	meta     map[string]any
	progress func(mcpclient.Progress)
}

// WithMeta adds a value to the _meta of a request.
func WithMeta(key string, value any) RequestOption {
	return func(o *requestOptions) {
		if o.meta == nil {
			o.meta = map[string]any{}
		}
		o.meta[key] = value
	}
}

// WithProgress requests progress notifications. f is called with each, in order, and before the
// result of the request is returned. It must not call the client.
func WithProgress(f func(mcpclient.Progress)) RequestOption {
	return func(o *requestOptions) { o.progress = f }
}
