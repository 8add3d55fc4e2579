package vet

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// platformTypes: see the table.
func (c *checker) platformTypes() {
	for _, f := range c.features {
		if f.call == nil {
			continue
		}
		seen, said := map[*model.Type]bool{}, map[*types.TypeName]bool{}
		if f.call.Input != nil {
			c.platformTypesIn(f, f.call.Input.Object, seen, said)
		}
		c.platformTypesIn(f, f.call.Result.Output, seen, said)
	}
}

// qualifier writes a type as the source of the package would.
func (c *checker) qualifier(p *types.Package) string {
	if p.Path() == c.pkg.Path {
		return ""
	}
	return p.Name()
}

func (c *checker) platformTypesIn(f *feature, t *model.Type, seen map[*model.Type]bool, said map[*types.TypeName]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	// A type may have a plan for arguments and another for results.
	if named, ok := types.Unalias(t.Go).(*types.Named); ok && !said[named.Obj()] {
		said[named.Obj()] = true
		if why := c.pkg.ConstraintAt(named.Obj().Pos()); why != "" {
			c.report(f.set, f.pos, f.subject, "declare it in a file that every build has; elsewhere the contract may be another one, and the generated file not compile",
				"the type %s is declared in a file with a build constraint (%s)", types.TypeString(named, c.qualifier), why)
		}
	}
	for _, field := range t.Fields {
		c.platformTypesIn(f, field.Type, seen, said)
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			c.platformTypesIn(f, v.Type, seen, said)
		}
	}
	c.platformTypesIn(f, t.Elem, seen, said)
	c.platformTypesIn(f, t.Key, seen, said)
}
