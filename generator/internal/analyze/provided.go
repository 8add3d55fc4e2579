package analyze

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// needs determines the needs of the functions that fill parameters of a feature. Their own
// parameters become arguments of the feature, behind the feature's own, unless another function
// fills them.
type needs struct {
	*filling
	args *argSet
	of   declared // the feature
	// own reports whether the feature has an argument or a parameter of that name, which its lines
	// describe.
	own    func(name string) bool
	within []*model.Provider // the functions being visited, each needed by the one before
	open   []*need
	hidden []*model.Param
}

// need is a parameter of an inject function that a client fills.
type need struct {
	*model.Param
	by    *injector
	lines []*directive.Directive
}

// injector is an inject function and its declaration.
type injector struct {
	*analyzer
	provider *model.Provider
	fn       *types.Func
	decl     *ast.FuncDecl
	lines    []*directive.Directive // its //mcp:arg
}

func (i *injector) at() diag.Place {
	return diag.Place{Pos: i.provider.Pos, Subject: "inject " + i.provider.Func}
}

// injectorOf finds the declaration of an inject function.
func (s *shared) injectorOf(p *model.Provider) *injector {
	for fn, known := range s.providerFuncs {
		if known != p {
			continue
		}
		for _, a := range s.sources {
			if a.pkg.Types != fn.Pkg() {
				continue
			}
			out := &injector{analyzer: a, provider: p, fn: fn, decl: a.funcDecl(fn)}
			for _, set := range a.sets {
				if set.Node == ast.Node(out.decl) {
					out.lines = set.All("arg")
				}
			}
			return out
		}
	}
	return nil
}

// needsOf prepares the needs of a feature with the arguments of object.
func (a *analyzer) needsOf(call *model.Call, object *model.Type, args *argSet, filling *filling, d declared) *needs {
	return &needs{filling: filling, args: args, of: d, own: func(name string) bool {
		line := &directive.Directive{Word: "arg", Args: []directive.Arg{{Bare: true, Value: name}}}
		return a.types.HasArg(object, line, args.all) ||
			slices.ContainsFunc(call.Func.Params, func(p *model.Param) bool { return p.Name == name })
	}}
}

// settle determines the needs of all functions that fill parameters, and assigns the lines for
// their parameters to them.
func (v *needs) settle() bool {
	ok := true
	for _, p := range v.call.Providers() {
		ok = v.visit(p) && ok
	}
	if !ok { // other lines for their parameters cannot be checked
		v.args.lines = slices.DeleteFunc(slices.Clone(v.args.lines), func(l *directive.Directive) bool {
			name, _, _ := strings.Cut(l.Name(), ".")
			return !v.own(name)
		})
		return false
	}
	return v.take()
}

// visit determines the needs of one function, and of the functions that fill its parameters.
func (v *needs) visit(p *model.Provider) bool {
	if !p.NeedsMore() || v.call.ProvidedBy(p) != nil {
		return true
	}
	if i := slices.Index(v.within, p); i >= 0 {
		v.reportCycle(v.within[i:])
		return false
	}
	v.within = append(v.within, p)
	defer func() { v.within = v.within[:len(v.within)-1] }()
	from := v.injectorOf(p)
	if from == nil || !from.spellable(from.fn, from.at()) {
		return false
	}
	call := &model.Provided{Provider: p}
	for param := range from.fn.Signature().Params().Variables() {
		q := &need{Param: &model.Param{Name: param.Name(), Type: param.Type(), Pos: from.position(param.Pos())}, by: from}
		if !v.param(q) {
			return false
		}
		call.Params = append(call.Params, q.Param)
	}
	v.call.Provided = append(v.call.Provided, call)
	return true
}

// param determines the source of an inject function's parameter. The feature's lines for its name
// apply to it.
func (v *needs) param(q *need) bool {
	at := q.by.at()
	aboutIt := func(lines []*directive.Directive) []*directive.Directive {
		return slices.DeleteFunc(slices.Clone(lines), func(l *directive.Directive) bool { return !about(l, q.Name) })
	}
	q.lines = joinLines(aboutIt(q.by.lines), aboutIt(v.args.far))
	if v.same(q) != nil || !v.own(q.Name) {
		q.lines = joinLines(aboutIt(v.args.own), q.lines)
	}
	v.use(v.of, q.lines)
	f := *v.filling
	f.lines = map[string]*directive.Directive{}
	for _, line := range q.lines {
		if line.Has("inject") {
			f.lines[line.Name()] = line
		}
	}
	if q.by.from != nil && q.by.analyzer != v.filling.analyzer {
		f.fills = slices.Concat(f.fills, q.by.fillsFor(""))
	}
	if !q.by.source(q.Param, false, &argSet{all: q.lines, lines: q.lines}, &f, at) {
		return false
	}
	for name, line := range f.lines { // for checkLeft
		if f.keeps(name) {
			v.filling.lines[name] = line
			v.byType[name] = v.byType[name] || name == q.Name
		}
	}
	switch q.Source {
	case model.FromProvider:
		v.hidden = append(v.hidden, q.Param)
		return v.visit(q.Provider)
	case model.FromArgument:
	default:
		v.hidden = append(v.hidden, q.Param)
		return true
	}
	if q.Name == "" || q.Name == "_" {
		v.diags.Errorf(q.Pos, at.Subject, "a parameter of type %s has no name, and arguments are called by name", v.shortType(q.Type)).
			Hint = "give it a name, or write an //mcp:inject function that returns its type"
		return false
	}
	v.open = append(v.open, q)
	v.note(q)
	return true
}

// needLine is an //mcp:arg of an inject function, with the directives (tool, resource, prompt) of
// the features that have the argument.
type needLine struct {
	*directive.Directive
	by    *injector
	words map[string]bool
}

// note records the lines of an inject function that match an argument of the feature.
func (v *needs) note(q *need) {
	for _, line := range q.by.lines {
		if !about(line, q.Name) {
			continue
		}
		i := slices.IndexFunc(v.needLines, func(l *needLine) bool { return l.Directive == line })
		if i < 0 {
			i = len(v.needLines)
			v.needLines = append(v.needLines, &needLine{Directive: line, by: q.by, words: map[string]bool{}})
		}
		v.needLines[i].words[v.of.dir.Word] = true
	}
}

// checkNeeds refuses keys of lines of inject functions that have no effect on any feature.
func (a *analyzer) checkNeeds() {
	if a.diags.HasErrors() || a.damaged || len(a.refused) > 0 {
		return // a refused feature may have the argument
	}
	for _, line := range a.needLines {
		if line.by.from == nil { // otherwise another package may emit more
			a.checkWords(line.Directive, line.words, line.by.at().In("argument "+line.Name()))
		}
	}
}

// take removes lines for the parameters of inject functions from the lines of the feature, and
// completes the lines for arguments that both share.
func (v *needs) take() bool {
	ok := v.checkHidden(v.args, v.hidden, v.own, v.at)
	for _, q := range v.open {
		switch p := v.same(q); {
		case p != nil:
			v.adopt(p, q)
		case !v.own(q.Name):
			ok = v.checkMembers(q) && ok
			v.args.lines = slices.DeleteFunc(slices.Clone(v.args.lines), func(l *directive.Directive) bool { return about(l, q.Name) })
		}
		v.argLines[v.call] = append(slices.Clone(v.argLines[v.call]), q.lines...)
	}
	return ok
}

// checkMembers refuses lines of the feature by which functions would fill members of an inject
// function's parameter.
func (v *needs) checkMembers(q *need) bool {
	ok := true
	for _, line := range v.args.own {
		if by, set := line.String("inject"); set && by != published && line.Name() != q.Name && about(line, q.Name) {
			at := v.at.At(line.Pos).In("argument " + line.Name())
			v.diags.Errorf(at.Pos, at.Subject, memberOfNeed).Hint = takes(q.by.provider, line.Name()) + ", and fill that: inject=" + by
			ok = false
		}
	}
	return ok
}

// memberOfNeed is the reason for refusing inject= there: the members are read before the function
// runs, and only its parameters are filled.
const memberOfNeed = "no function fills members of an inject function's parameters"

// takes returns a hint how the function gets a member that another function fills.
func takes(p *model.Provider, member string) string {
	return "take " + member[strings.LastIndex(member, ".")+1:] + " as a parameter of " + p.Func
}

// neededBy returns the inject function that needs the struct around a member, or nil for members of
// the feature's own arguments.
func (f *filling) neededBy(path []string) *model.Provider {
	named := func(p *model.Param) bool { return p.Name == path[0] && p.Source == model.FromArgument }
	if len(path) < 2 || slices.ContainsFunc(f.call.Func.Params, func(p *model.Param) bool { return p.Name == path[0] }) {
		return nil
	}
	for _, c := range f.call.Provided {
		if slices.ContainsFunc(c.Params, named) {
			return c.Provider
		}
	}
	return nil
}

// same returns the feature's parameter that is the same argument as an inject function's parameter,
// or nil.
func (v *needs) same(q *need) *model.Param {
	for _, p := range v.call.Func.Params {
		if p.Name == q.Name && types.Identical(p.Type, q.Type) {
			return p
		}
	}
	return nil
}

// adopt completes the lines for a parameter of the feature by an inject function's lines for the
// same argument.
func (v *needs) adopt(p *model.Param, q *need) {
	var lines []*directive.Directive
	for _, line := range q.lines {
		adopted := *line
		adopted.Far, adopted.Args = true, slices.Clone(line.Args)
		if p.Source == model.FromWhole {
			if name, deep := strings.CutPrefix(line.Name(), p.Name+"."); !deep {
				adopted.Args = slices.DeleteFunc(adopted.Args, func(a directive.Arg) bool { return a.Key != "omit" && a.Key != "only" && (!a.Bare || a.Quoted) })
			} else if !slices.ContainsFunc(v.args.lines, func(l *directive.Directive) bool { return l.Name() == line.Name() }) {
				adopted.Args[0].Value = name
			}
		}
		if len(adopted.Args) > 1 {
			lines = append(lines, &adopted)
		}
	}
	v.args.lines = joinLines(v.args.lines, lines)
}

// arguments returns the arguments that inject functions need in addition to those in object. It
// completes arguments in object that they share.
func (v *needs) arguments(object *model.Type, feature string) (more *model.Type, ok bool) {
	more, ok = &model.Type{Kind: model.Struct}, true
	taken := map[string]bool{}
	for _, p := range slices.Concat([]*model.Param{v.call.Recv}, v.call.Func.Params) {
		if p == nil {
			continue
		}
		taken[p.Name] = true
		if p.Field != nil {
			taken[p.Field.Path[0].Name] = true
		}
	}
	for _, q := range v.open {
		if p := v.same(q); p != nil {
			if !p.Inlined && p.Field.Description == "" {
				p.Field.Description = v.comment(q)
			}
			q.Field, q.Inlined, q.Shared = p.Field, p.Inlined, true
			continue
		}
		part := v.argument(q, feature)
		if part == nil {
			ok = false
			continue
		}
		variable := q.Name
		for i := 2; taken[variable]; i++ {
			variable = q.Name + strconv.Itoa(i)
		}
		taken[variable] = true
		for _, f := range slices.Concat(part.Fields, part.Fixed) {
			f.Path = slices.Clone(f.Path)
			f.Path[0].Name = variable
		}
		q.Field, q.Inlined = &model.Field{Name: q.Name, Path: []model.Selector{{Name: variable}}}, true
		for _, f := range part.Fields {
			q.Inlined = f.Path[0].Inlined != nil
			if !q.Inlined {
				q.Field = f
			}
			ok = v.join(q, f, object, more) && ok
		}
		more.Fixed = append(more.Fixed, part.Fixed...)
	}
	return more, ok
}

// argument makes the object that one parameter alone would be. It returns nil after a diagnostic.
func (v *needs) argument(q *need, feature string) *model.Type {
	at := q.by.at().At(q.Pos)
	field := v.types.Param(q.Name, q.Type, false, at.In("argument "+q.Name))
	if field == nil {
		return nil
	}
	if text := v.comment(q); text != "" {
		field.Description = text
	}
	object, ok := v.types.ApplyArgs(&model.Type{Kind: model.Struct, Fields: []*model.Field{field}}, feature, q.lines, at)
	if !ok {
		return nil
	}
	return v.types.WithoutEmptied(object, feature, nil)
}

// comment returns the comment on a parameter of an inject function.
func (v *needs) comment(q *need) string {
	return cmp.Or(q.by.pkg.ParamComments(funcType(q.by.decl))[q.Name], load.ListItems(v.docs.Of(q.by.fn))[q.Name])
}

// join adds an argument to more, unless object or more contains one of its name.
func (v *needs) join(q *need, f *model.Field, object, more *model.Type) bool {
	i := slices.IndexFunc(object.Fields, func(g *model.Field) bool { return g.Name == f.Name })
	from := object
	if i < 0 {
		from = more
		if i = slices.IndexFunc(more.Fields, func(g *model.Field) bool { return g.Name == f.Name }); i < 0 {
			more.Fields = append(more.Fields, f)
			return true
		}
	}
	other := from.Fields[i]
	at := v.at.In("argument " + f.Name)
	refuse := func(hint, format string, args ...any) bool {
		v.diags.Errorf(at.Pos, at.Subject, format, args...).Relate(q.Pos, "the parameter of "+q.by.provider.Func).Relate(other.Pos, "the other one").Hint = hint
		return false
	}
	rename := "rename one of them: //mcp:arg " + argPath(q.Param, v.types.Origin(f)) + " name=... above " + q.by.provider.Func
	switch {
	case q.Inlined:
		return refuse(rename, "%s needs a member %[2]s of %[3]s, and there is an argument %[2]s already", q.by.provider.Func, f.Name, q.Name)
	case !types.Identical(other.Type.Go, q.Type):
		return refuse("give both the same type, or "+rename, "its type is %s, and %s needs one of type %s", v.goType(other.Type), q.by.provider.Func, v.shortType(q.Type))
	case from == more && schema.Contradiction(other, f) != "":
		return refuse("describe it in one place, or above the feature: //mcp:arg "+f.Name, "two inject functions give it different values of %s", schema.Contradiction(other, f))
	case slices.ContainsFunc(other.Path, func(s model.Selector) bool { return s.Pointer != nil }):
		return refuse("take it as a parameter, or "+rename, "%s needs it, and it is behind an embedded pointer, so that it may not be there", q.by.provider.Func)
	}
	q.Field, q.Shared = other, true
	return v.types.Complete(other, f, v.line(other), at.At(q.Pos))
}

// line returns the feature's line for an argument, or nil.
func (v *needs) line(f *model.Field) *directive.Directive {
	for _, line := range v.args.lines {
		if name := line.Name(); name[strings.LastIndex(name, ".")+1:] == v.types.Origin(f) {
			return line
		}
	}
	return nil
}

// argPath returns the name that lines use for an argument of a parameter, which may be a member of
// it.
func argPath(p *model.Param, member string) string {
	if p.Inlined {
		return p.Name + "." + member
	}
	return p.Name
}
