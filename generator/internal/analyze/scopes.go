package analyze

import (
	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/internal/valid"
)

// scopesOver reads scopes=, or returns the defaults' scopes. It returns ok unchanged unless a scope
// is not valid.
func (a *analyzer) scopesOver(defaults []string, dir *directive.Directive, at diag.Place, ok bool) ([]string, bool) {
	arg, set := dir.Get("scopes")
	if !set {
		return defaults, ok
	}
	scopes, problems := readScopes(arg)
	for _, item := range problems {
		d := a.diags.Errorf(item.Pos, at.Subject, "%q is not a scope", item.Value)
		d.Hint = `a scope has ASCII characters, and no quotes or backslashes (RFC 6749, section 3.3): scopes="books:read books:write"`
		ok = false
	}
	return scopes, ok
}

// checkDefaultScopes reports wrong scopes of //mcp:defaults, once for all features.
func (a *analyzer) checkDefaultScopes() {
	for _, d := range a.declared("defaults") {
		a.scopesOver(nil, d.dir, diag.Place{Pos: d.dir.Pos, Subject: "//mcp:defaults"}, true)
	}
}

// readScopes returns the scopes in a value, and the items that are not valid scopes.
func readScopes(arg directive.Arg) (scopes []string, problems []directive.Item) {
	for _, item := range arg.Names() {
		if valid.IsScope(item.Value) {
			scopes = append(scopes, item.Value)
		} else {
			problems = append(problems, item)
		}
	}
	return scopes, problems
}
