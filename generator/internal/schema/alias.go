package schema

import (
	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// CheckAliases refuses former names of arguments, and of their members, that another one in the
// same object uses.
func (r *Resolver) CheckAliases(object *model.Type, at diag.Place) bool {
	ok, seen := true, map[*model.Type]bool{}
	var walk func(t *model.Type, discriminator string)
	walk = func(t *model.Type, discriminator string) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		walk(t.Elem, discriminator)
		owners := map[string]*model.Field{discriminator: {Name: discriminator}}
		for _, f := range t.Fields {
			owners[f.Name] = f
		}
		for _, f := range t.Fields {
			walk(f.Type, "")
			for _, alias := range f.Aliases {
				s := site{Place: at.At(alias.Pos).In("argument " + f.Name), use: Argument}
				switch other := owners[alias.Name]; {
				case other == nil:
					owners[alias.Name] = f
					continue
				case other != f:
					r.errorf(s, "leave the former name out, or rename one of the two", "the former name %s is also the name of the argument %s", alias.Name, other.Name)
				case alias.Name == f.Name:
					r.errorf(s, "leave it out", "the former name %s is the name of the argument", alias.Name)
				default:
					r.errorf(s, "leave one out", "the former name %s is given twice", alias.Name)
				}
				ok = false
			}
		}
		if t.Union != nil {
			for _, v := range t.Union.Variants {
				walk(v.Type, t.Union.Discriminator)
			}
		}
	}
	walk(object, "")
	return ok
}
