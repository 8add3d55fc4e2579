package load

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
)

// parseMode is the mode in which source files are parsed.
const parseMode = parser.AllErrors | parser.ParseComments | parser.SkipObjectResolution

// parsedFiles contains the files that were parsed for their heads, so that go/packages need not
// parse them again. Only parse changes it.
type parsedFiles struct {
	fset  *token.FileSet
	files map[string]parsedFile
}

type parsedFile struct {
	src    []byte
	syntax *ast.File
}

func newParsedFiles() parsedFiles {
	return parsedFiles{token.NewFileSet(), map[string]parsedFile{}}
}

// parse parses a file.
func (p parsedFiles) parse(name string, src []byte) (*ast.File, error) {
	f, err := parser.ParseFile(p.fset, name, src, parseMode)
	if err != nil {
		return nil, err
	}
	p.files[name] = parsedFile{src, f}
	return f, nil
}

// of returns the syntax of a file with the content src, or nil if parse did not get it.
func (p parsedFiles) of(name string, src []byte) *ast.File {
	if known := p.files[name]; known.syntax != nil && bytes.Equal(known.src, src) {
		return known.syntax
	}
	return nil
}
