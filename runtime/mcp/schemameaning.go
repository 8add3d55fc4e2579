package mcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// This file compares JSON Schemas by their meaning to a validator (JSON Schema 2020-12, core and
// validation). Two schemas with the same meaning may still be reported as different.

// schemaTexts are the keywords of a schema that only people and models read.
var schemaTexts = []string{"title", "description", "examples", "$comment"}

// The keywords whose values contain schemas.
var (
	schemaKeywords = []string{
		"items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "unevaluatedProperties", "propertyNames",
		"not", "if", "then", "else", "contentSchema",
	}
	schemaMapKeywords  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
	schemaListKeywords = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
)

// readJSON returns a JSON value, with numbers as they are written.
func readJSON(text []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// eachText calls f for every text in a JSON value, including the names of members.
func eachText(value any, f func(string)) {
	switch v := value.(type) {
	case string:
		f(v)
	case []any:
		for _, item := range v {
			eachText(item, f)
		}
	case map[string]any:
		for name, item := range v {
			f(name)
			eachText(item, f)
		}
	}
}

// schemaDifference returns the place where two schemas differ, as a JSON Pointer, and whether they
// differ.
func schemaDifference(a, b any, at string) (string, bool) {
	x, ok := a.(map[string]any)
	y, same := b.(map[string]any)
	if !ok || !same {
		return at, !reflect.DeepEqual(a, b)
	}
	return differentMember(x, y, at, func(name string, u, v any, at string) (string, bool) {
		_, object := u.(map[string]any)
		list, isList := u.([]any)
		switch {
		case slices.Contains(schemaTexts, name):
			return "", false
		case slices.Contains(schemaKeywords, name) && !isList:
			return schemaDifference(u, v, at)
		case slices.Contains(schemaMapKeywords, name) && object:
			if other, ok := v.(map[string]any); ok {
				return differentMember(u.(map[string]any), other, at, func(_ string, u, v any, at string) (string, bool) {
					return schemaDifference(u, v, at)
				})
			}
		case slices.Contains(schemaListKeywords, name) && isList, slices.Contains(schemaKeywords, name):
			if other, ok := v.([]any); ok && len(other) == len(list) {
				for i := range list {
					if at, differs := schemaDifference(list[i], other[i], at+"/"+strconv.Itoa(i)); differs {
						return at, true
					}
				}
				return "", false
			}
		}
		return at, !reflect.DeepEqual(u, v)
	})
}

// differentMember compares the members of two objects, in the order of their names. For a member
// that only one object contains, differ gets missing{} and nil, and decides whether that is a
// difference.
func differentMember(x, y map[string]any, at string, differ func(name string, u, v any, at string) (string, bool)) (string, bool) {
	names := slices.Collect(maps.Keys(x))
	for name := range y {
		if _, both := x[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		u, first := x[name]
		v, second := y[name]
		here := at + "/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
		if first != second {
			if _, differs := differ(name, missing{}, nil, here); differs {
				return here, true
			}
			continue
		}
		if where, differs := differ(name, u, v, here); differs {
			return where, true
		}
	}
	return "", false
}

// missing stands for a member that one of two objects does not contain: it equals no value.
type missing struct{}
