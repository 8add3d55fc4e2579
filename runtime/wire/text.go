package wire

import "encoding/json"

// TextEnum is like Text, for a string that must be one of values.
func TextEnum[T any](d *Decoder, v *T, unmarshal func(*T, []byte) error, values []string) {
	var s string
	if StringEnum(d, &s, values); !d.failed {
		unmarshalText(d, v, unmarshal, s)
	}
}

// FormattedText is like Text, for a string that must have a format.
func FormattedText[T any](d *Decoder, v *T, unmarshal func(*T, []byte) error, format FormatChecker) {
	var s string
	String(d, &s)
	d.kept = 0
	if Format(d, s, format); !d.failed {
		unmarshalText(d, v, unmarshal, s)
	}
}

// TextOfString is like Text, for a string that f reads, with constraints of its own.
func TextOfString[T any](d *Decoder, v *T, unmarshal func(*T, []byte) error, f func(*Decoder, *string)) {
	if s, ok := readBy(d, f); ok {
		unmarshalText(d, v, unmarshal, s)
	}
}

// JSONOfString is like JSON, for a string that f reads, with constraints of its own. The method
// gets the string as JSON.
func JSONOfString[T any](d *Decoder, v *T, unmarshal func(*T, []byte) error, f func(*Decoder, *string)) {
	if s, ok := readBy(d, f); ok {
		unmarshalString(d, v, unmarshal, &s)
	}
}

// JSONOfStringOrNull is like JSONOfString, for a string or null.
func JSONOfStringOrNull[T any](d *Decoder, v *T, unmarshal func(*T, []byte) error, f func(*Decoder, **string)) {
	if s, ok := readBy(d, f); ok {
		unmarshalString(d, v, unmarshal, s)
	}
}

// JSONOfNumber is like JSON, for a number that f reads, with constraints of its own.
func JSONOfNumber[T any](d *Decoder, v *T, unmarshal func(*T, []byte) error, f func(*Decoder, *json.Number)) {
	n, ok := readBy(d, f)
	if !ok {
		return
	}
	var t T
	if err := unmarshal(&t, []byte(n)); err != nil {
		d.invalid(err, shown([]byte(n)))
		return
	}
	*v = t
}

// readBy reads a value with f, and reports whether it is valid.
func readBy[S any](d *Decoder, f func(*Decoder, *S)) (s S, ok bool) {
	before := d.problemCount()
	f(d, &s)
	if d.err != nil || d.problemCount() != before {
		d.failed = true
	}
	d.kept = 0
	return s, !d.failed
}

// unmarshalString passes a string, or null for nil, to the UnmarshalJSON method of its type.
func unmarshalString[T any](d *Decoder, v *T, unmarshal func(*T, []byte) error, s *string) {
	text := []byte("null")
	if s != nil {
		text = AppendString(nil, *s)
	}
	var t T
	if isBigNumber(&t) && !d.numberFits(text) {
		return
	}
	if err := unmarshal(&t, text); err != nil {
		d.invalid(err, described(text))
		return
	}
	*v = t
}

// unmarshalText passes a string to the UnmarshalText method of its type.
func unmarshalText[T any](d *Decoder, v *T, unmarshal func(*T, []byte) error, s string) {
	var t T
	if isBigNumber(&t) && !d.numberFits([]byte(s)) {
		return
	}
	if err := unmarshal(&t, []byte(s)); err != nil {
		d.invalid(err, quote(s))
		return
	}
	*v = t
}

// NamedBytes is like Bytes, for slices whose element type is named.
func NamedBytes[S ~[]T, T ~byte](d *Decoder, v *S) {
	var b []byte
	if Bytes(d, &b); d.failed {
		return
	}
	s := make(S, len(b))
	for i, c := range b {
		s[i] = T(c)
	}
	*v = s
}

// PutNamedBytes is like PutBytes, for slices whose element type is named.
func PutNamedBytes[S ~[]T, T ~byte](e *Encoder, v *S) {
	b := make([]byte, len(*v))
	for i, c := range *v {
		b[i] = byte(c)
	}
	PutBytes(e, &b)
}
