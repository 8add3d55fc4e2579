package analyze

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// nameResults gives results the names of //mcp:result, in their order.
func (a *analyzer) nameResults(values []*model.ResultValue, dir *directive.Directive, at diag.Place) bool {
	words := dir.Words()
	fail := func(pos token.Position, hint, format string, args ...any) bool {
		a.diags.Errorf(pos, at.In("result").Subject, format, args...).Hint = hint
		return false
	}
	switch {
	case len(words) == 0:
		return fail(dir.Pos, "name each result that is not an error: //mcp:result rows total", "//mcp:result has no name")
	case len(words) != len(values):
		hint := "name each result that is not an error, in their order; _ leaves one out"
		if slices.ContainsFunc(words, func(w directive.Arg) bool { return strings.Contains(w.Value, ",") }) {
			hint = "put spaces between the names"
		}
		return fail(words[0].Pos, hint, "//mcp:result has %s, and the function has %s that can be named", count(len(words), "name"), count(len(values), "result"))
	case len(words) == 1 && words[0].Value != "_":
		return fail(words[0].Pos, "delete the line", "the only value is the whole result, which has no name")
	}
	ok := true
	for i, word := range words {
		v, name := values[i], word.Value
		if name == "_" {
			v.Role = model.RoleLeftOut
			continue
		}
		switch {
		case checkName(name) == nameBad:
			ok = fail(word.Pos, "use letters, digits, _, . and -, and spaces between names", "the name %q is not allowed", name)
		case slices.ContainsFunc(words[:i], func(w directive.Arg) bool { return w.Value == name }):
			ok = fail(word.Pos, "choose another name", "two results have the name %s", name)
		}
		v.Published, v.Pos = name, word.Pos
		if v.Name = name; !token.IsIdentifier(name) {
			v.Name = freeName(words, i)
		}
	}
	return ok
}

// freeName returns an identifier for a result without a published name.
func freeName(words []directive.Arg, i int) string {
	name := fmt.Sprintf("value%d", i+1)
	for slices.ContainsFunc(words, func(w directive.Arg) bool { return w.Value == name }) {
		name += "_"
	}
	return name
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
