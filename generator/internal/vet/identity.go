package vet

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// identityHint says how a function fills an argument, by the directive to write. names lead to it
// from the arguments, as //mcp:arg has them; nil if no directive can.
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

// argName is what //mcp:arg calls a field, whose published name it may have set.
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

// identityArguments: see the table.
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

// identityFields reports fields. names are those that //mcp:arg has for what holds them, nil for
// what it cannot fill.
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

// walk visits the structs that a type leads to, each once, without going through their fields.
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
