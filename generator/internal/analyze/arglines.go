package analyze

import (
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// sharedLine is an //mcp:arg of a package comment or of a type.
type sharedLine struct {
	*directive.Directive
	recv string // the type; "" for the package
	// words are the directives (tool, resource, prompt) of the features with the argument.
	words map[string]bool
}

// collectShared reads the //mcp:arg of the package comment and of types.
func (a *analyzer) collectShared() {
	for _, d := range a.declared("arg") {
		line := &sharedLine{Directive: d.dir, words: map[string]bool{}}
		switch d.set.Target {
		case directive.Package:
		case directive.Type:
			line.recv = d.set.Name
		default:
			continue
		}
		at := diag.Place{Pos: d.dir.Pos, Subject: "//mcp:arg " + d.dir.Name()}
		if by, set := d.dir.Get("inject"); set {
			a.diags.Errorf(by.Pos, at.Subject, "inject= is about one feature").Hint = "write //mcp:defaults inject=" + d.dir.Name() + ":" + by.Value
			continue
		}
		i := slices.IndexFunc(a.sharedLines, func(l *sharedLine) bool { return l.recv == line.recv && l.Name() == line.Name() })
		if i >= 0 {
			a.diags.Errorf(at.Pos, at.Subject, "given twice in the package comments of one package").Relate(a.sharedLines[i].Pos, "the other one").
				Hint = "put everything into one line"
			continue
		}
		a.sharedLines = append(a.sharedLines, line)
	}
}

// sharedFor returns the lines for a feature, from its receiver type, its package, and the package
// that emits it.
func (a *analyzer) sharedFor(d declared) []*sharedLine {
	of := func(a *analyzer, recv string) []*sharedLine {
		return slices.DeleteFunc(slices.Clone(a.sharedLines), func(l *sharedLine) bool { return l.recv != recv })
	}
	var all []*sharedLine
	if recv := a.ownerName(d); recv != "" {
		all = append(all, of(a, recv)...)
	}
	all = append(all, of(a, "")...)
	if a.from != nil {
		all = append(all, of(a.root(), "")...)
	}
	return all
}

// argSet collects the lines of a feature.
func (a *analyzer) argSet(d declared) *argSet {
	args := &argSet{own: d.set.All("arg")}
	for _, shared := range a.sharedFor(d) {
		line := *shared.Directive
		line.Far = true
		args.far = joinLines(args.far, []*directive.Directive{&line})
	}
	a.use(d, args.own)
	args.all = joinLines(args.own, args.far)
	args.lines = args.all
	return args
}

// settleFar drops the lines of types and packages that match no argument of the feature. around are
// the parameters whose members may be named without the parameter: a line matches a member under
// either name.
func (a *analyzer) settleFar(call *model.Call, object *model.Type, around []string, args *argSet, d declared) {
	if len(args.far) == 0 {
		return
	}
	plain := func(name string) string {
		if first, rest, deep := strings.Cut(name, "."); deep && slices.Contains(around, first) {
			return rest
		}
		return name
	}
	var all, lines []*directive.Directive
	for _, line := range args.all {
		open := slices.Contains(args.lines, line)
		if line.Far {
			if line = a.applicable(call, object, around, args, line); line == nil {
				continue
			}
			if i := slices.IndexFunc(all, func(l *directive.Directive) bool { return plain(l.Name()) == plain(line.Name()) }); i >= 0 {
				joined := joinLine(all[i], line)
				if k := slices.Index(lines, all[i]); k >= 0 {
					lines[k] = joined
				}
				all[i] = joined
				continue
			}
		}
		all = append(all, line)
		if open {
			lines = append(lines, line)
		}
	}
	args.all, args.lines = all, lines
	a.use(d, all)
}

// applicable returns a line of a type or package in the form for the feature, or nil if it matches
// no argument.
func (a *analyzer) applicable(call *model.Call, object *model.Type, around []string, args *argSet, line *directive.Directive) *directive.Directive {
	if a.types.HasArg(object, line, args.all) || hidden(call, line) || slices.Contains(around, line.Name()) {
		return line
	}
	first, rest, _ := strings.Cut(line.Name(), ".")
	if object.Go == nil || !slices.Contains(around, first) {
		return nil
	}
	member := *line // for the one struct parameter, whose lines name only its members
	member.Args = slices.Clone(line.Args)
	member.Args[0].Value = rest
	if !a.types.HasArg(object, &member, args.all) {
		return nil
	}
	return &member
}

// use marks the lines of types and packages that one feature uses.
func (a *analyzer) use(d declared, lines []*directive.Directive) {
	for _, shared := range a.sharedFor(d) {
		if slices.ContainsFunc(lines, func(l *directive.Directive) bool {
			return l.Name() == shared.Name() || slices.ContainsFunc(l.Args, func(arg directive.Arg) bool { return slices.ContainsFunc(shared.Args, samePlace(arg)) })
		}) {
			shared.words[d.dir.Word] = true
		}
	}
}

func samePlace(a directive.Arg) func(directive.Arg) bool {
	return func(b directive.Arg) bool { return a.Pos == b.Pos }
}

// hidden reports whether a parameter is not an argument because of a line.
func hidden(call *model.Call, line *directive.Directive) bool {
	return hides(line) && slices.ContainsFunc(call.Func.Params, func(p *model.Param) bool {
		return p.Name == line.Name() && (p.Source == model.FromZero || p.Source == model.FromFixed)
	})
}

// checkShared refuses lines of types and packages that match no argument.
func (a *analyzer) checkShared() {
	if a.damaged || len(a.refused) > 0 {
		return // an unreadable directive may belong to the argument
	}
	failed := a.diags.HasErrors() // a refused feature may have the argument
	for _, line := range a.sharedLines {
		var names []string
		has := a.mentions(&fill{name: line.Name(), path: strings.Split(line.Name(), "."), recv: line.recv}, &names)
		switch {
		case len(line.words) > 0:
			if !failed && a.from == nil { // otherwise another package may emit more
				a.checkWords(line.Directive, line.words, diag.Place{Pos: line.Pos, Subject: "//mcp:arg " + line.Name()})
			}
			continue
		case has && (failed || a.from != nil):
			continue
		}
		what := "no feature of the package has the argument %s"
		if line.recv != "" {
			what = "no method of " + line.recv + " that is a feature has the argument %s"
		}
		e := a.diags.Errorf(line.Pos, "//mcp:arg "+line.Name(), what, line.Name())
		e.Hint = "delete it, or name a parameter, or a member of one by its JSON name: req.userId"
		if near := diag.Nearest(line.Name(), names); near != "" && !has {
			e.Hint = "did you mean " + near + "?"
		}
	}
}

// checkWords refuses keys of a line that have no effect on any of its features.
func (a *analyzer) checkWords(line *directive.Directive, words map[string]bool, at diag.Place) {
	if arg, set := line.Get("complete"); set && !words["prompt"] && !words["resource"] {
		a.diags.Errorf(arg.Pos, at.Subject, "clients complete arguments of prompts and variables of resource templates, and only tools have the argument").Hint = "leave complete= out"
	}
	if arg, set := line.Get("alias"); set && !words["tool"] {
		a.diags.Errorf(arg.Pos, at.Subject, "only arguments of tools have former names, and no tool has the argument").Hint = "leave alias= out"
	}
}

// homeOf returns the analyzer of the package whose source contains a position.
func (a *analyzer) homeOf(pos token.Position) *analyzer {
	for _, source := range a.sources {
		if source.holds(pos) {
			return source
		}
	}
	return a
}

// joinLines joins //mcp:arg lines of two places: the nearer ones take precedence, key by key.
func joinLines(near, far []*directive.Directive) []*directive.Directive {
	all := slices.Clone(near)
	for _, line := range far {
		i := slices.IndexFunc(all, func(l *directive.Directive) bool { return l.Name() == line.Name() })
		if i < 0 {
			all = append(all, line)
		} else {
			all[i] = joinLine(all[i], line)
		}
	}
	return all
}

// joinLine completes a line by a line farther away.
func joinLine(near, far *directive.Directive) *directive.Directive {
	joined := *near
	joined.Args = slices.Clone(near.Args)
	for _, arg := range far.Args {
		if !settles(near, arg) {
			arg.Far = true
			joined.Args = append(joined.Args, arg)
		}
	}
	return &joined
}

// settles reports whether a line sets or rules out the same key as an argument of another line.
func settles(line *directive.Directive, arg directive.Arg) bool {
	if arg.Bare && !arg.Quoted || hides(line) {
		return true
	}
	if arg.Bare {
		_, set := line.Description()
		return set
	}
	return slices.ContainsFunc(append(slices.Clone(rivals[arg.Key]), arg.Key), line.Has)
}

// rivals are, for each key, the keys of a nearer line that make it meaningless.
var rivals = map[string][]string{
	"required":      {"optional", "default"},
	"optional":      {"required"},
	"default":       {"required"},
	"enum":          {keyword.Choices},
	keyword.Choices: {"enum"},
}

// hides reports whether a line keeps its argument from being published.
func hides(line *directive.Directive) bool {
	omit, _ := line.Flag("omit")
	by, filled := line.String("inject")
	return omit || line.Has("fixed") || filled && by != published
}
