package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// duplicateKeys contains the files with duplicate names, which RFC 8259 leaves to the parser, the
// suite calls valid, and the decoder refuses.
var duplicateKeys = map[string]bool{
	"y_object_duplicated_key.json":           true,
	"y_object_duplicated_key_and_value.json": true,
}

// undecided reports, for each file that the suite leaves open, whether the decoder accepts it.
var undecided = map[string]bool{
	// Numbers of any size are JSON; the limits depend on the type.
	"i_number_double_huge_neg_exp.json":       true,
	"i_number_huge_exp.json":                  true,
	"i_number_neg_int_huge_exp.json":          true,
	"i_number_pos_double_huge_exp.json":       true,
	"i_number_real_neg_overflow.json":         true,
	"i_number_real_pos_overflow.json":         true,
	"i_number_real_underflow.json":            true,
	"i_number_too_big_neg_int.json":           true,
	"i_number_too_big_pos_int.json":           true,
	"i_number_very_big_negative_int.json":     true,
	"i_structure_500_nested_arrays.json":      true,
	"i_structure_UTF-8_BOM_empty_object.json": false,
	// Lone surrogates.
	"i_object_key_lone_2nd_surrogate.json":                false,
	"i_string_1st_surrogate_but_2nd_missing.json":         false,
	"i_string_1st_valid_surrogate_2nd_invalid.json":       false,
	"i_string_incomplete_surrogate_and_escape_valid.json": false,
	"i_string_incomplete_surrogate_pair.json":             false,
	"i_string_incomplete_surrogates_escape_valid.json":    false,
	"i_string_invalid_lonely_surrogate.json":              false,
	"i_string_invalid_surrogate.json":                     false,
	"i_string_inverted_surrogates_U+1D11E.json":           false,
	"i_string_lone_second_surrogate.json":                 false,
	// Text that is not UTF-8.
	"i_string_UTF-16LE_with_BOM.json":              false,
	"i_string_UTF-8_invalid_sequence.json":         false,
	"i_string_UTF8_surrogate_U+D800.json":          false,
	"i_string_invalid_utf-8.json":                  false,
	"i_string_iso_latin_1.json":                    false,
	"i_string_lone_utf8_continuation_byte.json":    false,
	"i_string_not_in_unicode_range.json":           false,
	"i_string_overlong_sequence_2_bytes.json":      false,
	"i_string_overlong_sequence_6_bytes.json":      false,
	"i_string_overlong_sequence_6_bytes_null.json": false,
	"i_string_truncated-utf-8.json":                false,
	"i_string_utf16BE_no_BOM.json":                 false,
	"i_string_utf16LE_no_BOM.json":                 false,
}

// suite is the module with the parsing cases. It contains no Go package to import, so go.mod cannot
// list it.
const suite = "github.com/nst/JSONTestSuite@v0.0.0-20241122125541-1ef36fa01286"

// suiteFiles returns the parsing cases of github.com/nst/JSONTestSuite, which the go command
// verifies and keeps in the module cache.
func suiteFiles(t testing.TB) map[string][]byte {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", suite)
	cmd.Dir = t.TempDir() // outside any module: this one's go.sum does not list it
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.Output()
	var module struct{ Dir, Error string }
	if parsed := json.Unmarshal(out, &module); err != nil || parsed != nil || module.Dir == "" {
		t.Fatalf("download %s: %v %s", suite, err, module.Error)
	}
	dir := module.Dir
	paths, err := filepath.Glob(filepath.Join(dir, "test_parsing", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = data
	}
	return files
}

func TestJSONTestSuite(t *testing.T) {
	counts := map[byte]int{}
	for name, data := range suiteFiles(t) {
		counts[name[0]]++
		var want bool
		switch name[0] {
		case 'y':
			want = !duplicateKeys[name]
		case 'i':
			decision, ok := undecided[name]
			if !ok {
				t.Errorf("%s: no decision", name)
			}
			want = decision
		}
		err := Valid(data, 0)
		if want != (err == nil) {
			t.Errorf("%s: Valid: %v, want accepted = %v", name, err, want)
		}
		if duplicateKeys[name] && !strings.Contains(err.Error(), `duplicate key "a"`) {
			t.Errorf("%s: %v does not name the key", name, err)
		}
		// Any and Raw accept the same, except numbers beyond float64.
		d := NewDecoder(data, Options{})
		var raw json.RawMessage
		Raw(d, &raw)
		if err := d.Finish(); want != (err == nil) {
			t.Errorf("%s: Raw: %v, want accepted = %v", name, err, want)
		}
		d.Reset(data, Options{})
		var got any
		Any(d, &got)
		err = d.Finish()
		var wanted any
		stdErr := json.Unmarshal(data, &wanted)
		if (err == nil) != (want && stdErr == nil) {
			t.Errorf("%s: Any: %v; encoding/json: %v", name, err, stdErr)
		}
		if err == nil && !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s: Any gives %#v, encoding/json %#v", name, got, wanted)
		}
		if want {
			var theirs json.RawMessage
			if err := json.Unmarshal(data, &theirs); err != nil || string(theirs) != string(raw) {
				t.Errorf("%s: Raw gives %q, encoding/json %q, %v", name, raw, theirs, err)
			}
			e := NewEncoder(nil)
			PutRaw(e, &raw)
			var compact bytes.Buffer
			if err := json.Compact(&compact, data); err != nil || compact.String() != string(e.Bytes()) {
				t.Errorf("%s: PutRaw gives %q, json.Compact %q, %v", name, e.Bytes(), compact.String(), err)
			}
		}
	}
	if counts['y'] != 95 || counts['n'] != 188 || counts['i'] != 35 {
		t.Errorf("files: %d y, %d n, %d i, want 95, 188, 35", counts['y'], counts['n'], counts['i'])
	}
}
