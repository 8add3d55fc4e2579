// Package analyze turns a loaded package and its directives into the model: it interprets
// directives for the declarations that they apply to. Errors become diagnostics; the analysis
// continues, so that all of them are shown at once.
package analyze

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
	"github.com/mcpgen/mcpgen/internal/valid"
)

// Package analyses one package. The model is complete only if no error was added to diags.
func Package(pkg *load.Package, docs *load.Docs, diags *diag.List) *model.Package {
	a := &analyzer{pkg: pkg, shared: &shared{
		docs:      docs,
		diags:     diags,
		types:     schema.New(pkg, docs, diags),
		receivers: map[string]*model.Receiver{},
		published: map[symbol]string{},
		forms:     map[*types.TypeName]saidForm{},
		errors:    map[types.Object]*saidError{},

		providerFuncs: map[*types.Func]*model.Provider{},
		argLines:      map[*model.Call][]*directive.Directive{},
		out: &model.Package{
			Path: pkg.Path, Name: pkg.Name, Dir: pkg.Dir, Module: pkg.Module, Types: pkg.Types, Main: pkg.Name == "main",
		},
	}}
	a.sources = []*analyzer{a}
	sets, found := pkg.Directives()
	a.sets = sets
	diags.Append(found)
	a.out.Constraint = pkg.SharedConstraint()
	pkg.CheckConstraints(a.out.Constraint, a.sets, diags)
	a.out.NotEmitted = a.emitNone() != nil
	a.types.Outside = a.out.NotEmitted
	a.checkNotEmitted()
	a.collectFrom()
	// The order matters. The forms and roots of types precede the first type that is resolved, as
	// its plan depends on them. The published names and the lines of packages precede the features,
	// which use them. Checks for directives without effect, and checks of completed types, come
	// last.
	a.each((*analyzer).collectVariables)
	a.each((*analyzer).checkDefaultIcons)
	a.each((*analyzer).checkDefaultScopes)
	a.checkPredeclared()
	a.each((*analyzer).collectJSONForms)
	a.each((*analyzer).collectRoots)
	a.each((*analyzer).collectPublished)
	a.each((*analyzer).collectProviders)
	a.each((*analyzer).collectFills)
	a.each((*analyzer).checkLooseLines)
	a.each((*analyzer).collectShared)
	a.each((*analyzer).collectErrors)
	a.finishErrors()
	a.each((*analyzer).collectTools)
	a.finishTools()
	a.each((*analyzer).collectResources)
	a.finishResources()
	a.checkInterfaces()
	a.each((*analyzer).collectPrompts)
	a.finishPrompts()
	a.each((*analyzer).collectSkills)
	a.finishSkills()
	a.each((*analyzer).checkSelected)
	a.each((*analyzer).checkFills)
	a.each((*analyzer).checkShared)
	a.checkNeeds()
	a.checkProviders()
	a.collectForms()
	a.collectConstructors()
	a.finishReceivers()
	a.collectServer()
	a.checkVisible()
	a.checkWriteOnly()
	a.collectUnread()
	a.checkDefaults()
	a.dropUnpublished()
	a.out.Aliases = a.types.Aliases()
	return a.out
}

// checkDefaults checks defaults with the completed types, and refuses defaults that contain
// themselves.
func (a *analyzer) checkDefaults() {
	if !a.types.CheckLate() {
		return
	}
	var roots []*model.Type
	for _, call := range a.out.Calls() {
		if call.Input != nil {
			roots = append(roots, call.Input.Object)
		}
	}
	for _, form := range a.out.Forms {
		roots = append(roots, form.Type)
	}
	for _, root := range roots {
		f, read := schema.EndlessDefault(root)
		switch {
		case read:
			a.diags.Errorf(f.Pos, "field "+f.Name, "the default %s contains a value that has the same default, and a method makes a part of it: it would have no end", f.Default.JSON).
				Hint = "let the function choose what a missing value means"
		case f != nil:
			a.diags.Errorf(f.Pos, "field "+f.Name, "the default %s contains a value whose member %s has the same default, without end", f.Default.JSON, f.Name).
				Hint = "write the member in the default, such as [] or null"
		}
	}
}

// checkWriteOnly refuses results that may contain writeOnly members. It needs the types of all
// features.
func (a *analyzer) checkWriteOnly() {
	check := func(call *model.Call, pos token.Position, kind string) {
		a.types.CheckWriteOnly(call.Result.Output, diag.Place{Pos: pos, Subject: kind + " " + call.Func.Name}.In("result"))
	}
	for _, t := range a.out.Tools {
		check(&t.Call, t.Pos, "tool")
	}
	for _, list := range [][]*model.Resource{a.out.Resources, a.out.Templates} {
		for _, r := range list {
			if r.Value == nil {
				check(&r.Call, r.Pos, "resource")
			}
		}
	}
}

// analyzer reads the declarations of one package: the package that is generated for, or one whose
// features are emitted there, with //mcp:from.
type analyzer struct {
	*shared
	pkg  *load.Package
	sets []*directive.Set
	from *origin // nil for the package that is generated for
	// fills come from the package's //mcp:defaults: the parameters that functions fill.
	fills []*fill
	// sharedLines are the //mcp:arg lines of the package and of its types.
	sharedLines []*sharedLine
	// damaged is set if a directive cannot be read, so that nothing can be concluded from its
	// absence.
	damaged bool
	// callees are the functions that variables name; refused are the variables that name none.
	callees map[*directive.Set]*callee
	refused map[*directive.Set]bool
}

// shared is the state of the analysis of one generated file.
type shared struct {
	sources []*analyzer // the package that is generated for comes first
	docs    *load.Docs
	diags   *diag.List
	types   *schema.Resolver
	out     *model.Package

	providers     []*model.Provider
	providerFuncs map[*types.Func]*model.Provider // by name or by type
	receivers     map[string]*model.Receiver      // by type
	published     map[symbol]string
	forms         map[*types.TypeName]saidForm
	errors        map[types.Object]*saidError
	pages         []pageURI                              // also pages that are refused
	interfaces    bool                                   // a directive contains ui=
	argLines      map[*model.Call][]*directive.Directive // //mcp:arg, including the lines of inject functions
	needLines     []*needLine
}

// symbol is a function, or a method if recv is the name of its type.
type symbol struct{ path, recv, name string }

// root returns the analyzer of the package that is generated for.
func (s *shared) root() *analyzer { return s.sources[0] }

// each calls a function for every package, first for the one that is generated for.
func (s *shared) each(do func(*analyzer)) {
	for _, a := range s.sources {
		do(a)
	}
}

// object returns the object that a directive applies to, or nil if the type checker has no object
// for it. For a variable that names a function it returns the function.
func (a *analyzer) object(set *directive.Set) types.Object {
	if c := a.callees[set]; c != nil {
		return c.fn
	}
	switch node := set.Node.(type) {
	case *ast.FuncDecl:
		return a.pkg.Info.Defs[node.Name]
	case *ast.TypeSpec:
		return a.pkg.Info.Defs[node.Name]
	case *ast.ValueSpec:
		return a.pkg.Info.Defs[node.Names[0]]
	case *ast.Field:
		if len(node.Names) > 0 {
			return a.pkg.Info.Defs[node.Names[0]]
		}
	}
	return nil
}

// collectRoots adds the types of all declarations with directives.
func (a *analyzer) collectRoots() {
	for _, set := range a.sets {
		if obj := a.object(set); obj != nil {
			a.types.AddRoot(obj.Type())
		}
		if c := a.callees[set]; c != nil && c.recv != nil {
			a.types.AddRoot(c.recv)
		}
	}
}

// typeString writes a type as the package's own source would write it.
func (a *analyzer) typeString(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(a.pkg.Types))
}

// collectServer reads //mcp:server. A program always needs a server, so package main gets one even
// without the directive.
func (a *analyzer) collectServer() {
	all := a.declared("server") // ScanFiles refused a second one
	if len(all) == 0 {
		if a.out.Main && a.out.HasFeatures() {
			a.out.Server = &model.Server{Name: model.ServerName(a.pkg.Path)}
		}
		return
	}
	d := all[0].dir
	at := diag.Place{Pos: d.Pos, Subject: "server"}
	s := &model.Server{Name: model.ServerName(a.pkg.Path), Pos: d.Pos}
	for key, target := range map[string]*string{
		"name": &s.Name, "version": &s.Version, "title": &s.Title, "description": &s.Description,
		"instructions": &s.Instructions, "website": &s.Website, "cache": &s.Cache,
	} {
		if v, set := d.String(key); set {
			*target = v
		}
	}
	if arg, set := d.Get("website"); set {
		if fault := valid.Website(s.Website); fault != nil {
			a.diags.Errorf(arg.ValuePos, at.Subject, "%s", fault.Problem).Hint = fault.Hint
		}
	}
	s.Icons, _ = a.iconsOver(nil, d, at, true)
	s.TTL, _ = d.Duration("ttl")
	a.out.Server = s
}
