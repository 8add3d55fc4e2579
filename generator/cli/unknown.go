package cli

import (
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/suggest"
)

// published is a feature's name, with the function behind it.
type published struct {
	name string
	fn   model.Func
}

// unknown reports an unknown feature of a package, with the one that was probably meant: with a
// similar name, or with that Go function behind it.
func (c *command) unknown(subcommand, kind, name string, known []published) int {
	if len(known) == 0 {
		return c.usage(subcommand, "unknown "+kind+" "+name, "the package has no "+kind+"s of its own; name the one whose functions are annotated")
	}
	var names []string
	meant := ""
	for _, p := range known {
		names = append(names, p.name)
		if p.fn.Name == name || p.fn.Symbol == name {
			meant = p.name
		}
	}
	if near := suggest.Word(name, names); near != "" {
		meant = near
	}
	hint := "the " + kind + "s are:"
	if meant != "" {
		hint = "did you mean " + meant + "? The " + kind + "s are:"
	}
	return c.usage(subcommand, "unknown "+kind+" "+name, hint)
}
