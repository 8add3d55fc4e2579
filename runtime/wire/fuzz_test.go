package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzReader compares all readers of any value with each other and with encoding/json.
func FuzzReader(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Add([]byte(searchText))
	f.Fuzz(checkReaders)
}

func checkReaders(t *testing.T, data []byte) {
	if compact := AppendCompact(nil, data); len(compact) != compactLen(data) {
		t.Fatalf("%q: %q is not of %d bytes", data, compact, compactLen(data))
	}
	err := Valid(data, 0)
	if err == nil && !json.Valid(data) {
		t.Fatalf("accepted, but not by encoding/json: %q", data)
	}
	if err == nil && !utf8.Valid(data) {
		t.Fatalf("accepted, but not UTF-8: %q", data)
	}
	if err != nil && json.Valid(data) && !strict(err) {
		t.Fatalf("%q is refused: %v", data, err)
	}
	input := bytes.Clone(data)
	var raw json.RawMessage
	if rawErr := decode(string(data), Options{}, &raw, Raw); (rawErr == nil) != (err == nil) {
		t.Fatalf("Raw: %v, Valid: %v", rawErr, err)
	}
	d := NewDecoder(data, Options{})
	var got, want any
	Any(d, &got)
	anyErr := d.Finish()
	if !bytes.Equal(input, data) {
		t.Fatal("the input has changed")
	}
	stdErr := json.Unmarshal(data, &want)
	if (anyErr == nil) != (err == nil && stdErr == nil) {
		t.Fatalf("%q: Any: %v, Valid: %v, encoding/json: %v", data, anyErr, err, stdErr)
	}
	if err != nil {
		return
	}
	var theirs json.RawMessage
	if err := json.Unmarshal(data, &theirs); err != nil || string(theirs) != string(raw) {
		t.Fatalf("Raw: %q, encoding/json: %q, %v", raw, theirs, err)
	}
	if start, end, ok := Span(data, 0); !ok || string(bytes.TrimSpace(data)) != string(data[start:end]) {
		t.Fatalf("%q: Span: %d, %d, %v", data, start, end, ok)
	}
	if anyErr == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: Any: %#v, encoding/json: %#v", data, got, want)
	}
	if anyErr == nil {
		text, err := encode(&got, PutAny)
		if wanted := marshalled(t, want); err != nil || text != wanted {
			t.Fatalf("PutAny: %q, %v, encoding/json: %q", text, err, wanted)
		}
	}
}

// TestOneByteChanged compares the readers with encoding/json for texts of every kind, and for all
// changes of one byte of them.
func TestOneByteChanged(t *testing.T) {
	for _, text := range append(slices.Clone(texts), `{"a":{"b":[null,-0.5e+1]},"c":"\u00e9\ud83d\ude00\/é","d":[[{}]]}`) {
		oneByteChanged(text, func(text string) {
			checkReaders(t, []byte(text))
			checkNumbers(t, text)
		})
	}
	oneByteChanged(searchText, func(text string) {
		checkSearch(t, text, false)
		checkSearch(t, text, true)
	})
}

// oneByteChanged calls f with a text, and again for each change of one byte.
func oneByteChanged(text string, f func(text string)) {
	f(text)
	for i := range len(text) + 1 {
		f(text[:i])
		for _, c := range "{}[]\",:\\ \n\r\t09a-.eEu\x00\x1f\x7f" {
			f(text[:i] + string(c) + text[i:])
			if i < len(text) {
				f(text[:i] + string(c) + text[i+1:])
			}
		}
		if i < len(text) {
			f(text[:i] + text[i+1:])
			f(text[:i] + "\xff" + text[i+1:])
		}
	}
}

// strict reports whether an error is one that encoding/json does not return.
func strict(err error) bool {
	for _, s := range []string{"duplicate key ", "invalid UTF-8", "lone surrogate", "nested deeper"} {
		if strings.HasPrefix(err.Error(), s) {
			return true
		}
	}
	return false
}

// FuzzSearch compares a codec with encoding/json: both read the same value from a text that the
// codec accepts, and no text makes it, or its error messages, panic.
func FuzzSearch(f *testing.F) {
	f.Add(searchText, false)
	f.Add(strings.ReplaceAll(searchText, `"limit":25`, `"limit":"25"`), true)
	f.Add(`{"query":"x","page":"{\"number\":2}"}`, true)
	f.Add(`{"query":1,"limit":5000,"sort":"yeer","qeury":{"a":1,"a":2}}`, false)
	f.Fuzz(checkSearch)
}

func checkSearch(t *testing.T, text string, lenient bool) {
	var got, want searchArgs
	err := decode(text, Options{Help: help(lenient)}, &got, decodeSearch)
	switch err := err.(type) {
	case nil:
		if lenient {
			return
		}
		stdErr := json.Unmarshal([]byte(text), &want)
		if stdErr != nil && strings.Contains(stdErr.Error(), "cannot unmarshal number") {
			return // 1.0 and 1e2 as integers
		}
		if stdErr != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q:\n got %#v\nwant %#v, %v", text, got, want, stdErr)
		}
	case *ArgumentsError:
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q: violations, but not JSON: %v", text, err)
		}
		if s := err.Text("x"); !utf8.ValidString(s) || strings.Count(s, "\n") > DefaultMaxProblems+1 {
			t.Fatalf("%q: text %q", text, s)
		}
	case *SyntaxError:
		if json.Valid([]byte(text)) && !strict(err) {
			t.Fatalf("%q is refused: %v", text, err)
		}
	}
}

// FuzzNumbers compares integers and floats with encoding/json.
func FuzzNumbers(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(checkNumbers)
}

func checkNumbers(t *testing.T, text string) {
	var i, wantI int64
	var u, wantU uint64
	var x, wantX float64
	var y, wantY float32
	errI, errU := decode(text, Options{}, &i, Int[int64]), decode(text, Options{}, &u, Int[uint64])
	errX, errY := decode(text, Options{}, &x, Float[float64]), decode(text, Options{}, &y, Float[float32])
	if strings.TrimSpace(text) == "null" {
		return
	}
	if json.Unmarshal([]byte(text), &wantI) == nil && (errI != nil || i != wantI) {
		t.Errorf("%q: %d, %v, want %d", text, i, errI, wantI)
	}
	if json.Unmarshal([]byte(text), &wantU) == nil && (errU != nil || u != wantU) {
		t.Errorf("%q: %d, %v, want %d", text, u, errU, wantU)
	}
	if err := json.Unmarshal([]byte(text), &wantX); (err == nil) != (errX == nil) || err == nil && x != wantX {
		t.Errorf("%q: %v, %v, want %v, %v", text, x, errX, wantX, err)
	}
	if err := json.Unmarshal([]byte(text), &wantY); (err == nil) != (errY == nil) || err == nil && y != wantY {
		t.Errorf("%q: %v, %v, want %v, %v", text, y, errY, wantY, err)
	}
	if errI == nil && errX != nil || errI == nil && float64(i) != x {
		t.Errorf("%q: %d as an integer, %v as a float", text, i, x)
	}
}

// FuzzStrings writes strings and reads them back.
func FuzzStrings(f *testing.F) {
	for _, s := range []string{"", "abc", "é😀", "\x00\x1f\x7f\u2028", `"\/`, "\xff\xc3(", "12345678\"12345678\\", "\xed\xa0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := encode(&s, PutString)
		if err != nil || text != marshalled(t, s) {
			t.Fatalf("%q is written as %s, %v", s, text, err)
		}
		var back string
		if err := decode(text, Options{}, &back, String); err != nil || back != strings.ToValidUTF8(s, "\uFFFD") && utf8.ValidString(s) {
			t.Fatalf("%q is read back as %q, %v", s, back, err)
		}
		m := map[string]string{s: s}
		text, err = encode(&m, func(e *Encoder, v *map[string]string) { PutMap(e, *v, PutString[string]) })
		if err != nil || text != marshalled(t, m) {
			t.Fatalf("%q is written as %s, %v", m, text, err)
		}
	})
}

// FuzzTime compares the format date-time with the parser of package time, which also accepts hours
// of one digit, commas and offsets of a day: a string in the format parses as a time, and the time
// is written as a string in the format.
func FuzzTime(f *testing.F) {
	for _, s := range []string{
		"2006-01-02T15:04:05Z", "2024-02-29T12:30:00.25+01:00", "2023-02-29T00:00:00Z", "2006-01-02T5:04:05Z",
		"2006-01-02T15:04:05,5Z", "2006-01-02T15:04:05.Z", "2006-01-02T15:04:60Z", "2006-01-02T24:00:00Z",
		"2006-01-02t15:04:05z", "2006-01-02T15:04:05+24:00", "2006-01-02T15:04:05-23:60", "2006-01-02T15:04:05",
		"12006-01-02T15:04:05Z", "0000-01-01T00:00:00.123456789123Z", "2006-01-02T15:04:05+0100",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var x time.Time
		if _, ok := FormatDateTime(s); !ok {
			return
		}
		if err := x.UnmarshalText([]byte(s)); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		text, err := x.MarshalText()
		if _, ok := FormatDateTime(string(text)); err != nil || !ok {
			t.Fatalf("%q is written as %q, %v", s, text, err)
		}
	})
}
