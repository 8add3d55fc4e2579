package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// UnreadTag is the rule of mcpgen vet for tags without effect.
const UnreadTag = "unread-tag"

// Unread returns the parts of tags without effect in the types that were resolved, except in other
// modules, whose authors did not write them for this program.
func (r *Resolver) Unread() []model.UnreadTag { return r.ineffective }

// leave records a part of a tag that nothing reads.
func (r *Resolver) leave(s site, hint, format string, args ...any) {
	message := "field " + s.path + ": " + fmt.Sprintf(format, args...)
	key := fmt.Sprint(s.Pos, s.far, fmt.Sprintf(format, args...))
	if r.reported[key] {
		return
	}
	r.reported[key] = true
	r.ineffective = append(r.ineffective, model.UnreadTag{Pos: s.Pos, Subject: s.Subject, Message: message, Hint: hint, Member: s.member})
}

// noteUnread records the parts of a field's tags without effect. left contains the rules of the
// validator that the schema lacks, by the key of their tag.
func (r *Resolver) noteUnread(s site, m *member, f *model.Field, left map[string][]string) {
	if r.isForeign(m.v.Pkg()) {
		return
	}
	all, _ := tagPairs(string(m.tag))
	var pairs []tagPair
	for _, p := range all {
		if !r.readsTag(m, p.key) {
			pairs = append(pairs, p)
		}
	}
	for _, p := range pairs {
		switch p.key {
		case "json":
			r.noteOptions(s, m, p.value)
		case "jsonschema":
			r.noteDescription(s, p.value)
		case "validate", "binding":
			if words := left[p.key]; len(words) > 0 && s.use != Result {
				r.leave(s, "check it in the function", "the schema cannot express %s of the tag %s", strings.Join(words, ", "), p.key)
			}
		case "valid", "vd", "v":
			if p.value != "" && p.value != "-" && s.use != Result {
				r.leave(s, "write its rules by jsonschema, or check them in the function", "the tag %s has no effect, so values that it refuses are accepted", p.key)
			}
		case "jsonschema_description", "jsonschema_extras":
		default:
			if meant := tagMeant(p.key); meant != "" {
				r.leave(s, "did you mean "+meant+"?", "the tag %s has no effect", p.key)
			}
		}
	}
	r.noteEquivalents(s, m, f, pairs)
	r.noteNames(s, m, f, pairs)
}

// readsTag reports whether the tag of a framework is read for a member.
func (r *Resolver) readsTag(m *member, key string) bool {
	return r.Tags == HumaTags && slices.Contains(humaTags, key) || m.in != "" && slices.Contains(ginTags, key)
}

// noteOptions records options of the tag json that encoding/json does not know.
func (r *Resolver) noteOptions(s site, m *member, tag string) {
	_, list, _ := strings.Cut(tag, ",")
	for option := range strings.SplitSeq(list, ",") {
		if option == "" || option == "omitempty" || option == "omitzero" || option == "string" {
			continue
		}
		if option == "inline" && m.v.Embedded() {
			continue // an embedded struct is inlined anyway
		}
		word, value, hasValue := strings.Cut(strings.TrimSpace(option), "=")
		hint := "encoding/json has the options omitempty, omitzero and string"
		switch k := tagKeyword(word); {
		case k != nil && k.Value == keyword.Flag && !hasValue, k != nil && hasValue:
			hint = "write " + schemaTag(m, []string{settingText(k.Name, value)})
		case word != option && (word == "omitempty" || word == "omitzero" || word == "string"):
			hint = "write it without the space"
		case diag.Nearest(word, []string{"omitempty", "omitzero"}) != "":
			hint = "did you mean " + diag.Nearest(word, []string{"omitempty", "omitzero"}) + "?"
		}
		r.leave(s, hint, "the option %q of the tag json has no effect", option)
	}
}

// noteDescription records keywords in a tag that is read as a description.
func (r *Resolver) noteDescription(s site, tag string) {
	parts := splitTag(tag)
	if tag == "" || !isFreeText(parts[0]) {
		return
	}
	for i, part := range parts[1:] {
		key, _, hasValue := strings.Cut(part, "=")
		if k := tagKeyword(key); k == nil || hasValue == (k.Value == keyword.Flag) {
			continue
		}
		r.leave(s, "begin with a keyword: description="+escaped(parts[:i+1])+","+part,
			"the tag jsonschema begins with no keyword, so all of it is the description, %s too", part)
		return
	}
}

// tagMeant returns the tag that a misspelt key probably means. Keys such as bson are not taken for
// json, although they resemble it.
func tagMeant(key string) string {
	for _, known := range []string{"json", "validate", "binding"} {
		if key != known && strings.EqualFold(key, known) {
			return known
		}
	}
	known := []string{"jsonschema", "jsonschema_description", "jsonschema_extras", "validate", "binding"}
	return diag.Nearest(key, known)
}

// equivalents maps tags of other libraries, such as huma and swag, to keywords of the tag
// jsonschema with the same meaning.
var equivalents = map[string]string{
	"description": "description", "desc": "description", "doc": "description", "help": "description", "usage": "description",
	"example": "example", "examples": "example", "enum": "enum", "enums": "enum", "min": "minimum", "max": "maximum",
}

// equivalent returns the keyword that a tag corresponds to, or nil for other tags.
func equivalent(f *model.Field, key string) *keyword.Keyword {
	bound := map[string]keyword.Bound{"min": keyword.AtLeast, "max": keyword.AtMost}[key]
	if bound != keyword.NoBound {
		if k := keyword.BoundOf(base(f.Type).Kind, bound); k != nil {
			return k
		}
	}
	if k := tagKeyword(cmp.Or(equivalents[key], key)); k != nil && k.Instead == "" && k.Name != "type" && k.Name != "anchor" {
		return k
	}
	return nil
}

// noteEquivalents records tags of other libraries for which the tag jsonschema has a keyword,
// unless the field's tag contains it.
func (r *Resolver) noteEquivalents(s site, m *member, f *model.Field, pairs []tagPair) {
	var keys, settings []string
	add := func(key string, k *keyword.Keyword, value string) {
		unknown := k.Name == "format" && keyword.FormatFunc(value) == "" // such as int64 or password
		if s.use == Result && !inResults(k.Name) || unknown || hasSetting(f, k, value) {
			return
		}
		keys = append(keys, key)
		if k.Name == "enum" || k.Name == "example" && base(f.Type).Kind == model.Slice {
			for v := range strings.SplitSeq(value, ",") {
				settings = append(settings, settingText(k.Name, strings.TrimSpace(v)))
			}
			return
		}
		settings = append(settings, settingText(k.Name, value))
	}
	for _, p := range pairs {
		if k := equivalent(f, p.key); k != nil {
			add(p.key, k, p.value)
			continue
		}
		if _, options, _ := strings.Cut(p.value, ","); p.key == "form" || p.key == "query" {
			for option := range strings.SplitSeq(options, ",") {
				if value, ok := strings.CutPrefix(option, "default="); ok {
					add(p.key, keyword.Lookup("default"), value)
				}
			}
		}
		if (p.key == "swaggerignore" || p.key == "hidden") && p.value == "true" && s.use != Result {
			r.leave(s, `leave the field out with jsonschema:"-"`, "the tag %s has no effect, so the field is published", p.key)
		}
	}
	if len(keys) == 0 {
		return
	}
	what := "the tag " + keys[0] + " has"
	if len(keys) > 1 {
		what = "the tags " + strings.Join(keys, ", ") + " have"
	}
	r.leave(s, "write "+schemaTag(m, settings), "%s no effect", what)
}

// inResults reports whether a keyword also applies to results.
func inResults(name string) bool {
	return slices.Contains([]string{"title", "description", "deprecated"}, name)
}

// hasSetting reports whether a field already has the setting that a tag of another library would
// make.
func hasSetting(f *model.Field, k *keyword.Keyword, value string) bool {
	switch k.Name {
	case "title":
		return f.Title != ""
	case "description":
		return f.Description != ""
	case "default":
		return f.Default != nil
	case "example", "examples":
		return len(f.Examples) > 0
	case "enum":
		return len(f.Rules.Enum) > 0 || base(f.Type).Enum != nil
	case "required":
		return f.Required == (value != "false")
	case "optional":
		return f.Required == (value == "false")
	case "nullable":
		return f.Nullable == (value != "false")
	case "deprecated":
		return f.Deprecated == (value != "false")
	case "readOnly", "writeOnly":
		return value == "false"
	}
	for rules, t := &f.Rules, base(f.Type); rules != nil; rules, t = rules.Elem, base(t.Elem) {
		if k.Limit(rules) != "" || t.Limits[k.Name] != "" {
			return true
		}
		if t.Elem == nil {
			break
		}
	}
	return k.Name == "format" && base(f.Type).Kind != model.String
}

// settingText returns a keyword as the tag jsonschema writes it.
func settingText(name, value string) string {
	if k := tagKeyword(name); k != nil && k.Value == keyword.Flag && (value == "" || value == "true") {
		return name
	}
	if shortened(value) != value {
		return name + "=…"
	}
	return name + "=" + strings.NewReplacer(",", `\\,`, `"`, `\"`).Replace(value)
}

// schemaTag returns the tag jsonschema that a field needs, or the part to add to its present one.
func schemaTag(m *member, settings []string) string {
	text := strings.Join(settings, ",")
	old := m.tag.Get("jsonschema")
	switch {
	case old == "":
		return `jsonschema:"` + text + `"`
	case isFreeText(splitTag(old)[0]):
		return `jsonschema:"description=…,` + text + `"`
	}
	return `jsonschema:"…,` + text + `"`
}

// naming are the tags by which other libraries name a field, or omit it, in requests.
var naming = []string{"form", "query", "uri", "path", "param", "params", "header", "cookie", "schema", "url"}

// noteNames records the names of fields in other kinds of requests, if the field has no name in
// JSON.
func (r *Resolver) noteNames(s site, m *member, f *model.Field, pairs []tagPair) {
	if m.tagged || s.use == Result {
		return
	}
	for _, p := range pairs {
		name, _, _ := strings.Cut(p.value, ",")
		switch {
		case name == "" || name == f.Name || !slices.Contains(naming, p.key):
			continue
		case name == "-":
			r.leave(s, "write json:\"-\" to leave it out, or name it: json:\""+f.Name+"\"", "the tag %s has no effect, so the field is published as %s", p.key, f.Name)
		default:
			r.leave(s, "write json:\""+name+"\", or json:\""+f.Name+"\" for the name that it has", "the tag %s has no effect, so the field is published as %s", p.key, f.Name)
		}
		return
	}
}
