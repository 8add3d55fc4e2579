package mcp

import "errors"

// Causes with which the context of a handler ends, and errors of questions. See mcp.ErrCancelled and the
// others of the same names.
var (
	errCancelled        = errors.New("request cancelled by the client")
	errConnectionClosed = errors.New("connection closed")
	errTimeout          = errors.New("timed out")
	errNoAnswer         = errors.New("no answer from the client")
	errNoCall           = errors.New("the client can be asked only while a tool, prompt or resource request is in progress")
)
