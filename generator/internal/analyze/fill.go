package analyze

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// published is the word of inject= that fills nothing: the argument is published although
// the defaults fill it. It cannot be the name of a function.
const published = "_"

// fill is one NAME:FUNC of inject= in //mcp:defaults.
type fill struct {
	name     string   // a parameter, with dots for what is inside of it
	path     []string // name, split
	recv     string   // type that the defaults belong to, "" for those of the package
	provider *model.Provider
	by       string // name of the function
	pos      token.Position
	// used is set if a function has what is named, or something so similar that this has
	// been reported.
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

// providerNamed finds the function that inject= names: in the package itself, then in the
// one that emits its features.
func (a *analyzer) providerNamed(name string) *types.Func {
	for _, source := range []*analyzer{a, a.root()} {
		if fn, ok := source.pkg.Types.Scope().Lookup(name).(*types.Func); ok {
			return fn
		}
	}
	return nil
}

// resolveProvider returns the provider that a function is, nil after a diagnostic.
func (a *analyzer) resolveProvider(fn *types.Func, name string, at diag.Place) *model.Provider {
	if fn == nil {
		d := a.diags.Errorf(at.Pos, at.Subject, "there is no function %s", name)
		d.Hint = fmt.Sprintf("declare it: func %s(ctx context.Context) (T, error)", name)
		if !token.IsIdentifier(name) {
			d.Hint = "name a function of the package; it can call others"
		} else if near := diag.Nearest(name, a.providerNames()); near != "" {
			d.Hint = "did you mean " + near + "?"
		}
		return nil
	}
	home := a
	if fn.Pkg() != a.pkg.Types {
		home = a.root()
	}
	if load.InvalidIn(fn.Type()) {
		a.diags.Errorf(at.Pos, at.Subject, "the signature of %s does not compile", name).Relate(a.position(fn.Pos()), "the function").
			Hint = "fix what the compiler reports"
		return nil
	}
	p := home.providerOf(fn)
	if p == nil {
		a.diags.Errorf(at.Pos, at.Subject, "%s must be "+providerForms+", this is %s", name, a.shortType(fn.Signature())).
			Relate(a.position(fn.Pos()), "the function").Hint = providerHint
		return nil
	}
	return p
}

// providerNames are the functions that could have been meant.
func (a *analyzer) providerNames() []string {
	var names []string
	for _, source := range []*analyzer{a, a.root()} {
		scope := source.pkg.Types.Scope()
		for _, name := range scope.Names() {
			if fn, ok := scope.Lookup(name).(*types.Func); ok && source.providerOf(fn) != nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// fillsOf are the defaults for a function: those of the emitting package, of its own
// package and of its receiver type. Of one name the last counts.
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

// checkFills refuses defaults that fill nothing: what they were meant for is published.
func (a *analyzer) checkFills() {
	if a.damaged || len(a.refused) > 0 {
		return // what cannot be read may have the parameter
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

// mentions reports whether a function that the defaults are for has what they name; also
// one whose features are not emitted here, or have been refused. It collects the names of
// parameters.
func (a *analyzer) mentions(f *fill, names *[]string) bool {
	sources := []*analyzer{a}
	if a.from == nil && f.recv == "" {
		sources = a.sources
	}
	found := false
	for _, source := range sources {
		for _, word := range featureWords {
			for _, d := range source.declared(word) {
				fn, ok := source.object(d.set).(*types.Func)
				if !ok || f.recv != "" && source.ownerName(d) != f.recv {
					continue
				}
				for v := range fn.Signature().Params().Variables() {
					if isContext(v.Type()) {
						continue
					}
					*names = append(*names, v.Name())
					found = found || v.Name() == f.path[0] && schema.HasMember(v.Type(), f.path[1:]) || schema.HasMember(v.Type(), f.path)
				}
			}
		}
	}
	return found
}

// filling settles what functions fill in the arguments of one feature.
type filling struct {
	*analyzer
	call  *model.Call
	lines map[string]*directive.Directive // inject= of //mcp:arg, by NAME
	// inlined are the names of what is inlined: its members take its place.
	inlined []string
	fills   []*fill
	at      diag.Place
	// reported are the names of arguments about which a diagnostic was reported.
	reported map[string]bool
}

func (a *analyzer) filling(call *model.Call, args *argSet, d declared, at diag.Place) *filling {
	f := &filling{analyzer: a, call: call, lines: map[string]*directive.Directive{}, fills: a.fillsOf(d), at: at, reported: map[string]bool{}}
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

// param returns the function that fills a parameter by its name, nil if there is none.
// ok is false when a diagnostic was reported.
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
		f.diags.Errorf(line.Pos, at.Subject, "what is filled by %s is not an argument, so it has no other settings", p.Func).Hint = "delete the rest of the line"
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
		return nil, false // it has been reported
	}
	return k.provider, f.fits(k.provider, k.name, t, at)
}

// fits refuses a function that returns another type than what it shall fill, or that
// generated code cannot call.
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

// members fills members of the arguments, takes them off the object, and takes the lines
// about them off the set. whole is the name of the parameter that is the whole object, ""
// if there are several.
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

// find takes a member off a copy of the object. The path may begin with the name of the
// parameter that is the whole object, and be without the name of what is inlined.
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

// said reports whether a line says what becomes of a member: omit, fixed or inject.
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

// checkLeft refuses arguments that are nearly named as what the defaults fill: a slip of
// the pen would publish what no client may choose.
func (f *filling) checkLeft(object *model.Type, whole string) bool {
	kept, used := map[string]bool{}, map[string]bool{}
	for name, line := range f.lines {
		if arg, _ := line.Get("inject"); arg.Value == published {
			kept[plainName(name)] = true
		}
	}
	chosen := map[string]*fill{}
	for _, k := range f.fills {
		chosen[k.name] = k
	}
	ok := true
	// Every way to a type is followed, since each needs an answer of its own, unless the
	// type has nothing to report.
	within, clean := map[*model.Type]bool{}, map[*model.Type]bool{}
	var walk func(t *model.Type, path []string) (found bool)
	walk = func(t *model.Type, path []string) (found bool) {
		if t == nil || within[t] || clean[t] {
			return false
		}
		within[t] = true
		defer func() {
			delete(within, t)
			clean[t] = !found
		}()
		found = walk(t.Elem, path)
		if t.Union != nil {
			for _, v := range t.Union.Variants {
				found = walk(v.Type, path) || found
			}
		}
		for _, field := range t.Fields {
			if field.ReadOnly {
				continue
			}
			here := path[:len(path):len(path)]
			if step := field.Path[0]; step.Inlined != nil && t.Go == nil {
				here = append(here, step.Name)
			}
			here = append(here, f.types.Origin(field))
			for _, k := range f.fills {
				if chosen[k.name] != k || k.by == published || !similar(k, field, here, whole) {
					continue
				}
				k.used, found = true, true
				name := plainName(strings.Join(here, "."))
				used[name], used[plainName(k.name)] = true, true
				if kept[name] || kept[plainName(k.name)] || f.reported[name] || f.reported[plainName(whole)+"."+name] {
					continue
				}
				f.reportSimilar(k, field, here)
				ok = false
				break
			}
			found = walk(field.Type, here) || found
		}
		return found
	}
	walk(object, nil)
	return f.checkKept(used) && ok
}

func (f *filling) reportSimilar(k *fill, field *model.Field, path []string) {
	name := strings.Join(path, ".")
	at := f.at
	if field.Pos.IsValid() {
		at = at.At(field.Pos)
	}
	what := "would be published: its name, in JSON or in Go, is almost %s, which %s fills"
	if path[len(path)-1] == k.name {
		what = "would be published: it is called %s, but is not the parameter that %s fills"
	}
	f.diags.Errorf(at.Pos, at.In("argument "+name).Subject, what, k.name, k.by).Relate(k.pos, "the defaults").
		Hint = fmt.Sprintf("add %s:%s to inject=, or //mcp:arg %[1]s inject=%[2]s to the function; inject=_ publishes it", name, k.by)
}

// checkKept refuses inject=_ about what is published in any case. used are the names that
// the defaults would have hidden.
func (f *filling) checkKept(used map[string]bool) bool {
	ok := true
	for _, name := range sortedKeys(f.lines) {
		arg, _ := f.lines[name].Get("inject")
		if arg.Value == published && !used[plainName(name)] {
			f.diags.Errorf(arg.Pos, f.at.In("argument "+name).Subject, "no //mcp:defaults fill it, so it is published in any case").Hint = "delete inject=_"
			ok = false
		}
	}
	return ok
}

// similar reports whether a field is called as what the defaults fill, but for case and
// separators: by its JSON name, also after it was renamed, or by its name in Go.
func similar(k *fill, field *model.Field, path []string, whole string) bool {
	if len(k.path) > 1 {
		name := plainName(strings.Join(path, "."))
		return name == plainName(k.name) || whole != "" && plainName(whole)+"."+name == plainName(k.name)
	}
	want := plainName(k.name)
	return plainName(path[len(path)-1]) == want || plainName(field.Name) == want || plainName(field.Path[len(field.Path)-1].Name) == want
}

// plainName is a name without case and separators of words.
func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}
