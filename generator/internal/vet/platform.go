package vet

import (
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// platformTypes: see the table.
func (c *checker) platformTypes() {
	lengths := c.platformLengths()
	for _, f := range c.features {
		if f.call == nil {
			continue
		}
		seen, said := map[*model.Type]bool{}, map[*types.TypeName]bool{}
		if f.call.Input != nil {
			c.platformTypesIn(f, f.call.Input.Object, lengths, seen, said)
		}
		c.platformTypesIn(f, f.call.Result.Output, lengths, seen, said)
		// Generated code names these, although no client sees them.
		if r := f.call.Func.Receiver; r != nil {
			c.platformType(f, r.Type, said)
		}
		for _, p := range f.call.Func.Params {
			if p.Type != nil {
				c.platformType(f, p.Type, said)
			}
		}
	}
}

// platformType looks at a declared type, or what a pointer or a list is of.
func (c *checker) platformType(f *feature, t types.Type, said map[*types.TypeName]bool) {
	for {
		t = types.Unalias(t)
		switch u := t.(type) {
		case *types.Pointer:
			t = u.Elem()
			continue
		case *types.Slice:
			t = u.Elem()
			continue
		case *types.Named:
			// A type may have a plan for arguments and another for results.
			if said[u.Obj()] {
				return
			}
			said[u.Obj()] = true
			if why := c.pkg.ConstraintAt(u.Obj().Pos()); why != "" {
				c.report(f.set, f.pos, f.subject, "declare it in a file that every build has; elsewhere the contract may be another one, and the generated file not compile",
					"the type %s is declared in a file with a build constraint (%s)", types.TypeString(u, c.qualifier), why)
			}
		}
		return
	}
}

// platformValues looks at the constants of an enumeration.
func (c *checker) platformValues(f *feature, t *model.Type) {
	if t.Enum == nil {
		return
	}
	var names []string
	why := ""
	for _, v := range t.Enum.Values {
		if v.Platform && !v.Said && v.Const != nil {
			names, why = append(names, v.Const.Name()), c.pkg.ConstraintAt(v.Const.Pos())
		}
	}
	if len(names) > 0 {
		c.report(f.set, f.pos, f.subject, "declare them for every build, or say with //mcp:enum with= or without= whether they are values",
			"constants of the type %s are declared in a file with a build constraint (%s): %s", types.TypeString(t.Go, c.qualifier), why, strings.Join(names, ", "))
	}
}

// qualifier writes a type as the source of the package would.
func (c *checker) qualifier(p *types.Package) string {
	if p.Path() == c.pkg.Path {
		return ""
	}
	return p.Name()
}

func (c *checker) platformTypesIn(f *feature, t *model.Type, lengths []platformLength, seen map[*model.Type]bool, said map[*types.TypeName]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	if named, ok := types.Unalias(t.Go).(*types.Named); ok && !said[named.Obj()] {
		c.platformValues(f, t)
		c.platformType(f, named, said)
	}
	if t.Go != nil {
		for _, length := range lengths {
			if types.Identical(t.Go.Underlying(), length.array) {
				c.report(f.set, f.pos, f.subject, "write the length as a number, or use a slice; elsewhere the contract is another one, and the generated file does not compile",
					"the length of %s depends on %s", types.TypeString(t.Go, c.qualifier), length.why)
				break
			}
		}
	}
	for _, field := range t.Fields {
		c.platformTypesIn(f, field.Type, lengths, seen, said)
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			c.platformTypesIn(f, v.Type, lengths, seen, said)
		}
	}
	c.platformTypesIn(f, t.Elem, lengths, seen, said)
	c.platformTypesIn(f, t.Key, lengths, seen, said)
}
