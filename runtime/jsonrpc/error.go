package jsonrpc

import (
	"encoding/json"
	"strconv"
)

// The error codes of JSON-RPC 2.0, section 5.1.
const (
	CodeParse          = -32700 // the message is not JSON
	CodeInvalidRequest = -32600 // JSON, but not a request
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
)

// Error is the error member of a reply.
type Error struct {
	Code    int
	Message string
	Data    json.RawMessage // valid JSON without newlines, or nil
}

// Error returns the code and the message.
func (e *Error) Error() string {
	return e.Message + " (" + strconv.Itoa(e.Code) + ")"
}

// Is reports whether target is an *Error with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}
