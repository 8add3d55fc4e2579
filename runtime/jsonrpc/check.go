package jsonrpc

import (
	"errors"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// check records an error of package wire in the value that begins at start: a duplicate key makes
// the message invalid, every other error is a parse error.
func (e *envelope) check(start int, err error) {
	text := err.Error()
	if s, ok := errors.AsType[*wire.SyntaxError](err); ok {
		text = s.Message
		start += s.Offset
	}
	if isDuplicate(err) {
		e.wrong(text)
		return
	}
	e.pos = start
	e.broken(text)
}

func isDuplicate(err error) bool {
	s, ok := errors.AsType[*wire.SyntaxError](err)
	return ok && s.Duplicate
}

// checkDeferred returns the error for params that are not strict JSON.
func checkDeferred(value []byte, maxDepth int) *Error {
	err := wire.Valid(value, maxDepth)
	if err == nil {
		return nil
	}
	return DeferredError(err)
}

// DeferredError returns the reply for err, an error of package wire in a member of params that
// [Parser.Deferred] left unchecked: -32700 for a syntax error, -32602 for a duplicate key.
func DeferredError(err error) *Error {
	code := CodeParse
	if isDuplicate(err) {
		code = CodeInvalidParams
	}
	return &Error{Code: code, Message: "arguments: " + err.Error()}
}
