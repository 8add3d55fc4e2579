package jsonrpc

import (
	"encoding/json"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func appendString(b []byte, s string) []byte { return wire.AppendString(b, s) }

// AppendResultPrefix appends the beginning of a successful reply: everything before the result. The
// caller appends the result and a closing brace.
func AppendResultPrefix(b []byte, id ID) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id.raw...)
	return append(b, `,"result":`...)
}

// AppendResult appends a successful reply. The result is valid JSON without newlines.
func AppendResult(b []byte, id ID, result json.RawMessage) []byte {
	b = AppendResultPrefix(b, id)
	b = append(b, result...)
	return append(b, '}')
}

// AppendError appends the reply e to a request. The zero id is left out; pass [Null] to write null.
func AppendError(b []byte, id ID, e *Error) []byte {
	b = append(b, `{"jsonrpc":"2.0",`...)
	if len(id.raw) > 0 {
		b = append(b, `"id":`...)
		b = append(b, id.raw...)
		b = append(b, ',')
	}
	b = append(b, `"error":{"code":`...)
	b = strconv.AppendInt(b, int64(e.Code), 10)
	b = append(b, `,"message":`...)
	b = appendString(b, e.Message)
	if len(e.Data) > 0 {
		b = append(b, `,"data":`...)
		b = append(b, e.Data...)
	}
	return append(b, "}}"...)
}

// AppendRequest appends a request. Nil params are left out.
func AppendRequest(b []byte, id ID, method string, params json.RawMessage) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id.raw...)
	b = append(b, ',')
	return appendCall(b, method, params)
}

// AppendNotification appends a notification. Nil params are left out.
func AppendNotification(b []byte, method string, params json.RawMessage) []byte {
	return appendCall(append(b, `{"jsonrpc":"2.0",`...), method, params)
}

func appendCall(b []byte, method string, params json.RawMessage) []byte {
	b = append(b, `"method":`...)
	b = appendString(b, method)
	if len(params) > 0 {
		b = append(b, `,"params":`...)
		b = append(b, params...)
	}
	return append(b, '}')
}
