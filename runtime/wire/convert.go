package wire

// Convert reads a value of type S and makes a T of it. An error of the conversion is a violation at
// the path of the value.
func Convert[S, T any](d *Decoder, v *T, f func(*Decoder, *S), convert func(S) (T, error)) {
	before := d.problemCount()
	d.peek()
	start := d.pos
	var s S
	f(d, &s)
	if d.err != nil || d.failed || d.problemCount() != before {
		d.failed = true
		return
	}
	t, err := convert(s)
	if err != nil {
		d.kept = 0 // the variable is unchanged
		d.invalid(err, described(d.data[start:d.pos]))
		return
	}
	*v = t
}

// Made makes a T of members that have been read into s. Messages begin with what, "kind is" or
// "group and kind are". An error of the conversion is a violation of the object that has the
// members. Nothing is made if a value before was not right.
func Made[S, T any](d *Decoder, what string, v *T, s S, convert func(S) (T, error)) {
	if d.err != nil || d.problemCount() > 0 {
		return
	}
	t, err := convert(s)
	if err != nil {
		d.violate(RuleFormat, what+" not valid: "+reason(err))
		return
	}
	*v = t
}

// PutConverted writes the result of a conversion of a value.
func PutConverted[T, S any](e *Encoder, v *T, convert func(T) S, f func(*Encoder, *S)) {
	s := convert(*v)
	f(e, &s)
}

// PutConvertedErr is PutConverted for a conversion that can fail. The encoder records its error,
// with the path of the value.
func PutConvertedErr[T, S any](e *Encoder, v *T, convert func(T) (S, error), f func(*Encoder, *S)) {
	s, err := convert(*v)
	if err != nil {
		e.Fail(err)
		return
	}
	f(e, &s)
}

// Flagged reads a value whose presence is recorded in a flag, as in the Null types of database/sql.
// A null is passed to f, which usually refuses it; see FlaggedOrNull.
func Flagged[T any](d *Decoder, v *T, flag *bool, f func(*Decoder, *T)) {
	if f(d, v); !d.failed {
		*flag = true
	}
}

// FlaggedOrNull is Flagged, but a null makes the value zero and clears the flag.
func FlaggedOrNull[T any](d *Decoder, v *T, flag *bool, f func(*Decoder, *T)) {
	if d.Null() {
		var zero T
		*v, *flag = zero, false
		return
	}
	Flagged(d, v, flag, f)
}

// PutFlagged writes a value whose flag is set, and null where it is not.
func PutFlagged[T any](e *Encoder, v *T, flag bool, f func(*Encoder, *T)) {
	if !flag {
		PutNull(e)
		return
	}
	f(e, v)
}

// PutError writes the text of an error, and null for nil.
func PutError[T error](e *Encoder, v *T) {
	if any(*v) == nil {
		PutNull(e)
		return
	}
	e.putString((*v).Error())
}
