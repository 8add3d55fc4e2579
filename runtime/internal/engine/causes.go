package engine

import "errors"

// Causes with which the context of a handler ends, and errors of questions. See mcp.ErrCancelled and the
// others of the same names.
var (
	ErrCancelled        = errors.New("request cancelled by the client")
	ErrConnectionClosed = errors.New("connection closed")
	ErrTimeout          = errors.New("timed out")
	ErrNoAnswer         = errors.New("no answer from the client")
	ErrNoCall           = errors.New("the client can be asked only while a tool, prompt or resource request is in progress")
)
