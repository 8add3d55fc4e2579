package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// schema contains the keywords from which values are generated.
type schema struct {
	Type                 string
	Properties           map[string]*schema
	Required             []string
	AdditionalProperties json.RawMessage
	Items                *schema
	PrefixItems          []*schema
	MinItems             int
	MinLength            int
	Minimum              *json.Number
	Enum                 []json.RawMessage
	Const                json.RawMessage
	AnyOf, OneOf         []*schema
	Format, Pattern      string
	ContentEncoding      string
	Ref                  string             `json:"$ref"`
	Defs                 map[string]*schema `json:"$defs"`
}

// sampler generates values that are valid against a schema.
type sampler struct {
	root *schema
	full bool   // with optional members and elements
	text string // for strings without a format
}

// value generates a value. Strings are short and numbers small, because the effect of the function
// is unknown.
func (s *sampler) value(t *schema, depth int) any {
	if t == nil {
		return s.text
	}
	if name, ok := strings.CutPrefix(t.Ref, "#/$defs/"); ok {
		return s.value(s.root.Defs[name], depth)
	}
	switch {
	case t.Const != nil:
		return t.Const
	case len(t.Enum) > 0:
		return t.Enum[0]
	case len(t.AnyOf) > 0:
		return s.value(t.AnyOf[0], depth)
	case len(t.OneOf) > 0:
		return s.value(t.OneOf[0], depth)
	}
	switch t.Type {
	case "object":
		return s.object(t, depth)
	case "array":
		n := t.MinItems
		if s.full && n == 0 && depth < 4 && t.Items != nil {
			n = 1
		}
		list := []any{}
		for i := range n {
			item := t.Items
			if i < len(t.PrefixItems) {
				item = t.PrefixItems[i]
			}
			list = append(list, s.value(item, depth+1))
		}
		return list
	case "integer", "number":
		if t.Minimum != nil && !strings.HasPrefix(t.Minimum.String(), "-") && t.Minimum.String() != "0" {
			return *t.Minimum
		}
		return 1
	case "boolean":
		return s.full
	case "string":
		return s.string(t)
	}
	return s.text
}

func (s *sampler) object(t *schema, depth int) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(t.Properties)) {
		if slices.Contains(t.Required, name) || s.full && depth < 4 {
			out[name] = s.value(t.Properties[name], depth+1)
		}
	}
	var more schema
	if s.full && len(t.AdditionalProperties) > 0 && json.Unmarshal(t.AdditionalProperties, &more) == nil && depth < 4 {
		out["1"] = s.value(&more, depth+1)
	}
	return out
}

// formats contains an example for each format that a schema can require.
var formats = map[string]string{
	"date-time": "2024-01-02T03:04:05Z",
	"date":      "2024-01-02",
	"time":      "03:04:05Z",
	"uuid":      "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
	"email":     "ann@example.com",
	"uri":       "https://example.com/a?b=c",
	"ipv4":      "192.0.2.1",
	"ipv6":      "2001:db8::1",
	"hostname":  "example.com",
	"duration":  "1s",
}

// matching returns a string that matches a pattern: the shortest known one, or "1".
func matching(pattern string) string {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "1"
	}
	known := append(slices.Collect(maps.Values(formats)), "1", "1ms", "YQ==", "03:04:05", "{}", "a")
	slices.SortFunc(known, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	for _, text := range known {
		if re.MatchString(text) {
			return text
		}
	}
	return "1"
}

// texts are candidates for a type with its own text format, which the schema does not describe.
var texts = []string{"a", "v1.2.3", "1", "192.0.2.1", "192.0.2.0/24", "192.0.2.1:80", "en", "2024-01-02T03:04:05Z"}

func (s *sampler) string(t *schema) string {
	switch {
	case formats[t.Format] != "":
		return formats[t.Format]
	case t.ContentEncoding == "base64":
		return "YQ=="
	case t.Pattern != "":
		return matching(t.Pattern)
	}
	return s.text + strings.Repeat("a", max(0, t.MinLength-len(s.text)))
}
