package schema

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// readValidate reads, from a tag of github.com/go-playground/validator, the rules that JSON Schema
// can express. It returns the other rules, including faulty ones, which are left to that library.
func (r *Resolver) readValidate(f *model.Field, tag string) (left []string) {
	if tag == "" || tag == "-" {
		return nil
	}
	t, rules := base(f.Type), &f.Rules
	top, inKeys := true, false
	for _, part := range strings.Split(tag, ",") {
		// In a value a comma is written 0x2C and a bar 0x7C; a bar itself separates alternatives,
		// which JSON Schema expresses only by anyOf.
		if strings.Contains(part, "|") {
			left = append(left, part)
			continue
		}
		key, value, _ := strings.Cut(part, "=")
		value = strings.NewReplacer("0x2C", ",", "0x7C", "|").Replace(value)
		switch {
		case key == "keys":
			inKeys = true
		case key == "endkeys":
			inKeys = false
		case inKeys:
			left = append(left, part+" of keys")
		case key == "dive":
			if t.Elem == nil {
				return append(left, part)
			}
			if rules.Elem == nil {
				rules.Elem = &model.Rules{}
			}
			t, rules, top = base(t.Elem), rules.Elem, false
		case key == "required" && top:
			f.Required = true
		case key == "omitempty" && top:
			f.Required = false
		case slices.Contains(validateMarks, key):
		case f.Quoted || !validateRule(t, rules, key, value):
			left = append(left, part)
		}
	}
	return left
}

// validateMarks determine when the validator examines a value, not which values it allows.
var validateMarks = []string{"", "omitempty", "omitnil", "omitzero", "structonly", "nostructlevel"}

// bounds are the comparisons of the validator. They apply to the number, the length or the count of
// a value, depending on its type.
var bounds = map[string][]keyword.Bound{
	"min": {keyword.AtLeast}, "gte": {keyword.AtLeast}, "gt": {keyword.Above},
	"max": {keyword.AtMost}, "lte": {keyword.AtMost}, "lt": {keyword.Below},
	"len": {keyword.AtLeast, keyword.AtMost}, "eq": {keyword.AtLeast, keyword.AtMost},
}

var validateFormats = map[string]string{
	"email": "email", "url": "uri", "uri": "uri", "http_url": "uri", "https_url": "uri",
	"uuid": "uuid", "uuid1": "uuid", "uuid3": "uuid", "uuid4": "uuid", "uuid5": "uuid",
	"uuid_rfc4122": "uuid", "uuid3_rfc4122": "uuid", "uuid4_rfc4122": "uuid", "uuid5_rfc4122": "uuid",
	"ipv4": "ipv4", "ip4_addr": "ipv4", "ipv6": "ipv6", "ip6_addr": "ipv6",
	"hostname": "hostname", "hostname_rfc1123": "hostname", "fqdn": "hostname",
}

var validateLayouts = map[string]string{time.RFC3339: "date-time", time.DateOnly: "date"}

var validatePatterns = map[string]string{
	"alpha": `^[a-zA-Z]+$`, "alphanum": `^[a-zA-Z0-9]+$`, "number": `^[0-9]+$`, "numeric": `^[-+]?[0-9]+(\.[0-9]+)?$`,
	"hexadecimal": `^(0[xX])?[0-9a-fA-F]+$`, "e164": `^\+[1-9]?[0-9]{7,14}$`,
}

// validateRule applies one word of the tag. It returns false if JSON Schema cannot express it.
func validateRule(t *model.Type, rules *model.Rules, key, value string) bool {
	set := func(key, value string) bool {
		// A word that does not fit the type and a broken value are left to the validator, which
		// refuses both at run time.
		if old := rules.Limit(key); old != "" && old != value {
			return false // a schema contains one pattern and one format
		}
		_, err := setRule(t, rules, setting{Keyword: keyword.Lookup(key), values: []string{value}})
		return err == nil
	}
	if b, ok := bounds[key]; ok {
		for _, b := range b {
			if !validateBound(t, rules, key, b, value) {
				return false
			}
		}
		return true
	}
	if format, ok := validateFormats[key]; ok {
		return set("format", format)
	}
	if pattern, ok := validatePatterns[key]; ok {
		return set("pattern", pattern)
	}
	switch key {
	case "datetime":
		format, ok := validateLayouts[value]
		return ok && set("format", format)
	case "oneof":
		if _, err := keyword.Lookup("enum").Func(t); err != nil {
			return false
		}
		if _, err := setEnum(t, rules, setting{values: oneOf(value)}); err != nil {
			rules.Enum = nil
			return false
		}
		return true
	case "unique":
		return value == "" && set("uniqueItems", "true")
	case "startswith":
		return set("pattern", "^"+literalPattern(value))
	case "endswith":
		return set("pattern", literalPattern(value)+"$")
	case "contains":
		return set("pattern", literalPattern(value))
	}
	return false
}

// validateBound applies a comparison. It returns false if the type does not support it.
func validateBound(t *model.Type, rules *model.Rules, key string, b keyword.Bound, value string) bool {
	switch t.Kind {
	case model.Int, model.Uint, model.Float:
		if d, err := time.ParseDuration(value); err == nil && isDuration(t.Go) {
			value = strconv.FormatInt(int64(d), 10)
		}
	case model.String, model.Slice, model.Map:
		if key == "eq" && t.Kind == model.String {
			_, err := setEnum(t, rules, setting{values: []string{value}})
			return err == nil
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return false
		}
		switch b {
		case keyword.Above:
			b, n = keyword.AtLeast, n+1
		case keyword.Below:
			b, n = keyword.AtMost, n-1
		}
		value = strconv.Itoa(n)
	default:
		return false // the validator counts the bytes of []byte, the schema characters of base64
	}
	_, err := setRule(t, rules, setting{Keyword: keyword.BoundOf(t.Kind, b), values: []string{value}})
	return err == nil
}

var oneOfWord = regexp.MustCompile(`'[^']*'|\S+`)

// oneOf splits the values of oneof at white space; one with a space is in single quotes.
func oneOf(value string) []string {
	words := oneOfWord.FindAllString(value, -1)
	for i, w := range words {
		words[i] = strings.Trim(w, "'")
	}
	return words
}

// literalPattern returns a pattern that matches exactly a text, with escapes that both RE2 and
// ECMA-262 know.
func literalPattern(text string) string {
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune(`^$\.*+?()[]{}|/`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
