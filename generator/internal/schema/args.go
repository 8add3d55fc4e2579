package schema

import (
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// ArgRule is one argument of an //mcp:arg directive.
type ArgRule struct {
	// Key is the word before =, or the flag; "" and "description" are the text.
	Key string
	// Value is without the quotes around it; of a flag it is "true" or "false".
	Value string
	// Items are the elements of a list that the directive has taken apart
	// already (enum). Empty: Value is split at commas.
	Items  []string
	Quoted bool // the value was a Go string literal
	Pos    token.Position
}

// Arg is one //mcp:arg directive.
type Arg struct {
	Name  string // of a parameter or a JSON field, with dots for depth
	Rules []ArgRule
	Pos   token.Position
}

// ApplyArgs applies //mcp:arg directives to the arguments object of a feature.
// It returns a changed copy, or object itself where there is nothing to change;
// plans that other features share are left as they are. Changed struct plans
// bear the feature's name as their Variant. Elements of lists and maps are
// reached like the members of an object. ok is false when an error was added.
func (r *Resolver) ApplyArgs(object *model.Type, feature string, args []Arg, subject string) (changed *model.Type, ok bool) {
	ok = true
	changed = object
	for _, arg := range args {
		at := Place{Pos: arg.Pos, Subject: subject + ": argument " + arg.Name, Use: Argument}
		next := r.applyArg(changed, feature, strings.Split(arg.Name, "."), arg, at)
		if next == nil {
			ok = false
			continue
		}
		changed = next
	}
	return changed, ok
}

// applyArg applies one directive, and returns nil when an error was added.
func (r *Resolver) applyArg(object *model.Type, feature string, path []string, arg Arg, at Place) *model.Type {
	object = r.copyOf(object, feature)
	inner := object
	for inner.Elem != nil && inner.Kind != model.Struct {
		inner.Elem = r.copyOf(inner.Elem, feature)
		inner = inner.Elem
	}
	i := slices.IndexFunc(inner.Fields, func(f *model.Field) bool { return r.called(f, path[0]) })
	if i < 0 {
		r.unknownArg(inner, path, arg, at)
		return nil
	}
	f := inner.Fields[i]
	if len(path) > 1 {
		t := r.applyArg(f.Type, feature, path[1:], arg, at)
		if t == nil {
			return nil
		}
		f.Type = t
		return object
	}
	if omits(arg) {
		return r.omit(object, inner, i, arg, at)
	}
	if !r.applyRules(inner, f, arg, at) {
		return nil
	}
	return object
}

func omits(arg Arg) bool {
	return slices.ContainsFunc(arg.Rules, func(rule ArgRule) bool { return rule.Key == "omit" && rule.Value != "false" })
}

// omit takes a field away: it is not published, nothing is read into it, and a
// client that sends it is told that it is unknown.
func (r *Resolver) omit(object, inner *model.Type, i int, arg Arg, at Place) *model.Type {
	if len(arg.Rules) > 1 {
		r.errorf(site{at: at, pos: arg.Pos}, "delete the rest of the line", "an omitted field is not an argument, so nothing else can be said about it")
		return nil
	}
	inner.Fields = slices.Delete(inner.Fields, i, i+1)
	return object
}

// called reports whether a directive means the field, also after it was renamed.
func (r *Resolver) called(f *model.Field, name string) bool {
	if old, ok := r.origins[f]; ok {
		return old == name
	}
	return f.Name == name
}

func (r *Resolver) unknownArg(t *model.Type, path []string, arg Arg, at Place) {
	var names []string
	for _, f := range t.Fields {
		if old, ok := r.origins[f]; ok {
			names = append(names, old)
		} else {
			names = append(names, f.Name)
		}
	}
	hint := "there are no arguments"
	if len(names) > 0 {
		hint = "the names are " + strings.Join(names, ", ")
	}
	if near := diag.Nearest(path[0], names); near != "" {
		prefix := strings.TrimSuffix(arg.Name, strings.Join(path, "."))
		hint = "did you mean " + prefix + near + "?"
	}
	r.errorf(site{at: at, pos: arg.Pos}, hint, "there is no such argument")
}

// copyOf returns a copy of a plan that may be changed for the feature.
func (r *Resolver) copyOf(t *model.Type, feature string) *model.Type {
	if r.own[t] {
		return t
	}
	c := *t
	if c.Kind == model.Struct {
		c.Variant = feature
		c.Fields = make([]*model.Field, len(t.Fields))
		for i, f := range t.Fields {
			field := *f
			field.Rules = cloneRules(f.Rules)
			if old, ok := r.origins[f]; ok {
				r.origins[&field] = old
			}
			c.Fields[i] = &field
		}
	}
	r.own[&c] = true
	return &c
}

// cloneRules copies rules down to the elements, the only part that is changed in
// place.
func cloneRules(rules model.Rules) model.Rules {
	if rules.Elem != nil {
		elem := cloneRules(*rules.Elem)
		rules.Elem = &elem
	}
	return rules
}

// applyRules applies the rules of a directive to a field of a copied plan.
func (r *Resolver) applyRules(object *model.Type, f *model.Field, arg Arg, at Place) bool {
	s := site{at: at, pos: arg.Pos}
	var settings []setting
	ok := true
	for _, rule := range arg.Rules {
		k := setting{key: rule.Key, values: []string{rule.Value}, source: fromArg, pos: rule.Pos}
		switch rule.Key {
		case "":
			k.key = "description"
		case "name":
			ok = r.rename(s, object, f, rule) && ok
			continue
		case "required", "optional", "nullable", "uniqueItems":
			if rule.Value == "false" {
				ok = r.negate(f, rule) && ok
				continue
			}
		case "enum":
			k.values = enumItems(rule)
		case "omit", "complete":
			continue // not said here, and about the parameter instead of its schema
		}
		if !slices.Contains(argKeys, k.key) {
			s := s
			s.pos = rule.Pos
			r.errorf(s, "see mcpgen help directives", "unknown key %s", k.key)
			ok = false
			continue
		}
		settings = append(settings, k)
	}
	return r.applyAll(s, f, settings) && ok && r.check(s, f)
}

// argKeys are the keys of //mcp:arg that say something about the value.
var argKeys = []string{
	"description", "default", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "examples", "header",
	"required", "optional", "nullable",
}

// negate handles flag=false.
func (r *Resolver) negate(f *model.Field, rule ArgRule) bool {
	switch rule.Key {
	case "required":
		f.Required = false
	case "optional":
		f.Required = true
	case "nullable":
		f.Nullable = false
	case "uniqueItems":
		f.Rules.UniqueItems = false
	}
	return true
}

// enumItems are the values of enum=a,b or of a JSON array.
func enumItems(rule ArgRule) []string {
	if _, ok := jsonArray(rule.Value); ok {
		return []string{rule.Value}
	}
	if len(rule.Items) > 0 {
		return rule.Items
	}
	items := strings.Split(rule.Value, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

// rename gives an argument another name on the wire.
func (r *Resolver) rename(s site, object *model.Type, f *model.Field, rule ArgRule) bool {
	if rule.Pos.IsValid() {
		s.pos = rule.Pos
	}
	if rule.Value == "" {
		r.errorf(s, "write name=words", "the name is empty")
		return false
	}
	for _, other := range object.Fields {
		if other != f && other.Name == rule.Value {
			r.errorf(s, "choose another name", "there is an argument %s already", rule.Value)
			return false
		}
	}
	if _, ok := r.origins[f]; !ok {
		r.origins[f] = f.Name
	}
	f.Name = rule.Value
	r.warnName(s, f.Name)
	return true
}
