package toolschema

import (
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// maxSteps limits the references and alternatives that are followed inside each other.
const maxSteps = 20

// Said returns the documentation in a schema of the value at a path, if its pattern fits: the JSON
// of the first example, and the description. If the pattern applies to the keys of a map in the
// path, it returns the description of the map. The path has the format of wire.Violation.
func Said(schema, path string, fits func(pattern string) bool) (example, description string) {
	s := search{root: []byte(schema), steps: steps(path), fits: fits}
	s.at(place{schema: s.root}, 0, 0)
	return s.example, s.description
}

// place is a schema, and the documentation of the same value in the schemas around it.
type place struct {
	schema               []byte
	example, description string
}

// search looks for the value in all alternatives, since only the value itself would tell which one
// holds.
type search struct {
	root                 []byte
	steps                []string
	fits                 func(string) bool
	example, description string
	found                bool
}

// at looks at a schema behind some of the steps.
func (s *search) at(p place, taken, depth int) {
	if s.found || depth > maxSteps || !isObject(p.schema) {
		return
	}
	if text, ok := jsonrpc.String(jsonobject.Member(p.schema, "description")); ok && text != "" {
		p.description = text
	}
	jsonrpc.Elements(jsonobject.Member(p.schema, "examples"), func(value []byte) bool {
		p.example = string(value)
		return false
	})
	if ref, ok := jsonrpc.String(jsonobject.Member(p.schema, "$ref")); ok {
		s.at(place{s.resolve(ref), p.example, p.description}, taken, depth+1)
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		jsonrpc.Elements(jsonobject.Member(p.schema, word), func(value []byte) bool {
			s.at(place{value, p.example, p.description}, taken, depth+1)
			return !s.found
		})
	}
	switch {
	case s.found:
	case taken == len(s.steps):
		if text, ok := jsonrpc.String(jsonobject.Member(p.schema, "pattern")); ok && s.fits(text) {
			s.example, s.description, s.found = p.example, p.description, true
		}
	case s.steps[taken] == item:
		// An example of the list is none of an item.
		s.at(place{schema: jsonobject.Member(p.schema, "items"), description: p.description}, taken+1, depth)
	default:
		if taken == len(s.steps)-1 {
			names := jsonobject.Member(p.schema, "propertyNames")
			if text, ok := jsonrpc.String(jsonobject.Member(names, "pattern")); ok && s.fits(text) {
				s.description, s.found = p.description, true
				return
			}
		}
		next := jsonobject.Member(jsonobject.Member(p.schema, "properties"), s.steps[taken])
		if next == nil {
			next = jsonobject.Member(p.schema, "additionalProperties")
		}
		s.at(place{schema: next}, taken+1, depth)
	}
}

// resolve returns the schema of a reference inside of the root, nil for another one.
func (s *search) resolve(ref string) []byte {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	at := s.root
	for name := range strings.SplitSeq(pointer, "/") {
		at = jsonobject.Member(at, strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	return at
}

// item is the step to an element of a list. No member has the name.
const item = "\x00"

// steps splits a path: filters[2].field and labels["a b"].
func steps(path string) (list []string) {
	for path != "" {
		switch {
		case path[0] == '.':
			path = path[1:]
			continue
		case strings.HasPrefix(path, `["`):
			end := strings.Index(path, `"]`)
			if end < 0 {
				return nil
			}
			name, err := strconv.Unquote(path[1 : end+1])
			if err != nil {
				return nil
			}
			list, path = append(list, name), path[end+2:]
			continue
		case path[0] == '[':
			_, path, _ = strings.Cut(path, "]")
			list = append(list, item)
			continue
		}
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		list, path = append(list, path[:end]), path[end:]
	}
	return list
}
