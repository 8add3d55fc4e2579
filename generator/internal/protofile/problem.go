package protofile

import (
	"errors"
	"fmt"
	"go/token"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// Error is the reason why the descriptor of a message cannot be used.
type Error struct {
	Pos     token.Position // the place in the generated Go file, or the file of descriptors
	Message string         // in lower case, without a full stop
	Hint    string         // how to fix it; may be empty
	Related []diag.Related
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Diagnostic returns the error as a diagnostic about a feature or its part.
func (e *Error) Diagnostic(subject string) *diag.Diagnostic {
	return &diag.Diagnostic{Pos: e.Pos, Subject: subject, Message: e.Message, Hint: e.Hint, Related: e.Related}
}

// regenerate is the hint for generated code that does not agree with itself.
const regenerate = "generate the Go code again, with protoc-gen-go 1.31 or newer"

func problemf(pos token.Position, hint, format string, args ...any) *Error {
	return &Error{Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// problemOf returns the [Error] in err, or makes one at a position.
func problemOf(err error, pos token.Position, hint, format string, args ...any) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	e := problemf(pos, hint, format, args...)
	e.Message += ": " + err.Error()
	return e
}

func (e *Error) relate(pos token.Position, message string) {
	e.Related = append(e.Related, diag.Related{Pos: pos, Message: message})
}
