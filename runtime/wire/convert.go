package wire

// Convert reads a value of type S and converts it to a T. A conversion error is a violation at the
// path of the value.
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

// Made converts s, whose members have been read, to a T. Messages begin with what, "kind is" or
// "group and kind are". A conversion error is a violation of the object that contains the members.
// Made does nothing if an earlier member was invalid.
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

// PutConverted converts a value and writes the result.
func PutConverted[T, S any](e *Encoder, v *T, convert func(T) S, f func(*Encoder, *S)) {
	s := convert(*v)
	f(e, &s)
}

// PutConvertedErr is like PutConverted, for a conversion that can fail. The encoder records the
// error with the path of the value.
func PutConvertedErr[T, S any](e *Encoder, v *T, convert func(T) (S, error), f func(*Encoder, *S)) {
	s, err := convert(*v)
	if err != nil {
		e.Fail(err)
		return
	}
	f(e, &s)
}

// Flagged reads a value whose presence is recorded in a flag, as in the Null types of database/sql.
// f gets a null too, and usually refuses it; see FlaggedOrNull.
func Flagged[T any](d *Decoder, v *T, flag *bool, f func(*Decoder, *T)) {
	if f(d, v); !d.failed {
		*flag = true
	}
}

// FlaggedOrNull is like Flagged, but a null makes the value zero and clears the flag.
func FlaggedOrNull[T any](d *Decoder, v *T, flag *bool, f func(*Decoder, *T)) {
	if d.Null() {
		var zero T
		*v, *flag = zero, false
		return
	}
	Flagged(d, v, flag, f)
}

// PutFlagged writes a value if its flag is set, and null otherwise.
func PutFlagged[T any](e *Encoder, v *T, flag bool, f func(*Encoder, *T)) {
	if !flag {
		PutNull(e)
		return
	}
	f(e, v)
}

// PutError writes an error message, and null for nil.
func PutError[T error](e *Encoder, v *T) {
	if any(*v) == nil {
		PutNull(e)
		return
	}
	e.putString((*v).Error())
}
