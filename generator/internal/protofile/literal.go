package protofile

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// literalError is an expression that no version of protoc-gen-go writes.
type literalError struct {
	at  token.Pos
	err error
}

func (e *literalError) Error() string { return e.err.Error() }
func (e *literalError) Unwrap() error { return e.err }

// bytesOf returns the bytes that an expression consists of:
//
//	"\n" + "\x0bshop"            protoc-gen-go 1.36.6 and newer
//	string([]byte{0x0a, 0x0b})   protoc-gen-go 1.36.4 and 1.36.5
//	[]byte{0x0a, 0x0b}           older ones
//
// Errors are of type *literalError. It evaluates no names: a constant elsewhere is an error.
func bytesOf(x ast.Expr) ([]byte, error) {
	parts, err := operands(x)
	if err != nil {
		return nil, err
	}
	var data []byte
	for _, part := range parts {
		switch part := part.(type) {
		case *ast.BasicLit:
			if part.Kind != token.STRING {
				return nil, badLiteral(part, "is not a string")
			}
			text, err := strconv.Unquote(part.Value)
			if err != nil {
				return nil, &literalError{part.Pos(), fmt.Errorf("read string: %w", err)}
			}
			data = append(data, text...)
		case *ast.CompositeLit:
			if data, err = appendElements(data, part); err != nil {
				return nil, err
			}
		}
	}
	return data, nil
}

// operands returns the literals of a concatenation in order. The concatenation of a large file is
// thousands of levels deep on its left, so operands follows that side without recursion.
func operands(x ast.Expr) ([]ast.Expr, error) {
	var reversed []ast.Expr
	for {
		sum, ok := ast.Unparen(x).(*ast.BinaryExpr)
		if !ok {
			break
		}
		if sum.Op != token.ADD {
			return nil, badLiteral(sum, "is not a concatenation")
		}
		last, err := operand(sum.Y)
		if err != nil {
			return nil, err
		}
		if _, ok := last.(*ast.BasicLit); !ok {
			return nil, badLiteral(sum.Y, "is not a string")
		}
		reversed = append(reversed, last)
		x = sum.X
	}
	first, err := operand(x)
	if err != nil {
		return nil, err
	}
	if _, ok := first.(*ast.BasicLit); !ok && len(reversed) > 0 {
		return nil, badLiteral(x, "is not a string")
	}
	reversed = append(reversed, first)
	slices.Reverse(reversed)
	return reversed, nil
}

// operand returns the literal in at most one conversion.
func operand(x ast.Expr) (ast.Expr, error) {
	x = ast.Unparen(x)
	if call, ok := x.(*ast.CallExpr); ok {
		if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "string" || len(call.Args) != 1 {
			return nil, badLiteral(x, "is not a conversion to string")
		}
		if x = ast.Unparen(call.Args[0]); !isByteList(x) {
			return nil, badLiteral(x, "is not a []byte{...}")
		}
		return x, nil
	}
	if _, ok := x.(*ast.BasicLit); ok || isByteList(x) {
		return x, nil
	}
	return nil, badLiteral(x, "is neither a string nor a []byte{...}")
}

func isByteList(x ast.Expr) bool {
	list, ok := x.(*ast.CompositeLit)
	if !ok {
		return false
	}
	array, ok := list.Type.(*ast.ArrayType)
	if !ok || array.Len != nil {
		return false
	}
	elem, ok := array.Elt.(*ast.Ident)
	return ok && (elem.Name == "byte" || elem.Name == "uint8")
}

func appendElements(data []byte, list *ast.CompositeLit) ([]byte, error) {
	data = slices.Grow(data, len(list.Elts))
	for _, elt := range list.Elts {
		number, ok := elt.(*ast.BasicLit)
		if !ok || number.Kind != token.INT {
			return nil, badLiteral(elt, "is not a number")
		}
		v, err := strconv.ParseUint(number.Value, 0, 8)
		if err != nil {
			return nil, badLiteral(elt, "is not a byte")
		}
		data = append(data, byte(v))
	}
	return data, nil
}

func badLiteral(x ast.Expr, why string) error {
	return &literalError{x.Pos(), errors.New("an element " + why)}
}
