package schema

import (
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// The functions of this file decide the shape of a value in JSON: which members are there, what may
// be null, which values an enumeration has. Other notations than JSON Schema, such as types of
// TypeScript, use them, so that all agree. output distinguishes results from arguments.

// Value returns the plan whose form a value has in JSON: pointers, flags and conversions around it
// are not visible there.
func Value(t *model.Type) *model.Type { return base(t) }

// Required reports whether a member is always present: in arguments by the field's rule, in results
// if the encoder always writes it.
func Required(f *model.Field, output bool) bool {
	if !output {
		return f.Required
	}
	return !f.OmitZero && !throughPointer(f.Path) && !(f.OmitEmpty && canBeEmpty(f.Type)) && (f.Nullable || !f.Type.IsNilable())
}

// MemberNull reports whether a member that is present may be null.
func MemberNull(f *model.Field, output bool) bool {
	if f.Nullable {
		return true
	}
	if output {
		return f.Type.NullInside()
	}
	return f.Type.Kind == model.Converted && ElementNull(f.Type.Elem, output)
}

// ElementNull reports whether a value that cannot be omitted, such as an element of a list, may be
// null.
func ElementNull(t *model.Type, output bool) bool {
	if output {
		return t.WritesNull()
	}
	return t.IsOptional() || t.Kind == model.Converted && ElementNull(t.Elem, output)
}

// Values returns the values of an enumeration as JSON texts, or nil. Other values are possible
// unless it is closed: a Go value of a result may differ from all constants.
func Values(t *model.Type, rules *model.Rules, output bool) (texts []string, closed bool) {
	if rules != nil && !output && len(rules.Enum) > 0 {
		return slices.Clone(rules.Enum), true
	}
	if t.Enum == nil {
		return nil, false
	}
	return enumTexts(t.Enum.Values), !output && !t.Enum.Open
}
