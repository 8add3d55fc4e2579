package schema

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// readValidate reads from a tag of github.com/go-playground/validator what JSON Schema
// can express. The rest, and errors in it, are left to that library.
func (r *Resolver) readValidate(f *model.Field, tag string) {
	if tag == "" || tag == "-" || f.Quoted {
		return
	}
	t, rules := base(f.Type), &f.Rules
	top, inKeys := true, false
	for _, part := range strings.Split(tag, ",") {
		// In a value a comma is written 0x2C and a bar 0x7C; a bar itself
		// separates alternatives, which JSON Schema has only as anyOf.
		if strings.Contains(part, "|") {
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
		case key == "dive":
			if t.Elem == nil {
				return
			}
			if rules.Elem == nil {
				rules.Elem = &model.Rules{}
			}
			t, rules, top = base(t.Elem), rules.Elem, false
		case key == "required" && top:
			f.Required = true
		case key == "omitempty" && top:
			f.Required = false
		default:
			validateRule(t, rules, key, value)
		}
	}
}

// bounds are the comparisons of the validator, which are about the number, the length or
// the count of a value, whichever it has.
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

// validateRule applies one word of the tag, if JSON Schema can express it.
func validateRule(t *model.Type, rules *model.Rules, key, value string) {
	set := func(key, value string) {
		// A word that does not suit the type or a broken value is left to the
		// validator, which refuses both when it runs.
		_, _ = setRule(t, rules, setting{Keyword: keyword.Lookup(key), values: []string{value}})
	}
	if b, ok := bounds[key]; ok {
		for _, b := range b {
			validateBound(t, rules, key, b, value)
		}
		return
	}
	if format, ok := validateFormats[key]; ok {
		set("format", format)
		return
	}
	if pattern, ok := validatePatterns[key]; ok {
		set("pattern", pattern)
		return
	}
	switch key {
	case "datetime":
		if format, ok := validateLayouts[value]; ok {
			set("format", format)
		}
	case "oneof":
		if _, err := keyword.Lookup("enum").Func(t); err == nil {
			if _, err := setEnum(t, rules, setting{values: oneOf(value)}); err != nil {
				rules.Enum = nil
			}
		}
	case "unique":
		if value == "" {
			set("uniqueItems", "true")
		}
	case "startswith":
		set("pattern", "^"+literalPattern(value))
	case "endswith":
		set("pattern", literalPattern(value)+"$")
	case "contains":
		set("pattern", literalPattern(value))
	}
}

// validateBound applies a comparison.
func validateBound(t *model.Type, rules *model.Rules, key string, b keyword.Bound, value string) {
	switch t.Kind {
	case model.Int, model.Uint, model.Float:
		if d, err := time.ParseDuration(value); err == nil && isDuration(t.Go) {
			value = strconv.FormatInt(int64(d), 10)
		}
	case model.String, model.Slice, model.Map:
		if key == "eq" && t.Kind == model.String {
			_, _ = setEnum(t, rules, setting{values: []string{value}})
			return
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return
		}
		switch b {
		case keyword.Above:
			b, n = keyword.AtLeast, n+1
		case keyword.Below:
			b, n = keyword.AtMost, n-1
		}
		value = strconv.Itoa(n)
	default:
		return // []byte is measured in bytes there, in characters of base64 here
	}
	_, _ = setRule(t, rules, setting{Keyword: keyword.BoundOf(t.Kind, b), values: []string{value}})
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

// literalPattern is a pattern that matches a text, with the escapes that both RE2 and
// ECMA-262 have.
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
