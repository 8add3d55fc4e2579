package mcptest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Options say what the client is like. The zero value is one of the newest
// revision that can do nothing but ask.
type Options struct {
	// Revision is the one to speak, such as 2025-06-18; "" is the newest. Up to
	// 2025-11-25 a session is opened; from 2026-07-28 on each request carries what
	// the server must know.
	Revision string
	// Client is who the client says that it is; its Name is "mcptest" otherwise.
	Client mcp.ClientInfo
	// Context is the one that those of handlers derive from: values in it are seen
	// by them. Nil means that of the test, without its end.
	Context context.Context

	// Elicit answers forms and links. It declares that the client has both.
	Elicit func(context.Context, *Elicitation) ElicitAnswer
	// Sample answers requests for messages of a model. It declares that the client
	// samples, with tools and context. An error refuses: a session tells the server
	// so, and from revision 2026-07-28 on the request ends with [ErrRefused].
	Sample func(context.Context, *SampleRequest) (*SampleAnswer, error)
	// Roots are the client's roots. It declares that the client has some.
	Roots func() []mcp.Root
	// Capabilities are declared instead of what the functions imply. A nil value
	// takes a capability away.
	Capabilities map[string]any

	// LogLevel is from what level on the client wants log messages: debug, info,
	// notice, warning, error, critical, alert or emergency. "" leaves it to the
	// server: a session then gets some, and a client of revision 2026-07-28 none.
	LogLevel string
	// OnLog is told of log messages, in order; see also [Client.Logs]. It must not
	// call the client.
	OnLog func(LogMessage)
	// OnNotification is told of every notification of the server, in order, before
	// anything else is. It must not call the client.
	OnNotification func(method string, params json.RawMessage)

	// OnMessage sees every message as it travels, in order for each side: for a test
	// that wants to show them, or to know better than this package. It must not call
	// the client, nor keep or change the message.
	OnMessage func(fromServer bool, message json.RawMessage)

	// Timeout is how long the test waits for the server before it fails; 0 means a
	// minute. In a bubble of testing/synctest it is the time of the bubble.
	Timeout time.Duration
}

// RequestOption changes how a request is sent.
type RequestOption func(*requestOptions)

type requestOptions struct {
	meta     map[string]any
	progress func(Progress)
	// begun is told the identifier before the request is sent.
	begun func(id string)
}

// WithMeta puts a value into the _meta of a request.
func WithMeta(key string, value any) RequestOption {
	return func(o *requestOptions) {
		if o.meta == nil {
			o.meta = map[string]any{}
		}
		o.meta[key] = value
	}
}

// OnProgress asks for progress and is told of it, in order, and all of it before
// the request has its result. It must not call the client.
func OnProgress(f func(Progress)) RequestOption {
	return func(o *requestOptions) { o.progress = f }
}
