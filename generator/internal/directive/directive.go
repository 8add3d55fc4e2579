// Package directive reads the //mcp: directives of Go source files.
//
// One table ([Table]) contains every directive with its keys, its targets and whether it is built;
// the parser, the help of the command and the reference in docs use it. The namespace is closed: a
// comment that begins with "mcp:", in any spelling, is either a correct directive in its place or a
// diagnostic.
package directive

import (
	"go/ast"
	"go/token"
)

// Target is a kind of declaration that a directive applies to.
type Target int

const (
	Package         Target = iota // the package comment
	Func                          // a function
	Method                        // a method
	InterfaceMethod               // a method of an interface type
	Type                          // a type declaration
	Var                           // a variable at package level
	Const                         // a constant at package level
	Field                         // a field of a struct type
	Param                         // a parameter or result in a signature: no directive applies to it
	VarGroup                      // variables in parentheses
)

// Directive is one //mcp: comment. Its arguments have been checked against the table, so that the
// accessors need not report errors.
type Directive struct {
	Word string         // "tool"
	Pos  token.Position // position of the comment
	Args []Arg          // in order; empty if the rest of the line is Text
	// Text is the rest of the line of doc, error and schema, without white space around it.
	Text    string
	TextPos token.Position // position of its first byte, or of the end of the line
	// Group contains the arguments of the directive above the group that contains the variable.
	// Arguments in Args take precedence.
	Group []Arg
	// Far is set on an //mcp:arg of another declaration than the feature's. It has no effect if the
	// feature lacks the argument.
	Far bool
}

// Arg is one argument of a directive.
type Arg struct {
	// Key is the part before =, or the flag itself (readonly). It is empty for a positional
	// argument.
	Key string
	// Value is the value without its quotes. The value of a flag is "true" or "false".
	Value string
	Pos   token.Position // position of the argument
	// ValuePos is the position of the value, at its opening quote if it is quoted. For a flag
	// without a value it equals Pos.
	ValuePos token.Position
	// Bare is set for positional arguments: words and "quoted strings".
	Bare bool
	// Quoted is set if the value was one Go string literal, "..." or `...`.
	Quoted bool
	// Far is set if the argument is in the directive of another declaration than the feature's.
	Far bool

	raw string // the value as written, quotes included
}

// Set contains the directives of one declaration.
type Set struct {
	Directives []*Directive // in order of the source; never empty
	Doc        *ast.CommentGroup
	File       *ast.File
	// Node is the declaration: *ast.File, *ast.FuncDecl, *ast.TypeSpec, *ast.ValueSpec or
	// *ast.Field (fields, interface methods). Groups have no set: their directives are in the sets
	// of their members.
	Node   ast.Node
	Target Target
	// Name is the declared identifier, the first one if a spec or field declares several (see Node
	// for the others). For a package it is the package name, and for _ = db.GetBook it is GetBook.
	Name string
	// Parent is the type declaration around a field or an interface method. It is nil if that type
	// has no name, or for other targets.
	Parent *ast.TypeSpec
	// Symbol is Name for people: Search, (*Store).Search, Catalog.Find, Book.Title.
	Symbol string
	Pos    token.Position // position of the identifier
	// Damaged is set if a directive could not be read, so that nothing can be concluded from its
	// absence.
	Damaged bool
}

// Get returns the first directive with the word, or nil.
func (s *Set) Get(word string) *Directive {
	for _, d := range s.Directives {
		if d.Word == word {
			return d
		}
	}
	return nil
}

// All returns the directives with the word, in order.
func (s *Set) All(word string) []*Directive {
	var all []*Directive
	for _, d := range s.Directives {
		if d.Word == word {
			all = append(all, d)
		}
	}
	return all
}
