package analyze

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// collectTools turns every //mcp:tool into a tool of the model.
func (a *analyzer) collectTools() {
	for _, d := range a.selected("tool") {
		if tool := a.tool(d); tool != nil {
			a.out.Tools = append(a.out.Tools, tool)
		}
	}
}

// finishTools puts the tools in the order of their names.
func (a *analyzer) finishTools() {
	slices.SortFunc(a.out.Tools, func(x, y *model.Tool) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Func.Symbol, y.Func.Symbol))
	})
	a.checkNames()
}

// tool builds one tool. It returns nil if it reported a diagnostic.
func (a *analyzer) tool(d declared) *model.Tool {
	at := diag.Place{Pos: d.dir.Pos, Subject: "tool " + d.set.Name}
	fn, ok := a.object(d.set).(*types.Func)
	if !ok {
		// The type checker skips only declarations such as a second function of the same name.
		a.diags.Errorf(at.Pos, at.Subject, "the function could not be type-checked").Hint = "make the package compile without mcp_gen.go"
		return nil
	}
	if !a.usable(d, fn, at) {
		return nil
	}
	settings := a.settingsFor(d)
	tool := &model.Tool{Pos: d.dir.Pos, MayBeLarge: a.ignored(d, "large-schema")}
	if tool.Func, ok = a.function(fn, d, at); !ok {
		return nil
	}
	if required, set := d.dir.String("required"); set {
		settings.tagged = required == "tagged"
	}
	a.readTags(settings, d.set)
	ok = a.setIdentity(tool, d, settings, at)
	ok = a.setBehavior(tool, d.dir, settings, at) && ok
	ok = a.toolUI(tool, d.dir, at) && ok
	ok = a.input(&tool.Call, tool.Name, d, fn, at) && ok
	ok = ok && a.types.CheckAliases(tool.Input.Object, at) && a.types.CheckHeaders(tool.Input.Object, tool.Defs, at)
	ok = a.media(tool, d, at) && ok
	ok = a.noCompletion(d, at) && ok
	result, good := a.result(d, fn, a.toolResult(tool.MIME), at)
	tool.Result = result
	if !ok || !good || !a.output(tool, d.dir, at) || !a.shorten(tool, d.dir, at) || !a.encode(tool, d.dir, settings, at) {
		return nil
	}
	limits(tool)
	return tool
}

// usable reports whether a function can be a feature.
func (a *analyzer) usable(d declared, fn *types.Func, at diag.Place) bool {
	if fn.Signature().TypeParams().Len() > 0 {
		a.diags.Errorf(at.Pos, at.Subject, "a generic function cannot be a %s: a client cannot choose a type", d.dir.Word).
			Hint = "annotate a function without type parameters that calls it"
		return false
	}
	if fn.Name() == "_" || fn.Name() == "init" || fn.Name() == "main" && a.out.Main && fn.Signature().Recv() == nil {
		a.diags.Errorf(at.Pos, at.Subject, "func %s cannot be called by generated code", fn.Name()).Hint = "give the function another name"
		return false
	}
	return !a.invalid(fn, d.set.Node, at)
}

// invalid reports a function whose signature could not be type-checked, together with the errors
// that explain it.
func (a *analyzer) invalid(fn *types.Func, node ast.Node, at diag.Place) bool {
	if !load.InvalidIn(fn.Type()) {
		return false
	}
	d := a.diags.Errorf(at.Pos, at.Subject, "the signature does not compile, so nothing can be generated for it")
	d.Related = a.pkg.Explain(node, fn.Type())
	d.Hint = "fix what the compiler reports; the generated file is not needed for it"
	return true
}

// setIdentity sets name, title, description, groups, aliases and icons.
func (a *analyzer) setIdentity(tool *model.Tool, d declared, s settings, at diag.Place) bool {
	tool.Name = s.publishedName(d)
	ok := a.goodName(tool.Name, at.At(valuePos(d.dir, "name")))
	tool.Title, _ = d.dir.String("title")
	tool.Description = a.featureDescription(d)
	tool.Groups = s.groups
	if groups, set := d.dir.List("group"); set {
		tool.Groups = groups
	}
	if alias, set := d.dir.Get("alias"); set {
		for _, item := range alias.Names() {
			tool.Aliases = append(tool.Aliases, s.withPrefix(item.Value))
			ok = a.goodName(s.withPrefix(item.Value), at.At(item.Pos)) && ok
		}
	}
	tool.Icons, ok = a.iconsOver(s.icons, d.dir, at, ok)
	tool.Scopes, ok = a.scopesOver(s.scopes, d.dir, at, ok)
	tool.Meta, ok = a.meta(d.dir, at, ok)
	return ok
}

// valuePos returns the position of a key's value, or the zero position if the key is missing.
func valuePos(dir *directive.Directive, key string) token.Position {
	arg, _ := dir.Get(key)
	return arg.ValuePos
}

// goodResourceName checks the name of a resource, which the specification does not restrict: it may
// consist of several words.
func (a *analyzer) goodResourceName(name string, at diag.Place) bool {
	if strings.TrimSpace(name) == name && name != "" && !strings.Contains(name, "\n") {
		return true
	}
	a.diags.Errorf(at.Pos, at.Subject, "the name %q is empty, has several lines, or has white space around it", name).
		Hint = "name=\"Price list\" on the directive sets it"
	return false
}

// goodName checks a published name.
func (a *analyzer) goodName(name string, at diag.Place) bool {
	switch checkName(name) {
	case nameRisky:
		a.diags.Warnf(at.Pos, at.Subject, "the name %q is allowed by the specification, but some clients refuse it", name).
			Hint = "use at most 64 letters, digits, _ and -"
	case nameBad:
		a.diags.Errorf(at.Pos, at.Subject, "the name %q is not allowed", name).
			Hint = "use at most 64 letters, digits, _ and -; name= on the directive sets it"
		return false
	}
	return true
}

// setBehavior sets hints, limits and the display of errors.
func (a *analyzer) setBehavior(tool *model.Tool, dir *directive.Directive, s settings, at diag.Place) bool {
	flags := hintsOf(dir).over(s.hints)
	tool.Hints = flags.hints()
	tool.EffectSaid, tool.ReachSaid = flags.said()
	tool.Timeout, tool.MaxResult, tool.Lenient, tool.Defs, tool.Output = s.timeout, s.maxResult, s.lenient, s.defs, s.output
	if timeout, set := dir.Duration("timeout"); set {
		tool.Timeout = timeout
	}
	if size, set := dir.Size("maxresult"); set {
		tool.MaxResult = size
	}
	if value, set := dir.Flag("lenient"); set {
		tool.Lenient = value
	}
	tool.HideErrors, tool.ErrorsSaid = s.hideErrors, s.errorsSaid
	ok := a.task(tool, dir, s.task, at)
	return a.requires(&tool.Requires, dir, at) && ok
}

// ignored reports whether //mcp:ignore suppresses a rule for a feature or for its package.
func (a *analyzer) ignored(d declared, rule string) bool {
	for _, other := range a.declared("ignore") {
		words := strings.Fields(other.dir.Text)
		if len(words) > 0 && words[0] == rule && (other.set == d.set || other.set.Target == directive.Package) {
			return true
		}
	}
	return false
}

// output reads output= of a tool. Results without structured content do not need it.
func (a *analyzer) output(tool *model.Tool, dir *directive.Directive, at diag.Place) bool {
	word, set := dir.String("output")
	if !set {
		return true
	}
	if tool.Result.Output == nil {
		a.diags.Errorf(valuePos(dir, "output"), at.Subject, "output= is for structured results, and this one has no structured content").
			Hint = "leave output= out"
		return false
	}
	tool.Output = outputForm(word)
	return true
}

// checkNames refuses names and aliases that are published twice.
func (a *analyzer) checkNames() {
	first := map[string]*model.Tool{}
	claim := func(name string, tool *model.Tool, what string) {
		other := first[name]
		if other == nil {
			first[name] = tool
			return
		}
		later, earlier := tool, other
		if before(later, earlier) {
			later, earlier = earlier, later
		}
		a.diags.Errorf(later.Pos, "tool "+later.Func.Symbol, "the %s %q is already published by %s", what, name, earlier.Func.Symbol).
			Relate(earlier.Pos, "the other one").
			Hint = "give one of them another name: //mcp:tool name=..."
	}
	for _, tool := range a.out.Tools {
		claim(tool.Name, tool, "name")
	}
	for _, tool := range a.out.Tools {
		for _, alias := range tool.Aliases {
			claim(alias, tool, "alias")
		}
	}
}

// before reports whether x precedes y in the source.
func before(x, y *model.Tool) bool {
	return cmp.Or(cmp.Compare(x.Pos.Filename, y.Pos.Filename), cmp.Compare(x.Pos.Offset, y.Pos.Offset)) < 0
}
