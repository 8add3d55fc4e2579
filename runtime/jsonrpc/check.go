package jsonrpc

import (
	"errors"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// check takes down what package wire found wrong with the value that begins at
// start: a key that comes twice is a matter of the message, everything else is
// not JSON.
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

// checkDeferred is the error for params that are not strict JSON.
func checkDeferred(value []byte, maxDepth int) *Error {
	err := wire.Valid(value, maxDepth)
	if err == nil {
		return nil
	}
	return DeferredError(err)
}

// DeferredError is the reply to a member of params that was left unchecked and
// that its reader has refused with err, an error of package wire: -32700 for
// what is not JSON, -32602 for a key that comes twice.
func DeferredError(err error) *Error {
	code := CodeParse
	if isDuplicate(err) {
		code = CodeInvalidParams
	}
	return &Error{Code: code, Message: "arguments: " + err.Error()}
}
