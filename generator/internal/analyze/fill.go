package analyze

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// published is the word of inject= that fills nothing: the argument is published although the
// defaults would fill it. It cannot be the name of a function.
const published = "_"

// filling determines which functions fill the arguments of one feature.
type filling struct {
	*analyzer
	call  *model.Call
	lines map[string]*directive.Directive // inject= of //mcp:arg, by NAME
	// inlined are the names of inlined parameters: their members take their place.
	inlined []string
	fills   []*fill
	at      diag.Place
	// reported are the names of arguments for which a diagnostic was reported.
	reported map[string]bool
	// byType are the names of arguments whose type a function fills.
	byType map[string]bool
}

func (a *analyzer) filling(call *model.Call, args *argSet, d declared, at diag.Place) *filling {
	f := &filling{analyzer: a, call: call, lines: map[string]*directive.Directive{}, fills: a.fillsOf(d), at: at, reported: map[string]bool{}, byType: map[string]bool{}}
	for _, line := range args.all {
		if line.Has("inject") {
			f.lines[line.Name()] = line
		}
		if inline, _ := line.Flag("inline"); inline {
			f.inlined = append(f.inlined, line.Name())
		}
	}
	return f
}

// param returns the function that fills a parameter by its name, or nil. It returns false if it
// reported a diagnostic.
func (f *filling) param(p *model.Param, said bool) (provider *model.Provider, ok bool) {
	if p.Name == "" || p.Name == "_" {
		return nil, true
	}
	at := f.at.At(p.Pos).In("argument " + p.Name)
	if line := f.lines[p.Name]; line != nil {
		f.note([]string{p.Name})
		return f.byLine(line, p.Type, at)
	}
	var chosen *fill
	for _, k := range f.fills {
		if len(k.path) == 1 && k.path[0] == p.Name {
			k.used = true
			chosen = k
		}
	}
	if chosen == nil || said {
		return nil, true
	}
	return f.byDefault(chosen, p.Type, at)
}

// note marks the defaults for a path as used.
func (f *filling) note(path []string) {
	for _, k := range f.fills {
		if slices.Equal(k.path, path) {
			k.used = true
		}
	}
}

func (f *filling) byLine(line *directive.Directive, t types.Type, at diag.Place) (*model.Provider, bool) {
	arg, _ := line.Get("inject")
	if arg.Value == published {
		return nil, true
	}
	at = at.At(arg.ValuePos)
	p := f.resolveProvider(f.providerNamed(arg.Value), arg.Value, at)
	if p == nil || !f.fits(p, line.Name(), t, at) {
		return nil, false
	}
	if len(line.Args) > 2 { // the name and inject
		f.diags.Errorf(line.Pos, at.Subject, "a value that %s fills is not an argument, so other settings have no effect", p.Func).Hint = "delete the rest of the line"
		return nil, false
	}
	return p, true
}

func (f *filling) byDefault(k *fill, t types.Type, at diag.Place) (*model.Provider, bool) {
	switch {
	case k.by == published:
		return nil, true
	case k.provider == nil:
		if f.out.NotEmitted {
			f.diags.Errorf(k.pos, "//mcp:defaults", "there is no function %s in this package", k.by).Relate(at.Pos, "where it is needed").
				Hint = "declare it here, or in the package with //mcp:from"
		}
		return nil, false // reported before
	}
	return k.provider, f.fits(k.provider, k.name, t, at)
}

// fits refuses a function that returns another type than the one it must fill, or that generated
// code cannot call.
func (f *filling) fits(p *model.Provider, name string, t types.Type, at diag.Place) bool {
	if !types.AssignableTo(p.Type, t) {
		f.diags.Errorf(at.Pos, at.Subject, "the type is %s, and %s, which would fill it, returns %s", f.shortType(t), p.Func, f.shortType(p.Type)).
			Relate(p.Pos, "the function").
			Hint = fmt.Sprintf("write a function that returns %s, and name it: //mcp:arg %s inject=FUNC; inject=_ publishes the argument", f.shortType(t), name)
		return false
	}
	if !f.callable(p, at) {
		return false
	}
	if problem, hint := f.types.Unnameable(p.Type); f.outside() && problem != "" {
		f.diags.Errorf(p.Pos, "inject "+p.Func, "%s, so generated code cannot name it", problem).Relate(at.Pos, "where it is needed").Hint = hint
		return false
	}
	return true
}

// members fills members of the arguments, removes them from the object, and removes their lines
// from the set. whole is the name of the parameter that is the whole object, or "" if there are
// several.
func (f *filling) members(object *model.Type, feature, whole string, args *argSet) (*model.Type, bool) {
	ok := true
	var left []*directive.Directive
	for _, line := range args.lines {
		arg, set := line.Get("inject")
		if !set || arg.Value == published {
			left = append(left, line)
			continue
		}
		at := f.at.At(line.Pos).In("argument " + line.Name())
		path := strings.Split(line.Name(), ".")
		f.note(path)
		changed, chain, problem := f.find(object, feature, whole, path)
		if problem == "" && chain == nil {
			left = append(left, line) // ApplyArgs reports that there is no such argument
			continue
		}
		if problem != "" {
			f.diags.Errorf(at.Pos, at.Subject, "%s, so no function can fill it", problem).Hint = "use omit, or take it as a parameter"
			ok = false
			continue
		}
		p, good := f.byLine(line, chain[len(chain)-1].Type.Go, at)
		if ok = ok && good; !good {
			f.reported[plainName(line.Name())] = true
		} else {
			object = changed
			f.call.Fills = append(f.call.Fills, &model.Fill{Name: line.Name(), Provider: p, Chain: chain})
		}
	}
	args.lines = left
	chosen := map[string]*fill{}
	var order []string
	for _, k := range f.fills {
		if chosen[k.name] == nil {
			order = append(order, k.name)
		}
		chosen[k.name] = k
	}
	for _, name := range order {
		k := chosen[name]
		changed, chain, problem := f.find(object, feature, whole, k.path)
		switch {
		case problem == "" && chain == nil, len(chain) == 1 && whole == "":
			continue
		case f.said(args, whole, k.path):
			f.note(k.path)
			continue
		}
		f.note(k.path)
		at := f.at.At(k.pos).In("argument " + name)
		if problem != "" {
			f.diags.Errorf(at.Pos, at.Subject, "%s, so no function can fill it", problem).Hint = "//mcp:arg " + name + " omit, or inject=_ to publish it"
			ok = false
			continue
		}
		last := chain[len(chain)-1]
		if last.Pos.IsValid() {
			at = at.At(last.Pos)
		}
		p, good := f.byDefault(k, last.Type.Go, at)
		if ok = ok && good; !good {
			f.reported[plainName(name)] = true
		}
		if good && p != nil {
			object = changed
			f.call.Fills = append(f.call.Fills, &model.Fill{Name: name, Provider: p, Chain: chain})
		}
	}
	return object, ok
}

// find removes a member from a copy of the object. The path may begin with the name of the
// parameter that is the whole object, and may omit the name of an inlined parameter.
func (f *filling) find(object *model.Type, feature, whole string, path []string) (changed *model.Type, chain []*model.Field, problem string) {
	changed, chain, problem = f.types.Take(object, feature, path)
	if chain == nil && problem == "" && len(path) > 1 && path[0] == whole {
		changed, chain, problem = f.types.Take(object, feature, path[1:])
	}
	for _, name := range f.inlined {
		if chain == nil && problem == "" {
			changed, chain, problem = f.types.Take(object, feature, append([]string{name}, path...))
		}
	}
	return changed, chain, problem
}

// said reports whether a line determines the source of a member: omit, fixed or inject.
func (f *filling) said(args *argSet, whole string, path []string) bool {
	name := strings.Join(path, ".")
	names := []string{name}
	for _, around := range append([]string{whole}, f.inlined...) {
		if below, ok := strings.CutPrefix(name, around+"."); ok && around != "" {
			names = append(names, below)
		} else if around != "" {
			names = append(names, around+"."+name)
		}
	}
	return slices.ContainsFunc(args.all, func(l *directive.Directive) bool {
		if slices.Contains(names, l.Name()) {
			omit, _ := l.Flag("omit")
			return omit || l.Has("fixed") || l.Has("inject")
		}
		items, _ := l.List("omit")
		return slices.ContainsFunc(items, func(item string) bool { return slices.Contains(names, l.Name()+"."+item) })
	})
}
