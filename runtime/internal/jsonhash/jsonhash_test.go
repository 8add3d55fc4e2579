package jsonhash

import (
	"crypto/sha256"
	"testing"
)

func TestCanonicalNumber(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "0e9": "0", "1": "1e0", "1.0": "1e0", "10": "1e1", "1e1": "1e1", "1E+1": "1e1",
		"100e-1": "1e1", "-2.50": "-25e-1", "0.025": "25e-3", "12300": "123e2", "9007199254740993": "9007199254740993e0",
		"1e99999999999999999999": "1e99999999999999999999",
	} {
		if got := string(canonicalNumber([]byte(text))); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func sum(value string) [sha256.Size]byte {
	h := New()
	h.Value([]byte(value))
	return h.Sum()
}

// TestDifferentValues compares values that look alike when written one after the other.
func TestDifferentValues(t *testing.T) {
	seen := map[[sha256.Size]byte]string{}
	for _, value := range []string{
		`{}`, `[]`, `""`, `null`, `true`, `false`, `0`, `"0"`, `[[]]`, `[[],[]]`, `[[[]]]`, `{"a":[]}`, `{"a":{}}`, `{"a":"b"}`, `{"ab":""}`,
		`["a","b"]`, `["ab"]`, `["ab",""]`, `[["a"],"b"]`, `["a",["b"]]`, `{"a":1,"b":2}`, `{"a":2,"b":1}`, `[{"a":1},{"b":2}]`, `[1,2]`, `[12]`, `["1e0"]`,
	} {
		h := sum(value)
		if other := seen[h]; other != "" {
			t.Errorf("%s and %s have the same hash", value, other)
		}
		seen[h] = value
	}
}

// TestSameValues compares spellings of one value.
func TestSameValues(t *testing.T) {
	for _, spellings := range [][]string{
		{`{"a":1,"b":[true,"x"]}`, ` { "b" : [ true , "\u0078" ] , "a" : 1.0 } `, `{"b":[true,"x"],"\u0061":10e-1}`},
		{`""`, ` "" `}, {`-0`, `0.0`}, {`"/"`, `"\/"`}, {`[]`, "[\n]"},
	} {
		for _, other := range spellings[1:] {
			if sum(other) != sum(spellings[0]) {
				t.Errorf("%s and %s have different hashes", other, spellings[0])
			}
		}
	}
}

// TestText adds texts beside values: the kind and the boundaries of each part count.
func TestText(t *testing.T) {
	of := func(kind byte, texts ...string) [sha256.Size]byte {
		h := New()
		for _, text := range texts {
			h.Text(kind, []byte(text))
		}
		return h.Sum()
	}
	if of('m', "ab") == of('p', "ab") || of('m', "a", "b") == of('m', "ab") || of('m', "") == of('m') {
		t.Error("different texts have the same hash")
	}
}
