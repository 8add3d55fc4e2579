package vet

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// columns are the tags from which database libraries read the column of a field.
var columns = []string{"gorm", "bun", "xorm", "db", "pg"}

// unpublishedRows checks the rule unpublished-row. It reports each type once.
func (c *checker) unpublishedRows() {
	seen := map[*model.Type]bool{}
	reported := map[string]bool{}
	for _, f := range c.inSource() {
		if f.call == nil {
			continue
		}
		report := func(t *model.Type) {
			if t.Go == nil || reported[t.Go.String()] {
				return
			}
			var first *model.Field
			var fields []string
			tag := ""
			for _, field := range t.Fields {
				if key := c.columnTag(t.Go, field); key != "" {
					if first == nil {
						first, tag = field, key
					}
					fields = append(fields, field.Name)
				}
			}
			if first == nil {
				return
			}
			reported[t.Go.String()] = true
			c.report(f.set, c.fieldPos(f, first), f.subject,
				"write the tag json for each: a name, or json:\"-\" for a field that is not for clients; or choose them by //mcp:result only= and //mcp:arg NAME only=",
				"fields of %s have the tag %s and no tag json, so all of them are published: %s", t.Name, tag, firstOf(fields))
		}
		var visit func(t *model.Type)
		visit = func(t *model.Type) {
			report(t)
			for _, field := range t.Fields {
				walk(field.Type, seen, visit)
			}
		}
		if in := f.call.Input; in != nil {
			walk(in.Object, seen, visit)
		}
		walk(f.call.Result.Output, seen, visit)
		if s := f.call.Result.Short; s != nil {
			walk(s.Of, seen, visit)
		}
	}
}

// columnTag returns the tag that names the column of a field without a tag json, or "". Fields of
// other modules do not count, since the author cannot change them.
func (c *checker) columnTag(t types.Type, field *model.Field) string {
	var v *types.Var
	var text string
	for _, step := range field.Path {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return ""
		}
		v = nil
		for i := range s.NumFields() {
			if s.Field(i).Name() == step.Name {
				v, text = s.Field(i), s.Tag(i)
			}
		}
		if v == nil {
			return ""
		}
		t = v.Type()
	}
	if v == nil || c.isForeign(v.Pkg()) {
		return ""
	}
	tag := reflect.StructTag(text)
	if _, has := tag.Lookup("json"); has {
		return ""
	}
	i := slices.IndexFunc(columns, func(key string) bool { _, has := tag.Lookup(key); return has })
	if i < 0 {
		return ""
	}
	return columns[i]
}

// isForeign reports whether a package is outside the modules of the sources.
func (c *checker) isForeign(pkg *types.Package) bool {
	return !slices.ContainsFunc(c.sources, func(p *load.Package) bool {
		return p.Module == "" || pkg.Path() == p.Module || strings.HasPrefix(pkg.Path(), p.Module+"/")
	})
}
