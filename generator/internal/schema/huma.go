package schema

import (
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// humaPlaces are the parts of a request that a member is read from, in the order in which huma
// looks for their tags.
var humaPlaces = []string{"path", "query", "header", "form", "cookie"}

// humaParam returns the part of a request that the tags of a member name, and its name there, or ""
// for other members.
func humaParam(tag reflect.StructTag) (in, name string) {
	for _, in := range humaPlaces {
		if name := tag.Get(in); name != "" {
			if in == "query" {
				name, _, _ = strings.Cut(name, ",") // explode, deepObject
			}
			return in, name
		}
	}
	return "", ""
}

// isInput reports whether a type at a place is the input of an operation: a direct argument with a
// member that is a parameter. All other types are parts of bodies, with the names of encoding/json.
func (r *Resolver) isInput(s site, t types.Type) bool {
	if r.Tags != HumaTags || s.use != Argument || s.path != "" {
		return false
	}
	if _, ok := t.Underlying().(*types.Struct); !ok || r.converters.At(t) != nil {
		return false
	}
	return slices.ContainsFunc(members(t), func(m *member) bool {
		in, _ := humaParam(m.tag)
		return in != ""
	})
}

// isBody recognises the field into which huma reads the body of a request.
func isBody(m *member) bool { return m.v.Name() == "Body" && !m.tagged }

// humaNames gives the members of an argument their names in a request, and returns the members that
// are arguments.
func (r *Resolver) humaNames(s site, t types.Type, all []*member) []*member {
	root := s.path == "" && s.param == "" // the one argument
	input := r.isInput(s, t) || root && len(humaMethods(r.pkg.Types, t, "Resolve", nil)) > 0
	body := (root || input) && slices.ContainsFunc(all, isBody)
	var kept []*member
	for _, m := range all {
		in, name := humaParam(m.tag)
		if input {
			m.in = in
		}
		switch {
		case m.tag.Get("hidden") == "true":
			m.unlisted = "hidden"
			if input && in != "" && !m.tagged {
				m.name = name
			}
		case body && isBody(m):
			m.in = "body"
		case body && m.v.Name() == "RawBody" && !m.tagged:
			continue // the same body again
		case !input:
		case in != "":
			m.unlisted = map[string]string{"cookie": "a cookie", "header": model.HeaderField}[in]
			if !m.tagged {
				m.name = name
			}
		case m.tagged:
		case m.v.Name() != "RawBody":
			left := r.atField(s, m.v)
			left.member = "" // the warning is for a field that is not a member
			r.warnf(left, `leave it out by json:"-", or name it by json`, "huma reads nothing of a request into the field, so it is not an argument")
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// humaFlag reads a tag with the value true or false.
func humaFlag(tag reflect.StructTag, key string) (value, set bool) {
	text := tag.Get(key)
	return text == "true", text == "true" || text == "false"
}

// readHuma reads the tags of huma. It warns of a constraint that a schema cannot express.
func (r *Resolver) readHuma(s site, f *model.Field, m *member) {
	tag := m.tag
	if doc := tag.Get("doc"); doc != "" {
		f.Description = doc
	}
	if more := tag.Get("patternDescription"); more != "" && !strings.Contains(f.Description, more) {
		f.Description = strings.TrimSpace(f.Description + " (" + more + ")")
	}
	for key, target := range map[string]*bool{"deprecated": &f.Deprecated, "readOnly": &f.ReadOnly, "writeOnly": &f.WriteOnly} {
		if value, set := humaFlag(tag, key); set {
			*target = value
		}
	}
	if s.use == Result {
		return
	}
	r.humaRequired(f, m)
	r.humaTime(s, f, m)
	r.humaRules(s, f, m)
	r.humaValues(s, f, m)
	if encoding := tag.Get("encoding"); encoding != "" && base(f.Type).Kind == model.String {
		f.Extras = append(f.Extras, model.Extra{Key: "contentEncoding", JSON: jsontext.Quote(encoding)})
	}
	if names := strings.TrimSpace(tag.Get("dependentRequired")); names != "" {
		r.leave(s, "check it in the function", "the tag dependentRequired has no effect: nothing requires %s beside it", names)
	}
}

// humaRequired sets whether a member is required, and whether it may be null.
func (r *Resolver) humaRequired(f *model.Field, m *member) {
	pointer, isPointer := m.v.Type().Underlying().(*types.Pointer)
	switch m.in {
	case "path":
		f.Required = true
	case "query", "header", "cookie":
		f.Required = false
	case "body":
		f.Required = !isPointer && !types.IsInterface(m.v.Type())
		if required, _ := humaFlag(m.tag, "required"); required {
			f.Required = true
		}
		return
	default:
		f.Required = !r.TaggedOnly && !m.omitEmpty && !m.omitZero && !throughPointer(m.path)
		if isPointer && !m.omitEmpty {
			_, scalar := pointer.Elem().Underlying().(*types.Basic)
			f.Nullable = scalar
		}
	}
	if _, set := m.tag.Lookup("required"); set {
		f.Required, _ = humaFlag(m.tag, "required")
	}
	if value, set := humaFlag(m.tag, "nullable"); set {
		f.Nullable = value
	}
}

// humaTime sets the layout of a time that is read from a parameter. In a body encoding/json reads
// it.
func (r *Resolver) humaTime(s site, f *model.Field, m *member) {
	layout := m.tag.Get("timeFormat")
	isTime := base(f.Type).Kind == model.Time
	switch {
	case m.in != "" && m.in != "body" && isTime:
		if layout == "" && m.in == "header" {
			layout = "Mon, 02 Jan 2006 15:04:05 GMT" // of package net/http
		}
		if changed := inLayout(f.Type, layout, false); layout != "" && changed != nil {
			f.Type = changed
		}
	case layout == "" || isTime:
	default:
		format := map[string]string{"2006-01-02": "date", "15:04:05": "time"}[layout]
		r.humaRule(s, f, "timeFormat", "format", format)
	}
}

// humaRules are the tags that constrain values, or the elements of a list; humaWhole are the tags
// that constrain lists and maps.
var (
	humaRules = []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format", "enum"}
	humaWhole = []string{"minItems", "maxItems", "minProperties", "maxProperties", "uniqueItems"}
)

func (r *Resolver) humaRules(s site, f *model.Field, m *member) {
	for _, key := range slices.Concat(humaRules, humaWhole) {
		value := m.tag.Get(key)
		if value == "" || key == "uniqueItems" && value != "true" {
			continue
		}
		r.humaRule(s, f, key, key, value)
	}
}

// humaFormats are the formats that huma checks. Other formats only describe.
var humaFormats = []string{
	"date-time", "date-time-http", "date", "duration", "time", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "ip",
	"uri", "uri-reference", "iri", "iri-reference", "uri-template", "uuid", "json-pointer", "relative-json-pointer", "regex",
}

// humaRule sets one constraint.
func (r *Resolver) humaRule(s site, f *model.Field, tag, key, value string) {
	t, rules := base(f.Type), &f.Rules
	if elem := t.Elem; slices.Contains(humaRules, key) && elem != nil && (t.Kind == model.Slice || t.Kind == model.Array) {
		if rules.Elem == nil {
			rules.Elem = &model.Rules{}
		}
		t, rules = base(elem), rules.Elem
	}
	switch {
	case key == "format" && !slices.Contains(humaFormats, value):
		return
	case key == "format" && jsonType(t) != "string":
	case key == "enum":
		var texts []string
		for v := range strings.SplitSeq(value, ",") {
			text, ok := humaText(t, v)
			if !ok {
				r.leave(s, "write values of the type", "the tag enum has no effect: %s is not %s", v, article(t))
				return
			}
			texts = append(texts, text)
		}
		if _, err := keyword.Lookup(key).Func(t); err == nil && !f.Quoted {
			rules.Enum = texts
			return
		}
	case f.Quoted:
	default:
		if n, err := strconv.ParseFloat(value, 64); err == nil && !jsontext.Valid(value) {
			value = strconv.FormatFloat(n, 'g', -1, 64)
		}
		if _, err := setRule(t, rules, setting{Keyword: keyword.Lookup(key), values: []string{value}}); err == nil {
			return
		}
	}
	r.leave(s, "check it in the function", "the tag %s has no effect: the schema cannot express %s of %s", tag, value, keyword.KindName(t))
}

// humaValues sets default and example.
func (r *Resolver) humaValues(s site, f *model.Field, m *member) {
	if value := m.tag.Get("default"); value != "" {
		switch text, ok := humaText(base(f.Type), value); {
		case !ok:
			r.leave(s, "write it as JSON", "the tag default has no effect: %s is not %s", value, article(base(f.Type)))
		default:
			f.Default = &model.Value{JSON: text}
		}
	}
	value, set := m.tag.Lookup("example")
	text, ok := humaText(base(f.Type), value)
	switch {
	case !set || value == "" && jsonType(base(f.Type)) != "string":
	case !ok, !r.grows(f.Type, map[*model.Type]bool{}) && unfit(f.Type, &f.Rules, text) != "":
		r.leave(s, "write a value that the schema allows", "the tag example has no effect: the schema does not allow %s", value)
	default:
		f.Examples = []string{text}
	}
}

// humaText returns a tag's value as JSON: text for strings, text with commas for lists of them,
// JSON for other types.
func humaText(t *model.Type, value string) (text string, ok bool) {
	switch {
	case jsonType(t) == "string":
		return jsontext.Quote(value), true
	case jsonType(t) == "array" && t.Elem != nil && jsonType(base(t.Elem)) == "string" && !strings.HasPrefix(value, "["):
		var texts []string
		for v := range strings.SplitSeq(value, ",") {
			texts = append(texts, jsontext.Quote(strings.TrimSpace(v)))
		}
		return "[" + strings.Join(texts, ",") + "]", true
	case !jsontext.Valid(value) || t.Kind == model.Reflect || t.Kind == model.Interface:
		return "", false
	}
	return jsontext.Compact(value), true
}

// humaStruct handles the features of huma for a type beside its members.
func (r *Resolver) humaStruct(s site, t types.Type, u *types.Struct) {
	if s.use == Result {
		return
	}
	for i := range u.NumFields() {
		if tag := reflect.StructTag(u.Tag(i)); u.Field(i).Name() == "_" && tag.Get("additionalProperties") == "true" {
			r.leave(r.atField(s, u.Field(i)), "take a map[string]any, or members with names", "the tag additionalProperties has no effect: further members are refused")
		}
	}
	for _, name := range []string{"Resolve", "TransformSchema", "Schema"} {
		for _, owner := range humaMethods(r.pkg.Types, t, name, nil) {
			r.warnf(s, "check in the function what it checks", "type %s has the method %s, which huma calls and a tool does not", r.typeString(owner), name)
		}
	}
}

// humaMethods returns the types with a method that huma calls: a struct, and the structs that it
// embeds. huma calls the methods of all of them.
func humaMethods(from *types.Package, t types.Type, name string, seen []types.Type) (owners []types.Type) {
	t = pointedTo(t)
	u, ok := t.Underlying().(*types.Struct)
	if !ok || slices.Contains(seen, t) {
		return nil
	}
	obj, index, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, from, name)
	if fn, ok := obj.(*types.Func); ok && len(index) == 1 && takesHuma(fn.Signature()) && !isHuma(fn.Pkg()) {
		owners = append(owners, t)
	}
	for v := range u.Fields() {
		if v.Embedded() {
			owners = append(owners, humaMethods(from, v.Type(), name, append(seen, t))...)
		}
	}
	return owners
}

// isHuma recognises the packages of huma itself.
func isHuma(pkg *types.Package) bool {
	return pkg != nil && strings.HasPrefix(pkg.Path(), "github.com/danielgtaylor/huma/")
}

// takesHuma reports whether a method has a parameter of huma.
func takesHuma(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if named, ok := types.Unalias(pointedTo(v.Type())).(*types.Named); ok && isHuma(named.Obj().Pkg()) {
			return true
		}
	}
	return false
}

// humaTags are the tags that are read here, so they are not reported as tags without effect.
var humaTags = slices.Concat(humaPlaces, humaRules, humaWhole, []string{
	"doc", "default", "example", "hidden", "required", "nullable", "readOnly", "writeOnly", "deprecated", "encoding", "timeFormat",
	"patternDescription", "dependentRequired", "additionalProperties", "contentType", "nameHint",
})
