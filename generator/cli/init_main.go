package cli

import (
	"bytes"
	"cmp"
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
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// programName returns the name of a program that serves the package.
func (i *initCommand) programName() string { return i.serverName() + "-mcp" }

// serverName returns the last element of the import path that is not generic.
func (i *initCommand) serverName() string { return model.ServerName(i.pkg.Path) }

// mainDir returns the directory of the program: cmd/NAME-mcp of the module, or, for an internal
// package, the highest directory that may import it.
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

// findMain returns the directory of a program in the module that serves the package, or "".
func (i *initCommand) findMain() string {
	if i.served != "" {
		return i.served
	}
	_ = filepath.WalkDir(i.root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // an unreadable file is not a program
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

// serves reports whether a file of package main calls a generated function of a package.
func serves(name, pkg string) bool {
	src, err := regularfile.Read(name)
	if err != nil || !bytes.Contains(src, []byte(strconv.Quote(pkg))) ||
		!bytes.Contains(src, []byte(".NewMCPServer(")) && !bytes.Contains(src, []byte(".RegisterMCP(")) {
		return false
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
	return err == nil && file.Name.Name == "main"
}

// planMain plans the program, if it is requested and does not exist.
func (i *initCommand) planMain(asked bool) *diag.Diagnostic {
	switch {
	case !asked:
		i.findMain()
		return nil
	case i.findMain() != "":
		i.noteAuth()
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

// noteAuth prints how to change a program that exists already.
func (i *initCommand) noteAuth() {
	if !i.auth {
		return
	}
	names, _ := filepath.Glob(filepath.Join(escapeGlob(i.served), "*.go"))
	for _, name := range names {
		if src, err := regularfile.Read(name); err == nil && bytes.Contains(src, []byte("mcpauth.Flags()")) {
			return
		}
	}
	i.c.noteln("-auth: %s is there already, and is left as it is\n\thint: pass mcpauth.Flags() to mcpcmd.Main or MainFunc there, or to mcpcmd.WithFlags if it has flags of its own, with the import %s",
		i.c.relative(i.served), authPath)
}

// authPath is the package that declares mcpauth.Flags.
const authPath = "github.com/mcpgen/mcpgen/runtime/mcpauth"

// mainSource returns the source of the program. It makes the receivers like mcpgen run, with
// functions that need no further values. Receivers and constructors may come from packages whose
// features are emitted here.
func (i *initCommand) mainSource() (string, *diag.Diagnostic) {
	imports := &mainImports{names: map[string]string{}}
	name := imports.name(i.pkg.Types)
	var body bytes.Buffer
	var args, done []string
	made, context := false, "_" // by a constructor, which may take a context
	for _, r := range i.model.Receivers {
		c := r.Constructor
		if why := i.unreachable(r); why != "" {
			return "", i.unmade(r, why)
		}
		variable := r.Param
		if slices.Contains(mainNames, variable) || imports.uses(variable) || i.namesPackage(variable) {
			variable += "Receiver"
		}
		if c == nil {
			pkg := i.packageOf(r.Pkg)
			if types.IsInterface(r.Type) {
				return "", i.unmade(r, "is an interface")
			}
			if pkg.Scope().Lookup("New"+r.TypeName) != nil {
				return "", i.unmade(r, "is made by New"+r.TypeName+", which needs arguments")
			}
			args = append(args, fmt.Sprintf("new(%s.%s)", imports.name(pkg), r.TypeName))
			continue
		}
		made = true
		results, given := []string{variable}, ""
		if c.Cleanup {
			results = append(results, variable+"Done")
		}
		if c.Error {
			results = append(results, "err")
		}
		if c.Context {
			context, given = "ctx", "ctx"
		}
		fmt.Fprintf(&body, "%s := %s.%s(%s)\n", strings.Join(results, ", "), imports.name(i.packageOf(c.Pkg)), c.Func, given)
		if c.Error {
			body.WriteString("if err != nil {\n")
			for _, name := range slices.Backward(done) {
				body.WriteString(name + "()\n")
			}
			body.WriteString("return nil, nil, err\n}\n")
		}
		if c.Cleanup {
			done = append(done, variable+"Done")
		}
		if c.Addr {
			variable = "&" + variable
		}
		args = append(args, variable)
	}
	std, own, more := "", "", ""
	if i.auth {
		own = strconv.Quote(authPath) + "\n"
		more = ", mcpauth.Flags()"
	}
	server := fmt.Sprintf("%s.NewMCPServer(%s)", name, strings.Join(args, ", "))
	text := fmt.Sprintf("func main() {\nmcpcmd.Main(%s%s)\n}\n", server, more)
	if made {
		std = "\"context\"\n"
		own = "\"github.com/mcpgen/mcpgen/runtime/mcp\"\n" + own
		text = fmt.Sprintf(`func main() {
mcpcmd.MainFunc(newServer, mcpcmd.WithServerInfo(%s)%s)
}

// newServer makes what the server needs. It is called to serve alone, not for help, the version
// and commands such as install.
func newServer(%s context.Context) (*mcp.Server, func(), error) {
%sreturn %s, %s, nil
}
`, i.serverInfo(), more, context, body.Bytes(), server, closing(done))
	}
	text = fmt.Sprintf(`// %s serves package %s to clients of the Model Context Protocol.
package main

import (
%s
%s"github.com/mcpgen/mcpgen/runtime/mcpcmd"
_ "github.com/mcpgen/mcpgen/runtime/mcpstdout" // what packages print does not reach the protocol

%s
)

%s`, upperFirst(i.programName()), i.pkg.Name, std, own, strings.Join(imports.specs, "\n"), text)
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return "", &diag.Diagnostic{Message: fmt.Sprintf("-main: format program: %v", err)}
	}
	return string(formatted), nil
}

// mainNames are the names in the program that a variable for a receiver cannot use.
var mainNames = []string{"context", "ctx", "err", "mcp", "mcpauth", "mcpcmd", "newServer"}

// closing returns the function that calls the cleanup functions of constructors, the last first.
func closing(done []string) string {
	switch len(done) {
	case 0:
		return "nil"
	case 1:
		return done[0]
	}
	var b strings.Builder
	b.WriteString("func() {\n")
	for _, name := range slices.Backward(done) {
		b.WriteString(name + "()\n")
	}
	return b.String() + "}"
}

// serverInfo returns the program's description of the server, which does not require making it.
func (i *initCommand) serverInfo() string {
	name, version, title := i.serverName(), "", ""
	if s := i.model.Server; s != nil {
		name, version, title = cmp.Or(s.Name, name), s.Version, s.Title
	}
	info := "mcp.ServerInfo{Name: " + strconv.Quote(name)
	if title != "" {
		info += ", Title: " + strconv.Quote(title)
	}
	if version != "" {
		info += ", Version: " + strconv.Quote(version)
	}
	return info + "}"
}

// packageOf returns a package of the model, in which nil is the package that is generated for.
func (i *initCommand) packageOf(pkg *types.Package) *types.Package {
	if pkg == nil {
		return i.pkg.Types
	}
	return pkg
}

// namesPackage reports whether the program may import a package by that name.
func (i *initCommand) namesPackage(name string) bool {
	if name == i.pkg.Types.Name() {
		return true
	}
	for _, r := range i.model.Receivers {
		if i.packageOf(r.Pkg).Name() == name || r.Constructor != nil && i.packageOf(r.Constructor.Pkg).Name() == name {
			return true
		}
	}
	return false
}

// unreachable returns the reason why the program cannot make a receiver, or "" if it can.
func (i *initCommand) unreachable(r *model.Receiver) string {
	pkg, exported := i.packageOf(r.Pkg), ast.IsExported(r.TypeName)
	if r.Constructor != nil {
		// The program need not name the type.
		pkg, exported = i.packageOf(r.Constructor.Pkg), ast.IsExported(r.Constructor.Func)
	}
	main := i.pkg.Module
	if rel, err := filepath.Rel(i.root, i.mainDir()); err == nil {
		main = path.Join(main, filepath.ToSlash(rel))
	}
	switch {
	case !exported:
		return "is made inside of its package alone"
	case !schema.Importable(main, pkg.Path()):
		return "is made by package " + pkg.Path() + ", which the program cannot import"
	case pkg.Name() == "main":
		return "is made by package main"
	}
	return ""
}

// mainImports are the imports of the program.
type mainImports struct {
	names map[string]string // by import path
	specs []string
}

// name returns the name by which a package is imported.
func (m *mainImports) name(pkg *types.Package) string {
	if name, ok := m.names[pkg.Path()]; ok {
		return name
	}
	name := pkg.Name()
	if slices.Contains(mainNames, name) {
		name = "target"
	}
	for n := 2; m.uses(name); n++ {
		name = pkg.Name() + strconv.Itoa(n)
	}
	spec := strconv.Quote(pkg.Path())
	if name != path.Base(pkg.Path()) {
		spec = name + " " + spec
	}
	m.names[pkg.Path()] = name
	m.specs = append(m.specs, spec)
	return name
}

// uses reports whether a package is imported under a name.
func (m *mainImports) uses(name string) bool {
	for _, other := range m.names {
		if other == name {
			return true
		}
	}
	return slices.Contains(mainNames, name)
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (i *initCommand) unmade(r *model.Receiver, why string) *diag.Diagnostic {
	return &diag.Diagnostic{
		Pos: r.Pos, Message: fmt.Sprintf("-main: no program can be written, as %s %s", r.TypeName, why),
		Hint: fmt.Sprintf("write it yourself, with mcpcmd.Main(%s.NewMCPServer(...)); or put //mcp:constructor on an exported function without parameters", i.pkg.Name),
	}
}
