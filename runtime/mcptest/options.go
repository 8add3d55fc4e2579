package mcptest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// Options configure a client. The zero value is a client of the newest revision without
// capabilities.
type Options struct {
	// Revision is the protocol revision, such as 2025-06-18; "" is the newest. Up to
	// 2025-11-25 the client opens a session; from 2026-07-28 on each request carries
	// version, client and capabilities.
	Revision string
	// Client is the client's name and version; the default Name is "mcptest".
	Client mcp.ClientInfo
	// Context is the parent of the handlers' contexts, which have its values. Nil means
	// the context of the test, without its cancellation.
	Context context.Context
	// Principal is who calls, as a transport with authentication finds out: handlers get it by
	// Call.Principal, and its Access decides which features exist. The connection ends at
	// Expires. The zero value leaves a principal of Context, where [mcp.CallerContext] has
	// set one.
	Principal mcp.Principal

	// Elicit answers forms and links. It declares that the client has both.
	Elicit func(context.Context, *mcpclient.Elicitation) mcpclient.ElicitAnswer
	// Sample answers requests for messages of a model. It declares that the client
	// samples, with tools and context. An error refuses the request: in a session the
	// server gets an error, and from revision 2026-07-28 on the client's request ends
	// with [ErrRefused].
	Sample func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error)
	// Roots are the client's roots. It declares the capability.
	Roots func() []mcp.Root
	// Capabilities override the ones that the functions imply. A nil value removes a
	// capability.
	Capabilities map[string]any

	// LogLevel is the lowest level of log messages that the client gets: debug, info,
	// notice, warning, error, critical, alert or emergency. With "" the server decides:
	// a session then gets messages from its default level on, a client of revision
	// 2026-07-28 gets no messages.
	LogLevel string
	// OnLog is called with each log message, in order; see also [Client.Logs]. It must
	// not call the client.
	OnLog func(mcpclient.LogMessage)
	// OnNotification is called with every notification of the server, in order, before
	// any other use of it. It must not call the client.
	OnNotification func(method string, params json.RawMessage)

	// OnMessage is called with the JSON text of every message, in order for each side,
	// for tests that print or check messages themselves. It must not call the client,
	// nor retain or change the message.
	OnMessage func(fromServer bool, message json.RawMessage)

	// Timeout is how long the test waits for the server before it fails; 0 means a
	// minute. In a bubble of testing/synctest it is the time of the bubble.
	Timeout time.Duration
}

// RequestOption changes how a request is sent.
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

// WithProgress requests progress notifications. f is called with each, in order, and
// before the result of the request is returned. It must not call the client.
func WithProgress(f func(mcpclient.Progress)) RequestOption {
	return func(o *requestOptions) { o.progress = f }
}
