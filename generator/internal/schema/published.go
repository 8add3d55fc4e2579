package schema

import (
	"go/token"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// memberKey identifies a field of a struct by its position and the package that is generated for.
// Copies of its plan keep the position.
func (r *Resolver) memberKey(pos token.Position, name string) string {
	return r.pkg.Path + " " + pos.Filename + ":" + strconv.Itoa(pos.Line) + ":" + strconv.Itoa(pos.Column) + " " + name
}

// Concerns reports whether a diagnostic with this member belongs to the package, and not to another
// one in the same run.
func (r *Resolver) Concerns(member string) bool { return strings.HasPrefix(member, r.pkg.Path+" ") }

// Published returns the fields of structs in values of some types, in the form of a diagnostic's
// member.
func (r *Resolver) Published(roots []*model.Type) map[string]bool {
	members, seen := map[string]bool{}, map[*model.Type]bool{}
	var visit func(t *model.Type)
	visit = func(t *model.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		visit(t.Elem)
		visit(t.Key)
		for _, f := range t.Fields {
			if n := len(f.Path); n > 0 {
				members[r.memberKey(f.Pos, f.Path[n-1].Name)] = true
			}
			visit(f.Type)
		}
		if t.Union != nil {
			for _, v := range t.Union.Variants {
				visit(v.Type)
			}
		}
	}
	for _, t := range roots {
		visit(t)
	}
	return members
}
