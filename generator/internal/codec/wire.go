package codec

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// scalarReader names the function of runtime/wire that reads a value without generated code, or
// returns "" for other kinds.
func scalarReader(t *model.Type) string {
	switch t.Kind {
	case model.Bool:
		return "Bool"
	case model.Int, model.Uint:
		return "Int"
	case model.Float:
		return "Float"
	case model.String:
		return "String"
	case model.Bytes:
		if isNamedBytes(t.Go) {
			return "NamedBytes"
		}
		return "Bytes"
	case model.Time:
		return "Time"
	case model.Duration:
		return "Duration"
	case model.Any:
		return "Any"
	case model.RawJSON:
		return "Raw"
	case model.Number:
		if t.Whole {
			return "WholeNumber"
		}
		return "Number"
	case model.Text:
		return "Text"
	case model.JSON:
		return "JSON"
	case model.Reflect:
		return "Reflect"
	}
	return ""
}

// scalarWriter is like scalarReader, for writing.
func scalarWriter(t *model.Type) string {
	switch t.Kind {
	case model.Error:
		return "PutError"
	case model.Interface:
		return "PutReflect"
	}
	if name := scalarReader(t); name != "" {
		return "Put" + name
	}
	return ""
}

// quotable reports whether encoding/json applies the ",string" option to a type.
func quotable(t *model.Type) bool {
	switch t.Kind {
	case model.Bool, model.Int, model.Uint, model.Float, model.String, model.Number:
		return true
	}
	return false
}

// takesNull reports whether null is a value of the type itself.
func takesNull(t *model.Type) bool {
	switch t.Kind {
	case model.Any, model.RawJSON, model.JSON, model.Reflect:
		return true
	case model.Pointer, model.Converted:
		return takesNull(t.Elem)
	}
	return false
}

// enumReader names the function that reads a value from a table.
func enumReader(t *model.Type) string {
	switch t.Kind {
	case model.String:
		return "StringEnum"
	case model.Int, model.Uint:
		return "IntEnum"
	case model.Float:
		return "FloatEnum"
	case model.Text:
		return "TextEnum"
	}
	return ""
}

// mapReader names the function that reads a map by the kind of its keys.
func mapReader(key *model.Type) string {
	switch key.Kind {
	case model.String:
		return "Map"
	case model.Int, model.Uint:
		return "MapInt"
	case model.Text:
		return "MapText"
	}
	return ""
}

// mapWriter is like mapReader, for writing.
func mapWriter(key *model.Type) string {
	if name := mapReader(key); name != "" {
		return "Put" + name
	}
	return ""
}

// isPlain reports whether a function of runtime/wire fits the type as it is, so that it can be an
// argument of Slice and similar functions.
func isPlain(t *model.Type) bool {
	switch t.Kind {
	case model.Text, model.JSON:
		return false
	case model.Time:
		return t.Layout == ""
	case model.Any:
		return isAny(t.Go)
	}
	return true
}

// isNamedBytes reports whether a slice of bytes has elements of a named type.
func isNamedBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	_, named := types.Unalias(s.Elem()).(*types.Named)
	return named
}

var emptyInterface = types.NewInterfaceType(nil, nil)

// isAny reports whether the type is any itself, or an alias of it.
func isAny(t types.Type) bool { return types.Identical(t, emptyInterface) }
