//lint:file-ignore SA1019 Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be served.

//nolint:staticcheck // Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be served.
package gosdk

import (
	"context"
	encoding "encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	ours "github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// client is the client of a request. It implements bridge.Client.
type client struct {
	session *sdk.ServerSession
	token   any // for progress; nil if the request asks for none
}

// clientOf returns the client of a request with the given params.
func clientOf(ss *sdk.ServerSession, params sdk.RequestParams) *client {
	return &client{ss, params.GetProgressToken()}
}

// Notify sends progress and log messages. Messages that cannot be sent are lost, as in the SDK.
func (c *client) Notify(ctx context.Context, method string, params encoding.RawMessage) {
	switch method {
	case protocol.Progress:
		p := new(sdk.ProgressNotificationParams)
		if encoding.Unmarshal(params, p) == nil && c.token != nil {
			p.ProgressToken = c.token
			_ = c.session.NotifyProgress(ctx, p)
		}
	case protocol.LogMessage:
		var l struct {
			Level  sdk.LoggingLevel
			Logger string
			Data   encoding.RawMessage
		}
		if encoding.Unmarshal(params, &l) == nil {
			_ = c.session.Log(ctx, &sdk.LoggingMessageParams{Level: l.Level, Logger: l.Logger, Data: l.Data})
		}
	}
}

// Ask sends the client a request of the session.
func (c *client) Ask(ctx context.Context, method string, params encoding.RawMessage) (encoding.RawMessage, error) {
	result, err := c.ask(ctx, method, params)
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return nil, &ours.Error{Code: int(e.Code), Message: e.Message, Data: e.Data}
	}
	if err != nil {
		return nil, err
	}
	return encoding.Marshal(result)
}

func (c *client) ask(ctx context.Context, method string, params encoding.RawMessage) (any, error) {
	switch method {
	case "elicitation/create":
		p := new(sdk.ElicitParams)
		if err := encoding.Unmarshal(params, p); err != nil {
			return nil, err
		}
		keepSchema(p, params)
		return c.session.Elicit(ctx, p)
	case "sampling/createMessage":
		p := new(sdk.CreateMessageWithToolsParams)
		if err := encoding.Unmarshal(params, p); err != nil {
			return nil, err
		}
		return c.session.CreateMessageWithTools(ctx, p)
	case "roots/list":
		return c.session.ListRoots(ctx, nil)
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + method}
}

// notified passes on a notification that belongs to no request.
func (h *host) notified(ss *sdk.ServerSession, method string, params json) {
	switch method {
	case protocol.ResourceUpdated:
		if uri := uriOf(params); uri != "" {
			h.updates.add(uri)
		}
	case protocol.ElicitationComplete:
		p := new(sdk.ElicitationCompleteParams)
		if encoding.Unmarshal(params, p) == nil {
			_ = ss.NotifyElicitationComplete(context.Background(), p)
		}
	}
}

// uriOf returns the URI in params, or "".
func uriOf(params json) (uri string) {
	ours.Members(params, func(name, value []byte) bool {
		if string(name) == "uri" {
			uri, _ = ours.String(value)
		}
		return true
	})
	return uri
}
