package values

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// parse parses JSON and keeps numbers as text.
func parse(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// differ compares a result with the output of encoding/json for the same value. It returns the
// first difference, or "". It accepts the two differences that docs/write/types.md lists: nil
// slices, bytes and maps are written as [], "" and {}, and nil pointers in fields are omitted.
func differ(path string, got, want any) string {
	if want == nil && isEmpty(got) {
		return ""
	}
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			member, there := got[name]
			if !there {
				if want[name] != nil {
					return fmt.Sprintf("%s.%s is missing", path, name)
				}
				continue
			}
			if where := differ(path+"."+name, member, want[name]); where != "" {
				return where
			}
		}
		for name := range got {
			if _, there := want[name]; !there {
				return fmt.Sprintf("%s.%s is too much", path, name)
			}
		}
		return ""
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			break
		}
		for i := range want {
			if where := differ(fmt.Sprintf("%s[%d]", path, i), got[i], want[i]); where != "" {
				return where
			}
		}
		return ""
	case json.Number:
		if n, ok := got.(json.Number); ok && sameNumber(n, want) {
			return ""
		}
	default:
		if got == want {
			return ""
		}
	}
	return fmt.Sprintf("%s is %s, and %s by encoding/json", path, short(got), short(want))
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == "" // nil bytes
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, ok := new(big.Rat).SetString(string(a))
	y, fine := new(big.Rat).SetString(string(b))
	return ok && fine && x.Cmp(y) == 0
}

func short(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(text) > 200 {
		text = append(text[:200], "..."...)
	}
	return string(text)
}
