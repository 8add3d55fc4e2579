package keyword

import (
	"maps"
	"slices"
)

// alternatives splits a schema with a list of types into one schema for each type, with the
// keywords that apply to it.
func alternatives(members map[string]any) map[string]any {
	types := typesOf(members)
	if slices.Contains(types, "number") {
		types = slices.DeleteFunc(types, func(name string) bool { return name == "integer" })
	}
	outer := map[string]any{}
	var parts []any
	for _, name := range types {
		part := map[string]any{"type": name}
		for key, v := range members {
			if key == "type" || slices.Contains(annotations, key) || !concerns(key, name) {
				continue
			}
			if values, ok := v.([]any); ok && key == "enum" {
				v = slices.DeleteFunc(slices.Clone(values), func(e any) bool { return !isType(e, name) })
			}
			part[key] = v
		}
		if values, ok := part["enum"].([]any); ok && len(values) == 0 {
			continue
		}
		if v, ok := part["const"]; ok && !isType(v, name) {
			continue
		}
		if name == "null" {
			delete(part, "enum")
			delete(part, "const")
		}
		parts = append(parts, part)
	}
	for _, key := range annotations {
		if v, ok := members[key]; ok {
			outer[key] = v
		}
	}
	if len(parts) == 1 {
		maps.Copy(outer, parts[0].(map[string]any))
		return outer
	}
	outer["anyOf"] = parts
	return outer
}
