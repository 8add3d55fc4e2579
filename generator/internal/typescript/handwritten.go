package typescript

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// tree reads a schema that an author wrote, which was checked before.
func tree(text string) *jsontree.Value {
	all, err := jsontree.Read([]byte(text))
	if err != nil || len(all) != 1 {
		return jsontree.True
	}
	return all[0]
}

// ofSchema writes the type of a schema that an author wrote for a type with a form of its own. No
// plan of such a value exists. The type allows every valid value; keywords that TypeScript cannot
// express make it wider.
func ofSchema(s *jsontree.Value, indent string) expr {
	if constant := s.Get("const"); constant != nil {
		return ofValue(constant)
	}
	if values := s.Get("enum"); values.Is(jsontree.Array) && len(values.Items) > 0 {
		var all []expr
		for _, v := range values.Items {
			all = append(all, ofValue(v))
		}
		return union(all)
	}
	switch s.Str("type") {
	case "string":
		return expr{text: "string"}
	case "number", "integer":
		return expr{text: "number"}
	case "boolean", "null":
		return expr{text: s.Str("type")}
	case "array":
		items := s.Get("items")
		if items == nil || s.Get("prefixItems") != nil {
			return expr{text: "unknown[]"}
		}
		return expr{text: ofSchema(items, indent).element() + "[]"}
	case "object":
		return expr{text: ofObject(s, indent)}
	case "":
		for _, name := range []string{"anyOf", "oneOf"} {
			if alternatives := s.Get(name); alternatives.Is(jsontree.Array) && len(alternatives.Items) > 0 {
				var all []expr
				for _, a := range alternatives.Items {
					all = append(all, ofSchema(a, indent))
				}
				return union(all)
			}
		}
	}
	return anything
}

// ofObject writes the type of an object. One that may have other members has an index signature, so
// that a literal may have them, too.
func ofObject(s *jsontree.Value, indent string) string {
	properties, more := s.Get("properties"), s.Get("additionalProperties")
	if !properties.Is(jsontree.Object) || len(properties.Members) == 0 {
		switch {
		case s.Get("patternProperties") != nil || more == nil || more.Is(jsontree.Boolean) && more.Text == "true":
			return "{ [key: string]: unknown }"
		case more.Is(jsontree.Boolean):
			return "{ [key: string]: never }"
		}
		return "{ [key: string]: " + ofSchema(more, indent).text + " }"
	}
	var required []string
	if list := s.Get("required"); list.Is(jsontree.Array) {
		for _, name := range list.Items {
			required = append(required, name.Text)
		}
	}
	inside := indent + step
	var b strings.Builder
	b.WriteString("{\n")
	for _, p := range properties.Members {
		mark := "?"
		if slices.Contains(required, p.Name) {
			mark = ""
		}
		b.WriteString(comment(p.Value.Str("description"), inside))
		b.WriteString(inside + property(p.Name) + mark + ": " + ofSchema(p.Value, inside).text + ";\n")
	}
	if !more.Is(jsontree.Boolean) || more.Text != "false" || s.Get("patternProperties") != nil {
		b.WriteString(inside + "[key: string]: unknown;\n")
	}
	b.WriteString(indent + "}")
	return b.String()
}

// ofValue writes a constant as a literal type.
func ofValue(v *jsontree.Value) expr {
	switch v.Kind {
	case jsontree.Text:
		return expr{text: quote(v.Text)}
	case jsontree.Array:
		var items []string
		for _, item := range v.Items {
			items = append(items, ofValue(item).text)
		}
		return expr{text: "[" + strings.Join(items, ", ") + "]"}
	case jsontree.Object:
		var members []string
		for _, m := range v.Members {
			members = append(members, property(m.Name)+": "+ofValue(m.Value).text)
		}
		if len(members) == 0 {
			return expr{text: "{ [key: string]: never }"}
		}
		return expr{text: "{ " + strings.Join(members, "; ") + " }"}
	}
	return expr{text: v.Text}
}
