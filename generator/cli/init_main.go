package cli

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// programName is what a program that serves the package is called.
func (i *initCommand) programName() string { return i.serverName() + "-mcp" }

// serverName is the last element of the import path that is not generic.
func (i *initCommand) serverName() string { return model.ServerName(i.pkg.Path) }

// mainDir is the directory of the program: cmd/NAME-mcp of the module, or as high
// up as an internal package lets itself be imported from.
func (i *initCommand) mainDir() string {
	base := i.root
	if rel, err := filepath.Rel(i.root, i.pkg.Dir); err == nil {
		elements := strings.Split(filepath.ToSlash(rel), "/")
		for n, element := range elements {
			if element == "internal" {
				base = filepath.Join(append([]string{i.root}, elements[:n]...)...)
			}
		}
	}
	return filepath.Join(base, "cmd", i.programName())
}

// findMain returns the directory of a program of the module that serves the
// package, "" if there is none.
func (i *initCommand) findMain() string {
	if i.served != "" {
		return i.served
	}
	_ = filepath.WalkDir(i.root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be read is not a program
		case d.IsDir():
			base := d.Name()
			if name == i.root {
				return nil
			}
			if base == "vendor" || base == "testdata" || base == "node_modules" || base[0] == '.' || base[0] == '_' {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
				return fs.SkipDir
			}
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && serves(name, i.pkg.Path):
			i.served = filepath.Dir(name)
			return fs.SkipAll
		}
		return nil
	})
	return i.served
}

// serves reports whether a file of package main calls what is generated for a package.
func serves(name, pkg string) bool {
	src, err := regularfile.Read(name)
	if err != nil || !bytes.Contains(src, []byte(strconv.Quote(pkg))) ||
		!bytes.Contains(src, []byte(".NewMCPServer(")) && !bytes.Contains(src, []byte(".RegisterMCP(")) {
		return false
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
	return err == nil && file.Name.Name == "main"
}

// planMain plans the program, if one is asked for and there is none.
func (i *initCommand) planMain(asked bool) *diag.Diagnostic {
	switch {
	case i.findMain() != "" || !asked:
		return nil
	case i.model.Main:
		return &diag.Diagnostic{
			Message: "-main: package main is a program itself",
			Hint:    "call mcpcmd.Main(NewMCPServer(...)) in its func main, with the import github.com/mcpgen/mcpgen/runtime/mcpcmd",
		}
	case i.model.NotEmitted:
		return &diag.Diagnostic{
			Message: "-main: the features of the package are published by another one (//mcp:defaults emit=none)",
			Hint:    "name the directory of the package with //mcp:from",
		}
	}
	dir := i.mainDir()
	target := filepath.Join(dir, "main.go")
	if names, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "*.go")); len(names) > 0 {
		return &diag.Diagnostic{
			Message: fmt.Sprintf("-main: %s is there already, and does not serve package %s", i.c.relative(names[0]), i.pkg.Name),
			Hint:    fmt.Sprintf("call mcpcmd.Main(%s.NewMCPServer(...)) there, or move it away", i.pkg.Name),
		}
	}
	text, d := i.mainSource()
	if d != nil {
		return d
	}
	i.files = append(i.files, newFile{target, text, "serves package " + i.pkg.Name})
	i.served = dir
	return nil
}

// mainSource is the program. It makes the receivers as mcpgen run does, by
// functions that need nothing to be given.
func (i *initCommand) mainSource() (string, *diag.Diagnostic) {
	name := i.pkg.Name
	spec := strconv.Quote(i.pkg.Path)
	if name == "mcpcmd" || name == "log" || name == "context" {
		name = "target"
	}
	if name != path.Base(i.pkg.Path) {
		spec = name + " " + spec
	}
	var body bytes.Buffer
	var args, options []string
	var fails, asksContext bool
	for _, r := range i.model.Receivers {
		made := r.Param
		if made == name || made == "mcpcmd" || made == "log" || made == "context" || made == "err" {
			made += "Receiver"
		}
		if r.Pkg != nil || !ast.IsExported(r.TypeName) || r.Constructor != nil && !ast.IsExported(r.Constructor.Func) {
			return "", i.unmade(r, "is made inside of its package alone")
		}
		c := r.Constructor
		if c == nil {
			if types.IsInterface(r.Type) {
				return "", i.unmade(r, "is an interface")
			}
			if i.pkg.Types.Scope().Lookup("New"+r.TypeName) != nil {
				return "", i.unmade(r, "is made by New"+r.TypeName+", which needs arguments")
			}
			args = append(args, fmt.Sprintf("new(%s.%s)", name, r.TypeName))
			continue
		}
		results, given := []string{made}, ""
		if c.Cleanup {
			results = append(results, made+"Done")
			options = append(options, fmt.Sprintf("mcpcmd.WithCleanup(%sDone)", made))
		}
		if c.Error {
			results = append(results, "err")
			fails = true
		}
		if c.Context {
			asksContext, given = true, "context.Background()"
		}
		fmt.Fprintf(&body, "%s := %s.%s(%s)\n", strings.Join(results, ", "), name, c.Func, given)
		if c.Error {
			body.WriteString("if err != nil {\nlog.Fatal(err)\n}\n")
		}
		if c.Addr {
			made = "&" + made
		}
		args = append(args, made)
	}
	var std string
	if asksContext {
		std += "\"context\"\n"
	}
	if fails {
		std += "\"log\"\n"
	}
	call := strings.Join(append([]string{fmt.Sprintf("%s.NewMCPServer(%s)", name, strings.Join(args, ", "))}, options...), ", ")
	text := fmt.Sprintf(`// %s serves package %s to clients of the Model Context Protocol.
package main

import (
%s
"github.com/mcpgen/mcpgen/runtime/mcpcmd"

%s
)

func main() {
%smcpcmd.Main(%s)
}
`, upperFirst(i.programName()), i.pkg.Name, std, spec, body.Bytes(), call)
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return "", &diag.Diagnostic{Message: fmt.Sprintf("-main: format program: %v", err)}
	}
	return string(formatted), nil
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (i *initCommand) unmade(r *model.Receiver, why string) *diag.Diagnostic {
	return &diag.Diagnostic{
		Pos: r.Pos, Message: fmt.Sprintf("-main: no program can be written, as %s %s", r.TypeName, why),
		Hint: fmt.Sprintf("write it yourself, with mcpcmd.Main(%s.NewMCPServer(...)); or put //mcp:constructor on an exported function without parameters", i.pkg.Name),
	}
}
