package analyze

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// checkProviders checks the needs of inject functions, whether or not a feature uses them: they
// must not need each other, and lines for their parameters must match arguments.
func (s *shared) checkProviders() {
	for _, p := range s.providers {
		if from := s.injectorOf(p); from != nil && p.NeedsMore() {
			from.findCycles([]*model.Provider{p})
		}
	}
	for _, a := range s.sources {
		for _, set := range a.sets {
			fn, ok := a.object(set).(*types.Func)
			if ok && set.Target == directive.Func && set.Get("arg") != nil && a.providerFuncs[fn] != nil {
				a.injectorOf(a.providerFuncs[fn]).checkLines()
			}
		}
	}
}

// findCycles follows the types of parameters. path leads to the function, from the first one.
func (i *injector) findCycles(path []*model.Provider) {
	for param := range i.fn.Signature().Params().Variables() {
		next := i.byType(param.Type())
		switch {
		case next == nil || !next.NeedsMore():
		case slices.Contains(path, next):
			i.reportCycle(path[slices.Index(path, next):])
		default:
			if from := i.injectorOf(next); from != nil {
				from.findCycles(append(path[:len(path):len(path)], next))
			}
		}
	}
}

// byType returns the provider of a type, like provider, without diagnostics.
func (i *injector) byType(t types.Type) *model.Provider {
	if p := cmp.Or(i.ownProvider(t, nil), i.ownProvider(t, i.pkgOf())); p != nil {
		return p
	}
	for _, p := range i.providers {
		if types.Identical(p.Type, t) {
			return p
		}
	}
	return nil
}

// reportCycle reports a cycle of functions: each needs the value that the next one makes, and the
// last the value of the first.
func (s *shared) reportCycle(cycle []*model.Provider) {
	first := 0
	for i, p := range cycle {
		if q := cycle[first]; cmp.Or(cmp.Compare(p.Pos.Filename, q.Pos.Filename), cmp.Compare(p.Pos.Offset, q.Pos.Offset)) < 0 {
			first = i
		}
	}
	cycle = slices.Concat(cycle[first:], cycle[:first])
	var names []string
	for _, p := range cycle[1:] {
		names = append(names, p.Func)
	}
	d := s.diags.Errorf(cycle[0].Pos, "inject "+cycle[0].Func, "it needs %s, which needs it again", strings.Join(names, ", which needs "))
	if len(names) == 0 {
		d.Message = "it needs the value that it makes itself"
	}
	for _, p := range cycle[1:] {
		d.Relate(p.Pos, p.Func)
	}
	d.Hint = "take one of these values from the context"
}

// checkLines checks that the lines of an inject function match its parameters.
func (i *injector) checkLines() {
	var names, contexts []string
	for v := range i.fn.Signature().Params().Variables() {
		switch {
		case v.Name() == "" || v.Name() == "_":
		case isContext(v.Type()):
			contexts = append(contexts, v.Name())
		default:
			names = append(names, v.Name())
		}
	}
	for _, line := range i.lines {
		name, _, deep := strings.Cut(line.Name(), ".")
		at := i.at().At(line.Pos).In("argument " + line.Name())
		fail := func(hint, format string, args ...any) {
			i.diags.Errorf(at.Pos, at.Subject, format, args...).Hint = hint
		}
		if slices.Contains(contexts, name) {
			fail("delete the line", "the context is not an argument")
			continue
		}
		if !slices.Contains(names, name) {
			hint := "the function has only a context, which is not an argument"
			if len(names) > 0 {
				hint = "the names are " + strings.Join(names, ", ")
			}
			if near := diag.Nearest(name, names); near != "" {
				hint = "did you mean " + near + "?"
			}
			fail(hint, "the function has no such parameter")
			continue
		}
		params := i.fn.Signature().Params()
		for v := range params.Variables() {
			if p := i.byType(v.Type()); v.Name() == name && p != nil && !line.Has("inject") {
				fail("delete the line", "%s fills the parameter, which is not an argument", p.Func)
			}
		}
		if by, set := line.String("inject"); deep && set && by != published {
			fail(takes(i.provider, line.Name())+", and fill that: inject="+by, memberOfNeed)
		}
	}
}

// checkLooseLines refuses //mcp:arg above functions that are neither features nor inject functions.
func (a *analyzer) checkLooseLines() {
	for _, set := range a.sets {
		line := set.Get("arg")
		if line == nil || set.Target != directive.Func || set.Damaged || a.named(set.Name) ||
			slices.ContainsFunc(append([]string{"inject"}, featureWords...), func(word string) bool { return set.Get(word) != nil }) {
			continue
		}
		directive.NotFeature(set, line, a.diags)
	}
}

// named reports whether inject= names a function.
func (a *analyzer) named(function string) bool {
	for _, source := range a.sources {
		for _, d := range source.declared("arg") {
			if by, _ := d.dir.String("inject"); by == function {
				return true
			}
		}
		for _, d := range source.declared("defaults") {
			fills, _ := d.dir.List("inject")
			if slices.ContainsFunc(fills, func(fill string) bool { return strings.HasSuffix(fill, ":"+function) }) {
				return true
			}
		}
	}
	return false
}
