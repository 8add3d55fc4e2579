package cli

import (
	"bytes"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// almost matches a comment that may be meant as a directive: another name before the colon, another
// sign before the name, a dash. It does not match comments such as "MCP server of ...".
var almost = regexp.MustCompile(`(?i)^[ \t]*//[ \t]*[+@#]?(mcp|mcpgen|mcp-gen|go:mcp)[-:](tool|resource|prompt|server)\b`)

// misplaced looks, in a directory without directives, for a comment that is nearly a directive, or
// a directive in a test file. It returns nil if it finds none.
func misplaced(dir string) *diag.Diagnostic {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || e.IsDir() {
			continue
		}
		path := filepath.Join(dir, name)
		src, err := regularfile.Read(path)
		if err != nil {
			continue
		}
		test := strings.HasSuffix(name, "_test.go")
		for n, line := range slices.Collect(bytes.Lines(src)) {
			written := string(almost.Find(line))
			if written == "" {
				continue
			}
			text := strings.TrimLeft(written, " \t")
			d := &diag.Diagnostic{Pos: token.Position{Filename: path, Line: n + 1, Column: 1 + len(written) - len(text)}}
			if strings.HasPrefix(text, "//mcp:") {
				if !test {
					continue
				}
				d.Message, d.Hint = text+" is in a test file, which is not part of a server", "annotate functions of the package itself"
				return d
			}
			word := strings.ToLower(almost.FindStringSubmatch(written)[2])
			d.Message, d.Hint = text+" is not a directive", "write //mcp:"+word
			return d
		}
	}
	return nil
}
