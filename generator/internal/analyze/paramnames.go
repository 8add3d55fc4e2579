package analyze

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
)

// givenName is the name of a feature's parameter.
type givenName struct {
	name    string
	leftOut bool           // by _ in //mcp:params
	pos     token.Position // position of the word in //mcp:params, if there is one
}

// paramNames returns the names of a function's parameters: from its signature, and from
// //mcp:params for unnamed parameters. Missing words change nothing; checkParamNames reports them.
func paramNames(fn *types.Func, dir *directive.Directive) []givenName {
	var words []directive.Arg
	if dir != nil {
		words = dir.Words()
	}
	var names []givenName
	for v := range fn.Signature().Params().Variables() {
		n := givenName{name: v.Name()}
		if len(words) > 0 && unnamed(v) {
			n = givenName{name: words[0].Value, leftOut: words[0].Value == "_", pos: words[0].Pos}
			words = words[1:]
		}
		names = append(names, n)
	}
	return names
}

// unnamed reports whether //mcp:params gives a parameter its name.
func unnamed(v *types.Var) bool {
	return (v.Name() == "" || v.Name() == "_") && !isContext(v.Type())
}

// checkParamNames refuses //mcp:params that do not fit the signature. A variadic parameter at the
// end needs no name, since it is left empty if no client can fill it.
func (a *analyzer) checkParamNames(fn *types.Func, dir *directive.Directive, at diag.Place) bool {
	if dir == nil {
		return true
	}
	words, sig := dir.Words(), fn.Signature()
	if len(words) == 0 {
		return false // reported by the parser
	}
	fail := func(pos token.Position, hint, format string, args ...any) bool {
		a.diags.Errorf(pos, at.Subject, "//mcp:params: "+format, args...).Hint = hint
		return false
	}
	open := 0
	taken := map[string]bool{}
	for v := range sig.Params().Variables() {
		if unnamed(v) {
			open++
		} else {
			taken[v.Name()] = true
		}
	}
	optional := 0
	if sig.Variadic() && unnamed(sig.Params().At(sig.Params().Len()-1)) {
		optional = 1
	}
	switch {
	case open == 0:
		return fail(dir.Pos, "delete the line; name= of //mcp:arg publishes a parameter by another name", "each parameter has a name")
	case len(words) > open || len(words) < open-optional:
		hint := "name each parameter that has no name, in their order, but no context; _ leaves one out"
		if slices.ContainsFunc(words, func(w directive.Arg) bool { return strings.Contains(w.Value, ",") }) {
			hint = "put spaces between the names"
		}
		return fail(words[0].Pos, hint, "%s, and the function has %s without a name", count(len(words), "name"), count(open, "parameter"))
	}
	ok := true
	for _, word := range words {
		switch name := word.Value; {
		case name == "_":
		case !token.IsIdentifier(name):
			ok = fail(word.Pos, "name it as in Go; name= of //mcp:arg publishes it by another name", "%q is not the name of a parameter", name)
		case taken[name]:
			ok = fail(word.Pos, "choose another name", "two parameters have the name %s", name)
		default:
			taken[name] = true
		}
	}
	return ok
}

// unnamedHint returns a hint how to name the parameters of a function.
func (a *analyzer) unnamedHint(d declared, fn *types.Func) string {
	line := "//mcp:params"
	for v := range fn.Signature().Params().Variables() {
		if unnamed(v) {
			line += " NAME"
		}
	}
	hint := "name the parameters that have no name, in their order: " + line
	if d.set.Get("params") != nil {
		hint = "name it, too, in //mcp:params"
	}
	if a.calleeOf(d) == nil {
		hint = "give the parameter a name, or " + hint
	}
	return hint
}
