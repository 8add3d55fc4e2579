package load

import (
	"errors"
	"go/ast"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
)

// position reads "file:line:column", as go/packages writes it. For "-" and "" it returns the zero
// position.
func position(s string) token.Position {
	if s == "-" {
		return token.Position{}
	}
	name, column, ok := cutNumber(s)
	if !ok {
		return token.Position{Filename: s}
	}
	if file, line, ok := cutNumber(name); ok {
		return token.Position{Filename: file, Line: line, Column: column}
	}
	return token.Position{Filename: name, Line: column}
}

func cutNumber(s string) (before string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil
}

// splitError returns the position and message of a parser's first error.
func splitError(err error) (token.Position, string) {
	if list, ok := errors.AsType[scanner.ErrorList](err); ok && len(list) > 0 {
		return list[0].Pos, list[0].Msg
	}
	return token.Position{}, err.Error()
}

// importPath returns the path of an import, or "" if it is malformed.
func importPath(spec *ast.ImportSpec) string {
	path, _ := strconv.Unquote(spec.Path.Value)
	return path
}
