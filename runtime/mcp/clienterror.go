package mcp

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// ErrNoAnswer means that the client has not answered a question within [Limits.QuestionTime].
var ErrNoAnswer error = &engine.NoAnswer

// ClientError is the error that a client sends as the answer to a question. The code -1 means that
// the user has refused (client/sampling, errors).
type ClientError struct {
	Code    int
	Message string
	Data    json.RawMessage // may be nil
}

// Error returns message and code.
func (e *ClientError) Error() string {
	return "the client answered with an error: " + e.Message + " (" + strconv.Itoa(e.Code) + ")"
}

func readClientError(object []byte) *ClientError {
	e := &ClientError{Code: jsonrpc.CodeInternal, Message: "no message"}
	jsonrpc.Members(object, func(name, value []byte) bool {
		switch string(name) {
		case "code":
			if n, err := strconv.Atoi(string(value)); err == nil {
				e.Code = n
			}
		case "message":
			if text, ok := jsonrpc.String(value); ok {
				e.Message = text
			}
		case "data":
			e.Data = append(json.RawMessage(nil), value...)
		}
		return true
	})
	return e
}

// sendRequest sends a request that belongs to x and waits for the answer. The clock of the handler
// is paused meanwhile.
func (x *exchange) sendRequest(ctx context.Context, method string, params []byte) (json.RawMessage, error) {
	defer x.PauseClock()()
	if hooks := x.conn.server.questionHooks; len(hooks) > 0 {
		return withHooks(ctx, hooks, method, params, func(q *SentQuestion, params []byte) (json.RawMessage, error) {
			return x.sendAndWait(ctx, method, params, func(id jsonrpc.ID) { q.ID = id.String() })
		})
	}
	return x.sendAndWait(ctx, method, params, nil)
}

// sendAndWait sends a request. sent, which may be nil, gets its id.
func (x *exchange) sendAndWait(ctx context.Context, method string, params []byte, sent func(jsonrpc.ID)) (json.RawMessage, error) {
	result, failure, err := x.RoundTrip(ctx, method, params, sent)
	if failure != nil {
		return nil, readClientError(failure)
	}
	return result, engineError(err)
}
