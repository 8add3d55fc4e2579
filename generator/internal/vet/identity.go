package vet

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// identityHint returns the hint how a function can fill an argument, with the directive to write.
// names lead to the argument, in the form of //mcp:arg; nil if no directive can fill it.
func (c *checker) identityHint(f *feature, names []string, field *model.Field) string {
	const ignore = "; //mcp:ignore identity-argument REASON if it is not the caller's own"
	if names == nil || field.Type.Go == nil {
		return "take it from the request: make it a parameter, and name a function that fills it, //mcp:arg NAME inject=FUNC" + ignore
	}
	name := strings.Join(names, ".")
	fn := "current" + codec.Camel(names[len(names)-1])
	from := "take it from the request: "
	if f.resource != nil {
		from += "leave it out of the URI; "
	}
	t := types.TypeString(field.Type.Go, func(p *types.Package) string {
		if p == c.pkg.Types {
			return ""
		}
		return p.Name()
	})
	return fmt.Sprintf(from+"//mcp:arg %s inject=%s above the function, or inject=%[1]s:%[2]s in //mcp:defaults, "+
		"fills and hides it by func %[2]s(context.Context) (%[3]s, error)", name, fn, t) + ignore
}

// argName returns the name of a field in //mcp:arg, which may have set its published name.
func (f *feature) argName(field *model.Field) string {
	if f.set != nil {
		for _, line := range f.set.All("arg") {
			if name, set := line.String("name"); set && name == field.Name {
				return line.Name()[strings.LastIndex(line.Name(), ".")+1:]
			}
		}
	}
	return field.Name
}

// identityArguments checks the rule identity-argument.
func (c *checker) identityArguments() {
	needed := map[token.Position]bool{}
	for _, f := range c.features {
		for _, name := range f.variables {
			if !identity(name) {
				continue
			}
			for _, field := range f.arguments() {
				if field.Name == name {
					c.report(f.set, f.pos, f.subject+": variable "+name, c.identityHint(f, []string{f.argName(field)}, field), "the client chooses it")
				}
			}
		}
		if f.resource != nil {
			continue
		}
		seen := map[*model.Type]bool{}
		for _, field := range f.arguments() {
			if at, again := c.needed(f, field, needed); !again {
				c.identityFields(at, "", []string{}, []*model.Field{field}, seen)
			}
		}
	}
}

// identityFields reports fields. names are the names, in the form of //mcp:arg, that lead to their
// object; nil if //mcp:arg cannot fill them.
func (c *checker) identityFields(f *feature, path string, names []string, fields []*model.Field, seen map[*model.Type]bool) {
	for _, field := range fields {
		name := path + field.Name
		var here []string
		if names != nil {
			here = append(names[:len(names):len(names)], f.argName(field))
		}
		if identity(field.Name) {
			c.report(f.set, c.fieldPos(f, field), f.subject+": argument "+name, c.identityHint(f, here, field), "the model chooses it")
		}
		if t := field.Type; t.Kind != model.Struct && (t.Kind != model.Pointer || t.Elem.Kind != model.Struct) {
			here = nil
		}
		walk(field.Type, seen, func(t *model.Type) { c.identityFields(f, name+".", here, t.Fields, seen) })
	}
}

// walk visits the structs in a type, each once, but not the types of their fields.
func walk(t *model.Type, seen map[*model.Type]bool, visit func(*model.Type)) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	if len(t.Fields) > 0 {
		visit(t)
	}
	walk(t.Elem, seen, visit)
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			walk(v.Type, seen, visit)
		}
	}
}
