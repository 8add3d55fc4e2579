package toolschema

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// HeaderParam is an argument of a tool that clients mirror in a header field (x-mcp-header;
// streamable HTTP, request metadata).
type HeaderParam struct {
	Header string   // canonical: Mcp-Param-X
	Path   []string // names of properties, from the arguments down
	Kind   byte     // of its values
}

// Kinds of mirrored values.
const (
	StringParam byte = iota
	IntegerParam
	BooleanParam
)

// HeaderParams returns the arguments of a tool that clients mirror in header fields, in the order
// of its input schema. It refuses annotations for which clients would drop the tool (2026-07-28,
// streamable HTTP, custom headers from tool parameters): with a name that is not a token, or the
// name of another argument but for the case of letters; on anything but strings, integers and
// booleans; with integers beyond what clients write exactly; and if the path to the argument
// contains anything but properties.
func HeaderParams(schema string) ([]HeaderParam, error) {
	if !strings.Contains(schema, headerKeyword) {
		return nil, nil
	}
	var s headerSearch
	s.visit([]byte(schema), nil, true)
	if s.err != nil {
		return nil, s.err
	}
	return s.found, nil
}

type headerSearch struct {
	found []HeaderParam
	err   error
}

// visit searches a schema and the schemas inside. path contains the names and keywords that lead to
// it; open is set if all of them are names of properties.
func (s *headerSearch) visit(schema []byte, path []string, open bool) {
	jsonrpc.Members(schema, func(name, value []byte) bool {
		keyword := string(name)
		within := func(names ...string) []string { return append(path[:len(path):len(path)], names...) }
		switch kind := schemasIn(keyword); {
		case keyword == headerKeyword:
			if err := s.add(schema, value, path, open); err != nil {
				s.fail(path, err)
			}
		case open && keyword == "properties":
			jsonrpc.Members(value, func(property, schema []byte) bool {
				s.visit(schema, within(string(property)), true)
				return s.err == nil
			})
		case kind == namedSchemas:
			jsonrpc.Members(value, func(key, schema []byte) bool {
				s.visit(schema, within(keyword, string(key)), false)
				return s.err == nil
			})
		case kind == oneOrMoreSchemas:
			s.visit(value, within(keyword), false)
			jsonrpc.Elements(value, func(schema []byte) bool {
				s.visit(schema, within(keyword), false)
				return s.err == nil
			})
		}
		return s.err == nil
	})
}

func (s *headerSearch) fail(path []string, err error) {
	where := "the root"
	if len(path) > 0 {
		where = strings.Join(path, ".")
	}
	s.err = fmt.Errorf("%s at %s: %w", headerKeyword, where, err)
}

// add records the annotation of a schema.
func (s *headerSearch) add(schema, value []byte, path []string, open bool) error {
	if len(path) == 0 || !open {
		return errors.New("only an argument that is reached by way of properties alone can be mirrored in a header field")
	}
	name, ok := jsonrpc.String(value)
	if !ok {
		return errors.New("must be a string")
	}
	header, ok := HeaderName(name)
	if !ok {
		return fmt.Errorf("%q is not a name of a header field: use letters, digits and hyphens", name)
	}
	if i := slices.IndexFunc(s.found, func(p HeaderParam) bool { return p.Header == header }); i >= 0 {
		return fmt.Errorf("%q is taken by %s: the case of letters makes no difference", name, strings.Join(s.found[i].Path, "."))
	}
	kind, err := paramKind(schema)
	if err != nil {
		return err
	}
	s.found = append(s.found, HeaderParam{Header: header, Path: path, Kind: kind})
	return nil
}

// paramKind returns the kind of the values that a schema allows.
func paramKind(schema []byte) (kind byte, err error) {
	var kindName string
	var numbers [][]byte
	jsonrpc.Members(schema, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			kindName, _ = jsonrpc.String(value)
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "const":
			numbers = append(numbers, value)
		case "enum":
			jsonrpc.Elements(value, func(value []byte) bool {
				numbers = append(numbers, value)
				return true
			})
		}
		return true
	})
	switch kindName {
	case "string":
		return StringParam, nil
	case "boolean":
		return BooleanParam, nil
	case "integer":
	default:
		return 0, errors.New(`needs "type":"string", "integer" or "boolean", and no other type besides`)
	}
	for _, n := range numbers {
		if f, err := strconv.ParseFloat(string(n), 64); err != nil || math.Abs(f) > float64(valid.MaxHeaderInteger) {
			return 0, fmt.Errorf("%s is beyond %d, up to which clients write integers exactly", n, valid.MaxHeaderInteger)
		}
	}
	return IntegerParam, nil
}
