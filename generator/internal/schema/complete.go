package schema

import (
	"cmp"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Complete joins two descriptions of one argument: properties that the field lacks are taken from
// the other one. said is the line for the field, or nil. Complete returns false after a diagnostic.
func (r *Resolver) Complete(f, other *model.Field, said *directive.Directive, at diag.Place) bool {
	s := site{Place: at, use: Argument}
	if f.Type.Kind != other.Type.Kind || f.Quoted != other.Quoted || isChanged(f.Type) && isChanged(other.Type) {
		r.errorf(s, "describe it in one place, or rename one of the two: //mcp:arg "+other.Name+" name=...", "its two descriptions give it different JSON forms")
		return false
	}
	if isChanged(other.Type) {
		f.Type = other.Type
	}
	f.Title = cmp.Or(f.Title, other.Title)
	if f.Description == "" {
		f.Description, f.Foreign = other.Description, other.Foreign
	}
	if len(f.Examples) == 0 {
		f.Examples = other.Examples
	}
	if f.Default == nil && other.Default != nil && (said == nil || !said.Has("required")) {
		f.Default, f.Required = other.Default, false
	}
	if len(f.Aliases) == 0 {
		f.Aliases = other.Aliases
	}
	f.Deprecated = f.Deprecated || other.Deprecated
	completeRules(&f.Rules, &other.Rules)
	return r.check(s, f)
}

// Contradiction returns a keyword to which two descriptions of one argument give different values,
// or "".
func Contradiction(f, other *model.Field) string {
	if f.Default != nil && other.Default != nil && f.Default.JSON != other.Default.JSON {
		return "default"
	}
	a, b := &f.Rules, &other.Rules
	for ; a != nil && b != nil; a, b = a.Elem, b.Elem {
		if len(a.Enum) > 0 && len(b.Enum) > 0 && !slices.Equal(a.Enum, b.Enum) {
			return "enum"
		}
		if len(a.Enum) > 0 && b.Limit(keyword.Choices) != "" || len(b.Enum) > 0 && a.Limit(keyword.Choices) != "" {
			return keyword.Choices
		}
		for _, name := range sortedKeys(a.Limits) {
			if limit := b.Limit(name); limit != "" && limit != a.Limits[name] {
				return name
			}
		}
	}
	return ""
}

func completeRules(rules, other *model.Rules) {
	rules.Header = cmp.Or(rules.Header, other.Header)
	own := rules.Limit(keyword.Choices) != "" || len(rules.Enum) > 0
	if !own {
		rules.Enum = slices.Clone(other.Enum)
	}
	for name, limit := range other.Limits {
		if rules.Limit(name) == "" && !(own && name == keyword.Choices) {
			rules.SetLimit(name, limit)
		}
	}
	if other.Elem != nil {
		if rules.Elem == nil {
			rules.Elem = &model.Rules{}
		}
		completeRules(rules.Elem, other.Elem)
	}
}

// isChanged reports whether directives have changed the plan of a value, for instance by only=.
func isChanged(t *model.Type) bool {
	for seen := map[*model.Type]bool{}; t != nil && !seen[t]; t = t.Elem {
		if t.Variant != "" {
			return true
		}
		seen[t] = true
	}
	return false
}

// HasArg reports whether an object has the argument that a line, which is one of several, names.
func (r *Resolver) HasArg(object *model.Type, line *directive.Directive, lines []*directive.Directive) bool {
	t := object
	for _, name := range r.pathOf(object, line, lines) {
		if isEndless(t) {
			return false
		}
		for t.Elem != nil && t.Kind != model.Struct {
			t = t.Elem
		}
		i := slices.IndexFunc(t.Fields, func(f *model.Field) bool { return r.called(f, name) })
		if i < 0 {
			return false
		}
		t = t.Fields[i].Type
	}
	return true
}

// Unwrap returns an object in which the members of a struct parameter replace the parameter.
func (r *Resolver) Unwrap(param *model.Field, object *model.Type) *model.Type {
	around := &model.Type{Kind: model.Struct}
	for _, f := range object.Fields {
		around.Fields = append(around.Fields, r.inlined(param, f, true))
	}
	for _, f := range object.Fixed {
		around.Fixed = append(around.Fixed, r.inlined(param, f, true))
	}
	return around
}
