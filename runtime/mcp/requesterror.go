package mcp

import "github.com/mcpgen/mcpgen/runtime/jsonrpc"

func invalidRequest(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + message}
}

func invalidParams(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: " + message}
}

func protocolError(e *jsonrpc.Error) *ProtocolError {
	return &ProtocolError{Code: e.Code, Message: e.Message, Data: e.Data}
}

func wrongParams(message string) *ProtocolError {
	return protocolError(invalidParams(message))
}

func notFound(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + method}
}
