package emit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// The tests of this package make their models from Go source themselves, so that they test emit
// independently of the analysis. The source contains directives of a simpler kind:
//
//	//mcp:tool NAME [errors=declared] [maxresult=N] [timeout=D] [lenient] [groups=a,b]
//	//mcp:arg NAME key=value;key=value     as in the tag t of a struct field
//	//mcp:inject, //mcp:error [TEXT], //mcp:server NAME
//	//mcp:omit NAME                        a parameter that is omitted
//
// The keys are keywords, such as minLength; values are JSON, lists are separated by commas.

// snippets type-checks the packages of a module that exists in memory only.

type snippets struct {
	fset     *token.FileSet
	module   string
	packages map[string]*checked
	exports  types.ImporterFrom
}

type checked struct {
	pkg   *types.Package
	info  *types.Info
	files []*ast.File
}

func newSnippets(t *testing.T, module string) *snippets {
	fset := token.NewFileSet()
	lookup := exportData(t)
	return &snippets{
		fset: fset, module: module, packages: map[string]*checked{},
		exports: importer.ForCompiler(fset, "gc", lookup).(types.ImporterFrom),
	}
}

func (s *snippets) Import(path string) (*types.Package, error) {
	if c := s.packages[path]; c != nil {
		return c.pkg, nil
	}
	return s.exports.Import(path)
}

// check type-checks a package. Generated code that does not exist yet is missing, as it is for
// users who generate for the first time.
func (s *snippets) check(t *testing.T, path string, files map[string]string) *checked {
	t.Helper()
	c := &checked{info: &types.Info{Defs: map[*ast.Ident]types.Object{}}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(s.fset, name, files[name], parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		c.files = append(c.files, f)
	}
	conf := types.Config{Importer: s}
	pkg, err := conf.Check(path, s.fset, c.files, c.info)
	if err != nil {
		t.Fatal(err)
	}
	c.pkg = pkg
	s.packages[path] = c
	return c
}

// model makes the model of a package.
func (s *snippets) model(t *testing.T, c *checked) *model.Package {
	t.Helper()
	b := &modelBuilder{
		t: t, c: c, types: map[string]*model.Type{},
		out: &model.Package{Path: c.pkg.Path(), Name: c.pkg.Name(), Module: s.module, Types: c.pkg, Main: c.pkg.Name() == "main"},
	}
	b.collect("inject", b.provider)
	b.collect("error", b.declaredError)
	b.collect("tool", b.tool)
	for _, f := range c.files {
		if words, ok := directive(f.Doc, "server"); ok {
			b.out.Server = &model.Server{Name: words[0]}
		}
	}
	slices.SortFunc(b.out.Errors, func(x, y *model.DeclaredError) int { return strings.Compare(x.Name, y.Name) })
	slices.SortFunc(b.out.Tools, func(x, y *model.Tool) int { return strings.Compare(x.Name, y.Name) })
	slices.SortFunc(b.out.Receivers, func(x, y *model.Receiver) int { return strings.Compare(x.TypeName, y.TypeName) })
	return b.out
}

type modelBuilder struct {
	t         *testing.T
	c         *checked
	out       *model.Package
	types     map[string]*model.Type
	providers []*model.Provider
}

// directive finds a line //mcp:word and returns the words behind it.
func directive(doc *ast.CommentGroup, word string) ([]string, bool) {
	all := directives(doc, word)
	if len(all) == 0 {
		return nil, false
	}
	return all[0], true
}

func directives(doc *ast.CommentGroup, word string) [][]string {
	var out [][]string
	if doc == nil {
		return nil
	}
	for _, line := range doc.List {
		if rest, ok := strings.CutPrefix(line.Text, "//mcp:"+word); ok && (rest == "" || rest[0] == ' ') {
			out = append(out, strings.Fields(rest))
		}
	}
	return out
}

func (b *modelBuilder) collect(word string, f func(types.Object, *ast.CommentGroup, []string)) {
	for _, file := range b.c.files {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if words, ok := directive(d.Doc, word); ok {
					f(b.c.info.Defs[d.Name], d.Doc, words)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						if words, ok := directive(d.Doc, word); ok {
							f(b.c.info.Defs[spec.Names[0]], d.Doc, words)
						}
					case *ast.TypeSpec:
						if words, ok := directive(d.Doc, word); ok {
							f(b.c.info.Defs[spec.Name], d.Doc, words)
						}
						iface, ok := spec.Type.(*ast.InterfaceType)
						if !ok {
							continue
						}
						for _, m := range iface.Methods.List {
							if words, ok := directive(m.Doc, word); ok {
								f(b.c.info.Defs[m.Names[0]], m.Doc, words)
							}
						}
					}
				}
			}
		}
	}
}

func (b *modelBuilder) provider(o types.Object, _ *ast.CommentGroup, _ []string) {
	sig := o.(*types.Func).Signature()
	results := sig.Results()
	b.providers = append(b.providers, &model.Provider{Func: o.Name(), Params: []types.Type{sig.Params().At(0).Type()}, Type: results.At(0).Type(), Error: results.Len() == 2})
}

func (b *modelBuilder) providerOf(t types.Type) *model.Provider {
	for _, p := range b.providers {
		if types.Identical(p.Type, t) {
			return p
		}
	}
	return nil
}

func (b *modelBuilder) declaredError(o types.Object, _ *ast.CommentGroup, words []string) {
	e := &model.DeclaredError{Name: o.Name(), Text: strings.Join(words, " ")}
	if _, ok := o.(*types.TypeName); ok {
		e.Type = types.NewPointer(o.Type())
	}
	b.out.Errors = append(b.out.Errors, e)
}

func (b *modelBuilder) receiver(fn *types.Func) *model.Receiver {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named := t.(*types.Named)
	for _, r := range b.out.Receivers {
		if r.TypeName == named.Obj().Name() {
			return r
		}
	}
	name := named.Obj().Name()
	r := &model.Receiver{Param: strings.ToLower(name[:1]) + name[1:], TypeName: name, Type: t}
	if _, ok := t.Underlying().(*types.Interface); !ok {
		r.Type = types.NewPointer(t)
	}
	if r.Provider = b.providerOf(r.Type); r.Provider == nil {
		b.out.Receivers = append(b.out.Receivers, r)
	}
	return r
}

func (b *modelBuilder) tool(o types.Object, doc *ast.CommentGroup, words []string) {
	fn := o.(*types.Func)
	tool := &model.Tool{Name: words[0], Hints: model.Hints{Destructive: true, OpenWorld: true}}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "errors":
			tool.HideErrors = value == "declared"
		case "maxresult":
			tool.MaxResult, _ = strconv.ParseInt(value, 10, 64)
		case "narrow":
			tool.Narrow = strings.Split(value, ",")
		case "timeout":
			tool.Timeout, _ = time.ParseDuration(value)
		case "lenient":
			tool.Lenient = true
		case "groups":
			tool.Groups = strings.Split(value, ",")
		case "aliases":
			tool.Aliases = strings.Split(value, ",")
		}
	}
	first, _, _ := strings.Cut(doc.Text(), "\n\n")
	tool.Description = strings.TrimSpace(first)
	tool.Func = model.Func{Name: fn.Name(), Symbol: fn.Name(), Receiver: b.receiver(fn), Variadic: fn.Signature().Variadic()}
	if r := tool.Func.Receiver; r != nil {
		tool.Func.Symbol = r.TypeName + "." + fn.Name()
		if _, ok := r.Type.(*types.Pointer); ok {
			tool.Func.Symbol = "(*" + r.TypeName + ")." + fn.Name()
		}
	}
	b.input(tool, fn, doc)
	b.result(tool, fn)
	b.out.Tools = append(b.out.Tools, tool)
}

func (b *modelBuilder) input(tool *model.Tool, fn *types.Func, doc *ast.CommentGroup) {
	omitted, rules := map[string]bool{}, map[string]string{}
	for _, words := range directives(doc, "omit") {
		omitted[words[0]] = true
	}
	for _, words := range directives(doc, "arg") {
		rules[words[0]] = strings.Join(words[1:], " ")
	}
	sig := fn.Signature()
	var open []*model.Param
	variadic := map[*model.Param]bool{}
	for v := range sig.Params().Variables() {
		p := &model.Param{Name: v.Name(), Type: v.Type()}
		last := len(tool.Func.Params) == sig.Params().Len()-1
		variadic[p] = sig.Variadic() && last
		tool.Func.Params = append(tool.Func.Params, p)
		switch {
		case types.TypeString(p.Type, nil) == "context.Context":
			p.Source = model.FromContext
		case b.providerOf(p.Type) != nil:
			p.Source, p.Provider = model.FromProvider, b.providerOf(p.Type)
		case omitted[p.Name]:
			p.Source = model.FromZero
		default:
			p.Source = model.FromArgument
			open = append(open, p)
		}
	}
	tool.Input = &model.Input{Object: &model.Type{Kind: model.Struct}}
	if len(open) == 1 && !variadic[open[0]] {
		t := open[0].Type
		ptr, isPtr := t.(*types.Pointer)
		if isPtr {
			t = ptr.Elem()
		}
		if plan := b.plan(t); plan.Kind == model.Struct {
			open[0].Source = model.FromWhole
			tool.Input = &model.Input{Object: plan, Whole: true, Pointer: isPtr}
			if len(rules) > 0 {
				variant := *plan
				variant.Variant = tool.Name
				variant.Fields = nil
				for _, f := range plan.Fields {
					changed := *f
					b.rules(&changed, rules[f.Name])
					variant.Fields = append(variant.Fields, &changed)
				}
				tool.Input.Object = &variant
			}
			return
		}
	}
	for _, p := range open {
		p.Field = &model.Field{Name: p.Name, Path: []model.Selector{{Name: p.Name}}, Type: b.plan(p.Type), Variadic: variadic[p]}
		if plan := p.Field.Type; isNamed(p.Type, "time", "Duration") {
			changed := *plan
			changed.Kind = model.Duration
			p.Field.Type = &changed
		}
		p.Field.Required = p.Field.Type.Kind != model.Pointer && !variadic[p]
		b.rules(p.Field, rules[p.Name])
		tool.Input.Object.Fields = append(tool.Input.Object.Fields, p.Field)
	}
}

func (b *modelBuilder) result(tool *model.Tool, fn *types.Func) {
	res := &tool.Result
	for v := range fn.Signature().Results().Variables() {
		res.Values = append(res.Values, &model.ResultValue{Name: v.Name(), Type: v.Type()})
	}
	rest := res.Values
	role := func(is func(t types.Type) bool, role model.Role, least int) {
		if n := len(rest); n >= least && is(rest[n-1].Type) {
			rest[n-1].Role = role
			rest = rest[:n-1]
		}
	}
	role(func(t types.Type) bool { return types.TypeString(t, nil) == "error" }, model.RoleError, 1)
	role(func(t types.Type) bool { return types.TypeString(t, nil) == "func()" }, model.RoleCleanup, 2)
	if len(rest) == 2 && slices.Contains([]string{"", "ok", "found"}, rest[1].Name) {
		role(func(t types.Type) bool { return types.TypeString(t, nil) == "bool" }, model.RoleFound, 2)
	}
	switch len(rest) {
	case 0:
		return
	case 1:
		t := rest[0].Type
		named, _ := t.(*types.Named)
		switch {
		case types.TypeString(t, nil) == "string":
			res.Kind = model.ResultText
		case isNamed(t, mcpPath, "Content"):
			res.Kind = model.ResultContent
		case types.TypeString(t, nil) == "[]"+mcpPath+".Content":
			res.Kind = model.ResultContents
		case types.TypeString(t, nil) == "*"+mcpPath+".ToolResult":
			res.Kind = model.ResultTool
		case isNamed(t, mcpPath, "Result"):
			res.Kind, res.Output = model.ResultTyped, b.plan(named.TypeArgs().At(0))
		default:
			res.Kind, res.Output = model.ResultStructured, b.plan(t)
		}
		return
	}
	res.Kind, res.Object, res.Output = model.ResultStructured, true, &model.Type{Kind: model.Struct}
	for _, v := range rest {
		res.Output.Fields = append(res.Output.Fields, &model.Field{
			Name: v.Name, Path: []model.Selector{{Name: v.Name}}, Type: b.plan(v.Type), Required: true,
		})
	}
}

func isNamed(t types.Type, path, name string) bool {
	named, ok := t.(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path && named.Obj().Name() == name
}

// testSchemas replaces generator/internal/schema, which has its own tests.
var testSchemas = schemas{
	input: func(t *model.Tool) string {
		if t.Input == nil || t.Input.Object == nil {
			return schemaText(&model.Type{Kind: model.Struct}, false)
		}
		return schemaText(t.Input.Object, false)
	},
	output: func(t *model.Tool) string {
		if t.Result.Output == nil {
			return ""
		}
		return schemaText(t.Result.Output, true)
	},
}

func schemaText(t *model.Type, output bool) string {
	if t.Kind != model.Struct {
		return "{}"
	}
	var names, required []string
	for _, f := range t.Fields {
		names = append(names, strconv.Quote(f.Name)+`:{}`)
		if f.Required && !output {
			required = append(required, strconv.Quote(f.Name))
		}
	}
	s := `{"type":"object","properties":{` + strings.Join(names, ",") + `}`
	if len(required) > 0 {
		s += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return s + `,"additionalProperties":false}`
}

// moduleRoot returns the directory of this module.
func moduleRoot(t *testing.T) string {
	t.Helper()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(wd)))
}

// exportData finds the export data of the runtime and of the packages that the snippets import.
func exportData(t *testing.T) func(path string) (r io.ReadCloser, err error) {
	t.Helper()
	files, err := exportFiles()
	if err != nil {
		t.Fatal(err)
	}
	return func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(files[path])
	}
}

// exportFiles runs the go command once for all tests.
var exportFiles = sync.OnceValues(func() (map[string]string, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export",
		mcpPath, "context", "errors", "time", "math/big", "net/netip", "encoding/json", "fmt", "strings")
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	files := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); err != nil {
			return nil, err
		}
		files[p.ImportPath] = p.Export
	}
	return files, nil
})

// goCommand runs the go command and returns its output; errors end the test.
func goCommand(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return out
}
