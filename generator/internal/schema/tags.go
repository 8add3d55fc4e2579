package schema

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// readTags applies the tags validate, jsonschema, jsonschema_description and
// jsonschema_extras of a field, the later ones overriding the earlier, and
// checks the outcome for contradictions.
func (r *Resolver) readTags(s site, f *model.Field, tag reflect.StructTag) bool {
	if desc := tag.Get("jsonschema_description"); desc != "" {
		f.Description = desc
	}
	r.readValidate(f, tag.Get("validate"))
	ok := r.readSchemaTag(s, f, tag.Get("jsonschema"))
	ok = r.readExtras(s, f, tag.Get("jsonschema_extras")) && ok
	return ok && r.check(s, f)
}

// bareKeywords are the words of the tag that have no value.
var bareKeywords = []string{"required", "optional", "nullable", "readOnly", "writeOnly", "deprecated", "uniqueItems"}

// tagKeywords are the words that take a value.
var tagKeywords = []string{
	"title", "description", "minLength", "maxLength", "pattern", "format", "default", "example", "examples", "enum",
	"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
	"minProperties", "maxProperties", "type", "anchor",
}

// unsupported are words of the dialect whose meaning the decoder could not
// enforce, with what to do instead.
var unsupported = map[string]string{
	"oneof_required": "check it in the function, and return mcp.Errorf",
	"anyof_required": "check it in the function, and return mcp.Errorf",
	"oneof_ref":      "the schema is made from the Go type",
	"anyof_ref":      "the schema is made from the Go type",
	"oneof_type":     "the schema is made from the Go type; any accepts every value",
	"anyof_type":     "the schema is made from the Go type; any accepts every value",
}

var keyValue = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*=`)

// readSchemaTag reads the tag jsonschema in either of its dialects: keywords
// separated by commas, or free text, which is the description.
func (r *Resolver) readSchemaTag(s site, f *model.Field, tag string) bool {
	if tag == "" {
		return true
	}
	parts := splitTag(tag)
	if isFreeText(parts[0]) {
		f.Description = strings.TrimSpace(tag)
		return true
	}
	settings, ok := r.tagSettings(s, parts)
	return r.applyAll(s, f, settings) && ok
}

// isFreeText reports whether the first part of a tag is the beginning of a
// description and not a keyword. A single word that is nearly a keyword is one
// that was misspelt.
func isFreeText(first string) bool {
	word := strings.TrimSpace(first)
	if keyValue.MatchString(word) || slices.Contains(bareKeywords, word) {
		return false
	}
	return strings.ContainsAny(word, " \t") || diag.Nearest(word, bareKeywords) == ""
}

// tagSettings turns the parts of a tag into settings. Repeated enum, default
// and example are one setting with several values.
func (r *Resolver) tagSettings(s site, parts []string) ([]setting, bool) {
	var out []setting
	ok := true
	for _, part := range parts {
		key, value, hasValue := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		if key == "" && !hasValue {
			continue
		}
		if hint, bad := unsupported[key]; bad {
			r.errorf(s, hint, "the jsonschema keyword %s cannot be used", key)
			ok = false
			continue
		}
		known := slices.Contains(bareKeywords, key)
		if hasValue {
			known = known || slices.Contains(tagKeywords, key)
		}
		if !known {
			r.unknownKeyword(s, key, hasValue)
			ok = false
			continue
		}
		switch {
		case !hasValue:
			value = "true"
		case slices.Contains(bareKeywords, key):
			if b, err := strconv.ParseBool(value); err != nil {
				r.errorf(s, "write "+key+" alone, or with true or false", "the jsonschema keyword %s has the value %q", key, value)
				ok = false
				continue
			} else if !b {
				continue
			}
		}
		if key == "example" {
			key = "examples"
		}
		i := slices.IndexFunc(out, func(k setting) bool { return k.key == key })
		if i >= 0 && (key == "enum" || key == "examples" || key == "default") {
			out[i].values = append(out[i].values, value)
			continue
		}
		out = append(out, setting{key: key, values: []string{value}, source: fromTag})
	}
	return out, ok
}

func (r *Resolver) unknownKeyword(s site, key string, hasValue bool) {
	if slices.Contains(tagKeywords, key) {
		r.errorf(s, "write "+key+"=…", "the jsonschema keyword %s needs a value", key)
		return
	}
	candidates := slices.Concat(tagKeywords, bareKeywords)
	if !hasValue {
		candidates = bareKeywords
	}
	hint := `a comma that belongs to a value is written \\,; see docs/types.md for the keywords`
	if near := diag.Nearest(key, candidates); near != "" {
		hint = "did you mean " + near + "?"
	}
	r.errorf(s, hint, "unknown jsonschema keyword %q", key)
}

// splitTag splits at commas, except those behind a backslash, which goes.
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

// vocabulary are the keywords that mean something to a validator, or that the
// schema sets by itself; extras must not contradict them.
var vocabulary = []string{
	"$schema", "$id", "$ref", "$defs", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "type", "enum", "const",
	"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern",
	"minItems", "maxItems", "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties", "required",
	"dependentRequired", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "prefixItems", "items",
	"contains", "properties", "patternProperties", "additionalProperties", "propertyNames", "unevaluatedItems",
	"unevaluatedProperties", "format", "title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples",
	"contentEncoding", "contentMediaType", "contentSchema",
}

// readExtras reads the tag jsonschema_extras: key=value pairs that go into the
// schema as they are. true and false are booleans, a repeated key makes a list.
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
		case slices.Contains(vocabulary, key):
			r.errorf(s, "put it into the jsonschema tag, where it is checked and enforced", "the jsonschema_extras tag has the keyword %s of JSON Schema", key)
			ok = false
		case key == headerKeyword:
			if err := applyHeader(f, value); err != nil {
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
			texts[i] = quote(v)
		}
		return "[" + strings.Join(texts, ",") + "]"
	}
	if values[0] == "true" || values[0] == "false" {
		return values[0]
	}
	return quote(values[0])
}
