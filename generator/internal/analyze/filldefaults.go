package analyze

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// fill is one NAME:FUNC of inject= in //mcp:defaults.
type fill struct {
	name     string   // a parameter, with dots for parts of it
	path     []string // name, split
	recv     string   // type with the defaults; "" for the package's defaults
	provider *model.Provider
	by       string // name of the function
	pos      token.Position
	// used is set if a function has the named parameter, or one with a similar name that was
	// reported.
	used bool
}

// collectFills reads inject= of //mcp:defaults.
func (a *analyzer) collectFills() {
	for _, d := range a.declared("defaults") {
		arg, set := d.dir.Get("inject")
		if !set {
			continue
		}
		seen := map[string]bool{}
		for _, item := range arg.Names() {
			at := diag.Place{Pos: item.Pos, Subject: "//mcp:defaults"}
			name, by, ok := strings.Cut(item.Value, ":")
			path := strings.Split(name, ".")
			if !ok || slices.Contains(path, "") || by == "" {
				a.diags.Errorf(at.Pos, at.Subject, "%q does not say which parameter is filled by which function", item.Value).
					Hint = "write the name of the parameter, a colon and the function: inject=userID:currentUser"
				continue
			}
			if seen[name] {
				a.diags.Errorf(at.Pos, at.Subject, "%s is filled twice", name).Hint = "name one function"
				continue
			}
			seen[name] = true
			f := &fill{name: name, path: path, by: by, pos: item.Pos}
			if d.set.Target == directive.Type {
				f.recv = d.set.Name
			}
			if by != published {
				fn := a.providerNamed(by)
				if fn == nil && a.out.NotEmitted && a.pkg.Types.Scope().Lookup(by) == nil {
					a.fills = append(a.fills, f) // the package that emits the features can declare it
					continue
				}
				if f.provider = a.resolveProvider(fn, by, at); f.provider == nil {
					f.used = true
				}
			}
			a.fills = append(a.fills, f)
		}
	}
}

// fillsOf returns the defaults for a function: of the emitting package, of its own package and of
// its receiver type. For one name the last takes precedence.
func (a *analyzer) fillsOf(d declared) []*fill {
	var all []*fill
	if a.from != nil {
		all = append(all, a.root().fillsFor("")...)
	}
	all = append(all, a.fillsFor("")...)
	if recv := a.ownerName(d); recv != "" {
		all = append(all, a.fillsFor(recv)...)
	}
	return all
}

func (a *analyzer) fillsFor(recv string) []*fill {
	return slices.DeleteFunc(slices.Clone(a.fills), func(f *fill) bool { return f.recv != recv })
}

// checkFills refuses defaults that fill nothing: the argument that they were meant for would be
// published.
func (a *analyzer) checkFills() {
	if a.damaged || len(a.refused) > 0 {
		return // an unreadable directive may belong to the parameter
	}
	for _, f := range a.fills {
		var names []string
		if f.used || a.mentions(f, &names) {
			continue
		}
		d := a.diags.Errorf(f.pos, "//mcp:defaults", "no function has a parameter %s that %s could fill", f.name, f.by)
		d.Hint = "delete it, or name a parameter, or a member of one by its JSON name: req.userId"
		if near := diag.Nearest(f.name, names); near != "" {
			d.Hint = "did you mean " + near + "?"
		}
	}
}

// mentions reports whether a function that the defaults apply to has the named parameter, even if
// its features are not emitted here or were refused. It collects the names of parameters.
func (a *analyzer) mentions(f *fill, names *[]string) bool {
	sources := []*analyzer{a}
	if a.from == nil && f.recv == "" {
		sources = a.sources
	}
	found := false
	for _, source := range sources {
		for _, word := range append([]string{"inject"}, featureWords...) {
			for _, d := range source.declared(word) {
				fn, ok := source.object(d.set).(*types.Func)
				if !ok || f.recv != "" && source.ownerName(d) != f.recv {
					continue
				}
				called := paramNames(fn, d.set.Get("params"))
				for i := range called {
					v, name := fn.Signature().Params().At(i), called[i].name
					if isContext(v.Type()) {
						continue
					}
					*names = append(*names, name)
					found = found || name == f.path[0] && schema.HasMember(v.Type(), f.path[1:]) || schema.HasMember(v.Type(), f.path)
				}
			}
		}
	}
	return found
}
