package mcpclient

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// decodeStructured reads a tool result into v, a pointer, in every revision: the structured
// content, or the text if the revision has no structured content. It unwraps a value that is not an
// object from {"result": value}, the form of revisions that allow objects only. If a tool has no
// structured content, its text is read as a string. The error is ErrNoStructured, or names the
// places that do not fit.
func decodeStructured(r *mcp.ToolResult, output outputKind, revision *protocol.Revision, v any) error {
	as := reflect.TypeOf(v).Elem()
	data := structuredOf(r, as, output, &revision.Fields)
	if data == nil {
		if as.Kind() == reflect.String {
			reflect.ValueOf(v).Elem().SetString(r.Text())
			return nil
		}
		return ErrNoStructured
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &contradiction{problems: contradictions(data, as), err: err}
	}
	return nil
}

// structuredOf returns the JSON that contains the value, or nil.
func structuredOf(r *mcp.ToolResult, as reflect.Type, output outputKind, f *protocol.Fields) json.RawMessage {
	if r.Structured == nil {
		return jsonText(r, as)
	}
	if f.AnyOutput {
		return r.Structured
	}
	if inner := onlyMember(r.Structured, "result"); inner != nil && isWrapped(as, output) {
		return inner
	}
	return r.Structured
}

// jsonText returns the first text block in a result if it is JSON. For a string it must be a JSON
// string.
func jsonText(r *mcp.ToolResult, as reflect.Type) json.RawMessage {
	if len(r.Content) == 0 {
		return nil
	}
	first, _ := r.Content[0].(mcp.Text)
	text := json.RawMessage(first.Text)
	if !json.Valid(text) || as.Kind() == reflect.String && text[0] != '"' {
		return nil
	}
	return text
}

// onlyMember returns the value of a member if the object contains no other, else nil.
func onlyMember(object []byte, name string) json.RawMessage {
	var only json.RawMessage
	n := 0
	jsonrpc.Members(object, func(key, value []byte) bool {
		if n++; string(key) == name {
			only = value
		}
		return n < 2
	})
	if n != 1 {
		return nil
	}
	return only
}

// isWrapped reports whether {"result": value} contains the value. The target type decides; for a
// type that accepts objects with any members, the schema decides.
func isWrapped(as reflect.Type, output outputKind) bool {
	for as.Kind() == reflect.Pointer {
		as = as.Elem()
	}
	p := reflect.PointerTo(as)
	switch {
	case p.Implements(reflect.TypeFor[json.Unmarshaler]()), p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
	case as.Kind() == reflect.Struct:
		return !structHas(as, "result")
	case as.Kind() != reflect.Map && as.Kind() != reflect.Interface:
		return true
	}
	if output == unknownOutput {
		return as.Kind() != reflect.Map
	}
	return output == wrappedOutput
}

// structHas reports whether encoding/json reads a member of an object into a struct.
func structHas(as reflect.Type, name string) bool {
	for _, f := range reflect.VisibleFields(as) {
		if !f.IsExported() {
			continue
		}
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == name || tag == "" && strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

// outputKind is the client's knowledge about the output schema of a tool, in the revision.
type outputKind uint8

const (
	unknownOutput outputKind = iota // no schema, or the list was not read
	wrappedOutput                   // objects whose only property is result, which wraps a value
	otherOutput
)

// outputOf returns the kind of an output schema, which may be nil.
func outputOf(schema []byte) outputKind {
	if schema == nil {
		return unknownOutput
	}
	var property, required, closed bool
	jsonrpc.Members(schema, func(name, value []byte) bool {
		switch string(name) {
		case "properties":
			property = onlyMember(value, "result") != nil
		case "required":
			required = string(wire.AppendCompact(nil, value)) == `["result"]`
		case "additionalProperties":
			closed = true // like a struct with the field result
		}
		return true
	})
	if property && required && !closed {
		return wrappedOutput
	}
	return otherOutput
}

// contradiction is structured content that does not fit the target type.
type contradiction struct {
	problems []string // with their paths
	err      error
}

// Error returns the problems in one line.
func (e *contradiction) Error() string { return "the structured content does not fit: " + e.places() }

// places are the problems in one line.
func (e *contradiction) places() string {
	if len(e.problems) == 0 {
		return e.err.Error()
	}
	return strings.Join(e.problems, "; ")
}

// Unwrap returns the first problem.
func (e *contradiction) Unwrap() error { return e.err }

// maxContradictions limits the problems in an error.
const maxContradictions = 20

// contradictions returns the parts that encoding/json cannot read into a type, with their paths.
func contradictions(data []byte, as reflect.Type) []string {
	n := narrowing{as: as, work: 16*len(data) + 64<<10}
	n.visit(nil, data, nil, "")
	return n.problems
}

// narrowing finds the parts of a value that do not fit a type.
type narrowing struct {
	as       reflect.Type
	problems []string
	work     int // number of bytes that may still be read
}

// visit finds problems in a part of the value. before and behind are the text around it, so that
// each part is read at its place, without the others.
func (n *narrowing) visit(before, part, behind []byte, path string) {
	err := n.read(before, part, behind)
	if err == nil || n.full() {
		return
	}
	found := len(n.problems)
	switch part[0] {
	case '{':
		if n.read(before, []byte("{}"), behind) != nil {
			break // the place accepts no objects, or the object is wrong as a whole
		}
		jsonrpc.Members(part, func(name, value []byte) bool {
			inside := append(append(append([]byte(nil), before...), '{'), wire.AppendString(nil, name)...)
			n.visit(append(inside, ':'), value, append([]byte{'}'}, behind...), path+"."+string(name))
			return !n.full()
		})
	case '[':
		if n.read(before, []byte("[]"), behind) != nil {
			break
		}
		inside, after := append(append([]byte(nil), before...), '['), append([]byte{']'}, behind...)
		i := 0
		jsonrpc.Elements(part, func(value []byte) bool {
			n.visit(inside, value, after, path+"["+strconv.Itoa(i)+"]")
			i++
			return !n.full()
		})
	}
	if len(n.problems) == found {
		n.problems = append(n.problems, describe(path, err))
	}
}

func (n *narrowing) full() bool { return len(n.problems) >= maxContradictions || n.work <= 0 }

// read reads a part of the value.
func (n *narrowing) read(before, part, behind []byte) error {
	text := make([]byte, 0, len(before)+len(part)+len(behind))
	text = append(append(append(text, before...), part...), behind...)
	n.work -= len(text)
	return json.Unmarshal(text, reflect.New(n.as).Interface())
}

// describe returns a description of a problem.
func describe(path string, err error) string {
	text := strings.TrimPrefix(err.Error(), "json: ")
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		text = "must be " + wrong.Type.String() + ", got " + wrong.Value
	}
	if path = strings.TrimPrefix(path, "."); path == "" {
		return text
	}
	return path + ": " + text
}
