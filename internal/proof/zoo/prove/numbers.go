package prove

import (
	"maps"
	"slices"
)

// Exception is a number in docs/write/types.md: in the list of exceptions to "accepted exactly when
// valid", or in the table of differences from encoding/json.
type Exception int

// The exceptions and differences that can explain a value. Each place in this package that accepts
// a deviation names one of them.
const (
	Strictness Exception = 1 // refused before validation: duplicate names, invalid UTF-8, lone surrogates
	AbsentNull Exception = 2 // null for an optional property counts as absent
	Ranges     Exception = 3 // ranges that the schema does not contain
	Rounding   Exception = 4 // rules of floats are compared as float64
	Formats    Exception = 5 // lower-case t and z, and second 60
	Methods    Exception = 6 // UnmarshalText and UnmarshalJSON decide
	Base64     Exception = 7 // the schema does not describe base64
	Keys       Exception = 9 // two spellings of one key are a duplicate

	Integers       Exception = 13 // 1.0 and 1e2 are integers
	Defaults       Exception = 14 // missing values have their default
	Durations      Exception = 15 // durations are encoded as text
	EscapedTime    Exception = 16 // escapes in a date and time are read
	EmptyForNil    Exception = 17 // nil slices and maps are written as empty ones
	NilLeftOut     Exception = 18 // members that are nil pointers are left out
	PointerMethods Exception = 19 // methods of the pointer are called for elements and keys of maps too
	KeyForms       Exception = 20 // keys are read by UnmarshalText, even if the type has UnmarshalJSON
	NothingFound   Exception = 21 // a result that is nil is an error
	CheckedOutput  Exception = 22 // the output of MarshalJSON is checked
	OwnForms       Exception = 23 // forms that encoding/json does not support
)

// named are the exceptions that Run counts.
var named = map[Exception]string{
	Strictness: "Strictness", AbsentNull: "AbsentNull", Ranges: "Ranges", Rounding: "Rounding", Formats: "Formats", Methods: "Methods",
	Base64: "Base64", Keys: "Keys", Integers: "Integers", Defaults: "Defaults", Durations: "Durations", EscapedTime: "EscapedTime",
	EmptyForNil: "EmptyForNil", NilLeftOut: "NilLeftOut", PointerMethods: "PointerMethods", KeyForms: "KeyForms",
	NothingFound: "NothingFound", CheckedOutput: "CheckedOutput", OwnForms: "OwnForms",
}

// Elsewhere contains the numbers that Run never needs, with the tests that cover them.
var Elsewhere = map[Exception]string{
	8:  "generator/internal/keyword TestPattern",
	10: "runtime/wire TestMessages",
	11: "runtime/wire TestUnion",
	12: "generator/internal/schema TestDiagnostics",
	24: "generator/internal/schema TestForeign",
	25: "runtime/wire TestNilVariant",
	26: "runtime/wire TestEncodeAgainstEncodingJSON",
}

// Counted returns the numbers that Run counts, in order.
func Counted() []Exception { return slices.Sorted(maps.Keys(named)) }
