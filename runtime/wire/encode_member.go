package wire

// The functions of this file write a member of an object unless its value is empty, like omitempty
// of encoding/json. They check that themselves, in code that is inlined, so that an omitted member
// costs no call.

// PutBoolIf writes a member if it is true.
func PutBoolIf[T ~bool](e *Encoder, escaped string, v *T) {
	if *v {
		e.Name(escaped).raw("true")
	}
}

// PutStringIf writes a member if it is not blank.
func PutStringIf[T ~string](e *Encoder, escaped string, v *T) {
	if *v != "" {
		e.stringMember(escaped, string(*v))
	}
}

// PutIntIf writes a member if it is not 0.
func PutIntIf[T Integer](e *Encoder, escaped string, v *T) {
	if *v != 0 {
		intMember(e, escaped, *v)
	}
}

// PutFloatIf writes a member if it is not 0. NaN and infinities cannot be written.
func PutFloatIf[T Real](e *Encoder, escaped string, v *T) {
	if *v != 0 {
		floatMember(e, escaped, v)
	}
}

// PutPtrIf writes the value of a pointer that is not nil.
func PutPtrIf[T any](e *Encoder, escaped string, v *T, f func(*Encoder, *T)) {
	if v != nil {
		pointerMember(e, escaped, v, f)
	}
}

// PutSliceIf writes an array if it is not empty.
func PutSliceIf[T any](e *Encoder, escaped string, v []T, f func(*Encoder, *T)) {
	if len(v) != 0 {
		sliceMember(e, escaped, v, f)
	}
}

// PutMapIf writes a map if it is not empty.
func PutMapIf[M ~map[K]T, K ~string, T any](e *Encoder, escaped string, v M, f func(*Encoder, *T)) {
	if len(v) != 0 {
		mapMember(e, escaped, v, f)
	}
}

func (e *Encoder) raw(text string) { e.buf = append(e.buf, text...) }

func (e *Encoder) stringMember(escaped, v string) { e.Name(escaped).putString(v) }

func intMember[T Integer](e *Encoder, escaped string, v T) {
	e.Name(escaped)
	e.buf = appendNumeric(e.buf, v)
}

func floatMember[T Real](e *Encoder, escaped string, v *T) { PutFloat(e.Name(escaped), v) }

func pointerMember[T any](e *Encoder, escaped string, v *T, f func(*Encoder, *T)) {
	f(e.Name(escaped), v)
}

func sliceMember[T any](e *Encoder, escaped string, v []T, f func(*Encoder, *T)) {
	PutSlice(e.Name(escaped), v, f)
}

func mapMember[M ~map[K]T, K ~string, T any](e *Encoder, escaped string, v M, f func(*Encoder, *T)) {
	PutMap(e.Name(escaped), v, f)
}
