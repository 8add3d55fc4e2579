package engine

import "github.com/mcpgen/mcpgen/runtime/jsonrpc"

func invalidRequest(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + message}
}

// InvalidParams returns the error for parameters that are not valid.
func InvalidParams(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: " + message}
}

// NotFound returns the error for a method that the server does not support.
func NotFound(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + method}
}
