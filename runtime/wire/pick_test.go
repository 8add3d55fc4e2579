package wire

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestPick reads members of two types, in the order of the table and in the opposite order, with
// and without white space. The rows of one type are apart, up to the last that Pick can find.
func TestPick(t *testing.T) {
	fields := make(Fields, 64)
	for i := range fields {
		fields[i].Name = fmt.Sprint("m", i)
	}
	read := func(text string) (numbers [3]int, texts [2]string) {
		d := NewDecoder([]byte(text), Options{})
		for o := d.Object(fields); o.Next(); {
			switch o.Name() {
			case "m0", "m5", "m63":
				Int(d, Pick(o, 1|1<<5|1<<63, &numbers[0], &numbers[1], &numbers[2]))
			case "m1", "m62":
				String(d, Pick(o, 1<<1|1<<62, &texts[0], &texts[1]))
			}
		}
		if err := d.Finish(); err != nil {
			t.Fatal(err)
		}
		return numbers, texts
	}
	members := []string{`"m0":1`, `"m1":"a"`, `"m5":2`, `"m30":{}`, `"m62":"b"`, `"m63" : 3`}
	for range 2 {
		for _, separator := range []string{",", " , "} {
			numbers, texts := read("{" + strings.Join(members, separator) + "}")
			if numbers != [3]int{1, 2, 3} || texts != [2]string{"a", "b"} {
				t.Errorf("%s: got %v and %q", members, numbers, texts)
			}
		}
		slices.Reverse(members)
	}
	if numbers, _ := read(`{"m\u0035":2}`); numbers != [3]int{0, 2, 0} {
		t.Errorf("got %v", numbers)
	}
}

// TestNamesAreDropped: a decoder that is used again does not keep a name of the earlier text, which
// may be long.
func TestNamesAreDropped(t *testing.T) {
	for _, text := range []string{`{"a":{"unknown":1}}`, `{"a":{"unknown":}}`, `{"unknown":[`, `{"a":{"unknown":[{}]`} {
		d := NewDecoder([]byte(text), Options{})
		for o := d.OpenObject(nil); o.Next(); {
			if o.Name() == "a" {
				for inner := d.OpenObject(nil); inner.Next(); {
				}
			}
		}
		_ = d.Finish()
		for i := range d.objects {
			if name := d.objects[i].name; name != "" {
				t.Errorf("%s: kept %q", text, name)
			}
		}
	}
}
