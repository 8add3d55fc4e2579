package httpfield

import (
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// NameMember returns the member of params that [Name] repeats, or "" for methods without it.
func NameMember(method string) string {
	switch method {
	case "tools/call", "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		return "taskId"
	}
	return ""
}

// Kind is the kind of a value in the body.
type Kind byte

// The kinds.
const (
	Absent Kind = iota // or null
	String
	Literal // a number, true or false
	Other   // an object or an array
)

// Value is a value in the body that a header field repeats.
type Value struct {
	Kind Kind
	Text string // value of a string; a literal as JSON text
}

// ValueOf returns the part of a JSON value that a header field repeats.
func ValueOf(value []byte) Value {
	switch {
	case len(value) == 0 || string(value) == "null":
		return Value{}
	case value[0] == '"':
		text, _ := jsonrpc.String(value)
		return Value{String, text}
	case value[0] == '{', value[0] == '[':
		return Value{Kind: Other}
	}
	return Value{Literal, string(value)}
}

// ParamValues returns the value of each param in the arguments of a call, or nil for an absent one.
func ParamValues(arguments []byte, params []toolschema.HeaderParam) [][]byte {
	values := make([][]byte, len(params))
	all := make([]int, len(params))
	for i := range all {
		all[i] = i
	}
	findValues(arguments, params, 0, all, values)
	return values
}

// findValues sets the values of the params with the given indexes, nil for absent ones. It reads an
// object once for all of them, since arguments may be megabytes and params dozens. The object is at
// the given depth of their paths.
func findValues(object []byte, params []toolschema.HeaderParam, depth int, indexes []int, values [][]byte) {
	jsonrpc.Members(object, func(member, value []byte) bool {
		var inner []int
		indexes = slices.DeleteFunc(indexes, func(i int) bool {
			path := params[i].Path
			switch {
			case string(member) != path[depth]:
				return false
			case depth == len(path)-1:
				values[i] = value
			default:
				inner = append(inner, i)
			}
			return true // of equal names the first one counts
		})
		if len(inner) > 0 {
			findValues(value, params, depth+1, inner, values)
		}
		return len(indexes) > 0
	})
}
