package contract

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// argumentAliasesMember is a member of tools in contracts that the protocol does not define: the
// former names of arguments, as PATH=FORMER.
const argumentAliasesMember = "argumentAliases"

// ArgumentAliases sets the former names of arguments of a tool, if it exists: behind the path of
// the present name follow = and the former name. Lists do not contain them.
func (c *Contract) ArgumentAliases(tool string, aliases ...string) {
	if len(aliases) == 0 {
		return
	}
	for _, f := range c.features[Tool] {
		if f.key == tool {
			f.set(argumentAliasesMember, aliases)
		}
	}
}

// argumentAlias is a former name of an argument or of a member of one.
type argumentAlias struct {
	path   string // of the argument
	parent string // of the object that has it, "" for the arguments
	name   string
	former string
}

// old is the former path.
func (a *argumentAlias) old() string { return strings.TrimSuffix(a.path, a.name) + a.former }

// argumentAliases returns the former names of the arguments of a tool.
func argumentAliases(tool *jsontree.Value) []argumentAlias {
	var all []argumentAlias
	for _, line := range (&feature{value: tool}).texts(argumentAliasesMember) {
		path, former, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		a := argumentAlias{path: path, name: path, former: former}
		if i := strings.LastIndexByte(path, '.'); i >= 0 {
			a.parent, a.name = path[:i], path[i+1:]
		}
		all = append(all, a)
	}
	return all
}

// argumentNames compares the former names of arguments, which results of a server do not contain.
// It returns the old schema with the names that arguments have now, where the old name still holds.
func (d *differ) argumentNames(old, now, before, after *jsontree.Value) *jsontree.Value {
	if d.after.answer() {
		return before
	}
	was, is := argumentAliases(old), argumentAliases(now)
	for _, a := range was {
		if slices.ContainsFunc(is, func(b argumentAlias) bool { return a.old() == b.old() }) || property(after, a.parent, a.former) != nil {
			continue
		}
		d.argument(Breaking, a.path, text(a.former), nil, "the former name "+a.former+" removed")
	}
	for _, b := range is {
		known := slices.ContainsFunc(was, func(a argumentAlias) bool { return a.old() == b.old() })
		if property(before, b.parent, b.former) == nil || property(before, b.parent, b.name) != nil || property(after, b.parent, b.former) != nil {
			if !known {
				d.argument(Compatible, b.path, nil, text(b.former), "the former name "+b.former+" added")
			}
			continue
		}
		before = renamed(before, steps(b.parent), b.former, b.name)
		d.argument(Compatible, b.old(), text(b.former), text(b.name), "renamed to "+b.name+", which still answers to the old name")
	}
	return before
}

func text(s string) *jsontree.Value { return &jsontree.Value{Kind: jsontree.Text, Text: s} }

func (d *differ) argument(class Class, path string, old, now *jsontree.Value, text string) {
	d.Changes = append(d.Changes, Change{
		Class: class, Kind: d.kind, Name: d.name, Place: "argument", Path: path, Rule: argumentAliasesMember,
		Old: old.JSON(), New: now.JSON(), Text: text,
	})
}

// steps splits the path of an object: names, [] and *.
func steps(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")
}

// keywords returns the keywords that lead from a schema to the schema one step below it.
func keywords(step string) []string {
	switch step {
	case "[]":
		return []string{"items"}
	case "*":
		return []string{"additionalProperties"}
	}
	return []string{"properties", step}
}

// property returns the schema of a member of the object at a path, or nil. It does not follow
// references: what is behind one counts as another name, which is the strict side.
func property(schema *jsontree.Value, path, name string) *jsontree.Value {
	for _, step := range append(steps(path), name) {
		for _, keyword := range keywords(step) {
			schema = schema.Get(keyword)
		}
	}
	return schema
}

// renamed returns a copy of a schema in which a property of the object at a path has another name.
func renamed(schema *jsontree.Value, path []string, from, to string) *jsontree.Value {
	if len(path) == 0 {
		schema = replaced(schema, "properties", func(v *jsontree.Value) *jsontree.Value {
			c := &jsontree.Value{Kind: v.Kind, Members: slices.Clone(v.Members)}
			for i := range c.Members {
				if c.Members[i].Name == from {
					c.Members[i].Name = to
				}
			}
			return c
		})
		return replaced(schema, "required", func(v *jsontree.Value) *jsontree.Value {
			c := &jsontree.Value{Kind: v.Kind, Items: slices.Clone(v.Items)}
			for i, item := range c.Items {
				if item.Kind == jsontree.Text && item.Text == from {
					c.Items[i] = text(to)
				}
			}
			return c
		})
	}
	below := keywords(path[0])
	return replaced(schema, below[0], func(v *jsontree.Value) *jsontree.Value {
		if len(below) == 1 {
			return renamed(v, path[1:], from, to)
		}
		return replaced(v, below[1], func(v *jsontree.Value) *jsontree.Value { return renamed(v, path[1:], from, to) })
	})
}

// replaced returns a copy of an object in which f has changed a member, if it has that member.
func replaced(v *jsontree.Value, name string, f func(*jsontree.Value) *jsontree.Value) *jsontree.Value {
	if v.Get(name) == nil {
		return v
	}
	c := &jsontree.Value{Kind: v.Kind, Members: slices.Clone(v.Members)}
	for i := range c.Members {
		if c.Members[i].Name == name {
			c.Members[i].Value = f(c.Members[i].Value)
		}
	}
	return c
}
