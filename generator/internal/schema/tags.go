package schema

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// readTags applies the tags of frameworks, binding, validate, jsonschema, jsonschema_description
// and jsonschema_extras of a field. Later ones override earlier ones. It then checks the result for
// contradictions.
func (r *Resolver) readTags(s site, f *model.Field, m *member) bool {
	tag := m.tag
	if desc := tag.Get("jsonschema_description"); desc != "" {
		f.Description = desc
	}
	switch {
	case r.Tags == HumaTags:
		r.readHuma(s, f, m)
	default:
		r.readGinForm(s, f, m)
	}
	left := map[string][]string{}
	for _, key := range []string{"binding", "validate"} { // gin calls the same validator for binding
		left[key] = r.readValidate(f, tag.Get(key))
	}
	r.ginRequired(s, f, m)
	ok := r.readSchemaTag(s, f, tag.Get("jsonschema"))
	ok = r.readExtras(s, f, tag.Get("jsonschema_extras")) && ok
	r.noteUnread(s, m, f, left)
	return ok && r.check(s, f)
}

var keyValue = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*=`)

// readSchemaTag reads the tag jsonschema in either of its dialects: keywords separated by commas,
// or free text, which is the description.
func (r *Resolver) readSchemaTag(s site, f *model.Field, tag string) bool {
	if tag == "" {
		return true
	}
	parts := splitTag(tag)
	if isFreeText(parts[0]) {
		f.Description = strings.TrimSpace(tag)
		return true
	}
	settings, ok := r.tagSettings(s, f, parts)
	return r.applyAll(s, f, settings) && ok
}

// isFreeText reports whether the first part of a tag is the beginning of a description and not a
// keyword. A single word that is nearly a keyword counts as a misspelt keyword.
func isFreeText(first string) bool {
	word := strings.TrimSpace(first)
	if k := tagKeyword(word); keyValue.MatchString(word) || k != nil && k.Value == keyword.Flag {
		return false
	}
	return strings.ContainsAny(word, " \t") || diag.Nearest(word, tagKeywords(true)) == ""
}

// tagSettings turns the parts of a tag into settings. Repeated enum, default and example become one
// setting with several values. A flag that is false is applied at once.
func (r *Resolver) tagSettings(s site, f *model.Field, parts []string) ([]setting, bool) {
	var out []setting
	ok := true
	for i := 0; i < len(parts); i++ {
		part := parts[i]
		if isProse(part) {
			end := i + 1
			for end < len(parts) && !isKeyword(parts[end]) {
				end++
			}
			r.proseBetween(s, parts, i, end)
			ok = false
			i = end - 1
			continue
		}
		key, value, hasValue := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		if key == "" && !hasValue {
			continue
		}
		k := tagKeyword(key)
		switch {
		case k != nil && k.Instead != "":
			r.errorf(s, k.Instead, "the jsonschema keyword %s cannot be used", key)
			ok = false
			continue
		case k == nil || !hasValue && k.Value != keyword.Flag:
			r.unknownKeyword(s, k, key, hasValue)
			ok = false
			continue
		case !hasValue:
			value = "true"
		case k.Value == keyword.Flag:
			if b, err := strconv.ParseBool(value); err != nil {
				r.errorf(s, "write "+key+" alone, or with true or false", "the jsonschema keyword %s has the value %q", key, value)
				ok = false
				continue
			} else if !b {
				negate(f, setting{Keyword: k})
				continue
			}
		}
		if key == "example" {
			k = keyword.Lookup("examples")
		}
		i := slices.IndexFunc(out, func(other setting) bool { return other.Keyword == k })
		if i >= 0 && (k.Value == keyword.List || k.Value == keyword.JSON) {
			out[i].values = append(out[i].values, value)
			continue
		}
		out = append(out, setting{Keyword: k, values: []string{value}, source: fromTag})
	}
	return out, ok
}

// unknownKeyword refuses a word that cannot be used in this form; k is nil if the table does not
// contain it.
func (r *Resolver) unknownKeyword(s site, k *keyword.Keyword, key string, hasValue bool) {
	if k != nil {
		r.errorf(s, "write "+key+"=…", "the jsonschema keyword %s needs a value", key)
		return
	}
	hint := `a description is written description=…, with \\, for each of its commas; see docs/write/types.md for the keywords`
	if near := diag.Nearest(key, tagKeywords(!hasValue)); near != "" {
		hint = "did you mean " + near + "?"
	}
	r.errorf(s, hint, "unknown jsonschema keyword %q", key)
}

// isProse reports whether a part of a tag is text and not a keyword.
func isProse(part string) bool {
	word := strings.TrimSpace(part)
	return strings.ContainsAny(word, " \t") && !isKeyword(part) && !keyValue.MatchString(word)
}

// isKeyword reports whether a part of a tag begins with a keyword.
func isKeyword(part string) bool {
	key, _, _ := strings.Cut(part, "=")
	return tagKeyword(strings.TrimSpace(key)) != nil
}

// proseBetween refuses the parts of a tag from begin to end, which are text behind a keyword: a
// description without its keyword, or text behind a comma in the preceding keyword's value.
func (r *Resolver) proseBetween(s site, parts []string, begin, end int) {
	text := escaped(parts[begin:end])
	hint := "write description=" + strings.TrimSpace(text)
	if key, _, hasValue := strings.Cut(parts[begin-1], "="); hasValue {
		if k := tagKeyword(strings.TrimSpace(key)); k != nil && k.Value == keyword.Text {
			hint = `a comma that belongs to a value is written \\,: ` + strings.TrimSpace(escaped(parts[begin-1:end]))
		}
	}
	r.errorf(s, hint, "the tag jsonschema has the text %q among its keywords", strings.TrimSpace(strings.Join(parts[begin:end], ",")))
}

// escaped joins parts of a tag as they are written in the source.
func escaped(parts []string) string {
	return strings.NewReplacer(",", `\\,`, `"`, `\"`).Replace(strings.Join(parts, ","))
}

// tagKeyword returns the keyword of tags with a name, or nil.
func tagKeyword(name string) *keyword.Keyword {
	if k := keyword.Lookup(name); k != nil && k.In&keyword.Tag != 0 {
		return k
	}
	return nil
}

// tagKeywords returns the names of the keywords that are allowed in a tag, or only the flags.
func tagKeywords(flags bool) []string {
	var names []string
	for _, k := range keyword.Table(keyword.Tag) {
		if k.Instead == "" && (!flags || k.Value == keyword.Flag) {
			names = append(names, k.Name)
		}
	}
	return names
}

// splitTag splits at commas, except commas behind a backslash, which is removed.
func splitTag(tag string) []string {
	var parts []string
	for i, piece := range strings.Split(tag, ",") {
		if last := len(parts) - 1; i > 0 && strings.HasSuffix(parts[last], `\`) {
			parts[last] = parts[last][:len(parts[last])-1] + "," + piece
		} else {
			parts = append(parts, piece)
		}
	}
	return parts
}

// readExtras reads the tag jsonschema_extras: key=value pairs that are added to the schema
// unchanged. true and false become booleans, a repeated key a list.
func (r *Resolver) readExtras(s site, f *model.Field, tag string) bool {
	if tag == "" {
		return true
	}
	values := map[string][]string{}
	ok := true
	for _, part := range splitTag(tag) {
		key, value, found := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		switch {
		case !found || key == "":
			r.errorf(s, "write key=value pairs, separated by commas", "the jsonschema_extras tag has %q", part)
			ok = false
		case keyword.Vocabulary[key] != "" && key != "$comment":
			r.errorf(s, "put it into the jsonschema tag, where it is checked and enforced", "the jsonschema_extras tag has the keyword %s of JSON Schema", key)
			ok = false
		case tagKeyword(key) != nil:
			r.errorf(s, "put it into the jsonschema tag, where it is checked and enforced", "the jsonschema_extras tag has the keyword %s of the jsonschema tag", key)
			ok = false
		case key == headerKeyword:
			if err := setHeader(f, value); err != nil {
				r.errorf(s, "write a name such as X-Region", "%s", err)
				ok = false
			}
		default:
			values[key] = append(values[key], value)
		}
	}
	for _, key := range sortedKeys(values) {
		f.Extras = append(f.Extras, model.Extra{Key: key, JSON: extraJSON(values[key])})
	}
	return ok
}

func extraJSON(values []string) string {
	if len(values) > 1 {
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = jsontext.Quote(v)
		}
		return "[" + strings.Join(texts, ",") + "]"
	}
	if values[0] == "true" || values[0] == "false" {
		return values[0]
	}
	return jsontext.Quote(values[0])
}
