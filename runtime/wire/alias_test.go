package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
)

type aliased struct {
	Name string
	Raw  json.RawMessage
	List []string
	Map  map[string]json.RawMessage
}

var aliasedFields = Fields{{Name: "name"}, {Name: "raw"}, {Name: "list"}, {Name: "map"}}

func readAliased(d *Decoder, v *aliased) {
	for o := d.Object(aliasedFields); o.Next(); {
		switch o.Name() {
		case "name":
			String(d, &v.Name)
		case "raw":
			Raw(d, &v.Raw)
		case "list":
			Slice(d, &v.List, String)
		case "map":
			Map(d, &v.Map, Raw)
		}
	}
}

const aliasedText = `{"name":"Emma","raw":{"a": [1]},"list":["x","y\n","日本"],"map":{"k":1,"é\t":"v"}}`

// With Alias, values refer to the data; without it, no value does.
func TestAlias(t *testing.T) {
	for _, alias := range []bool{false, true} {
		data := []byte(aliasedText)
		var v aliased
		d := NewDecoder(data, Options{Alias: alias})
		if readAliased(d, &v); d.Finish() != nil {
			t.Fatal(d.Finish())
		}
		text, err := json.Marshal(v)
		if want := `{"Name":"Emma","Raw":{"a":[1]},"List":["x","y\n","日本"],"Map":{"k":1,"é\t":"v"}}`; err != nil || string(text) != want {
			t.Errorf("alias %t: %s, %v", alias, text, err)
		}
		if cap(v.Raw) != len(v.Raw) {
			t.Error("an append to the raw value overwrites what follows")
		}
		copy(data, bytes.ReplaceAll(data, []byte("Emma"), []byte("Anna")))
		if changed := v.Name == "Anna"; changed != alias {
			t.Errorf("alias %t: the name is %s", alias, v.Name)
		}
	}
}

func TestAliasAllocations(t *testing.T) {
	data := []byte(`{"name":"` + strings.Repeat("x", 1000) + `","raw":{"a":[` + strings.Repeat("1,", 100) + `1]}}`)
	var d Decoder
	n := testing.AllocsPerRun(100, func() {
		var v aliased
		d.Reset(data, Options{Alias: true})
		if readAliased(&d, &v); d.Finish() != nil {
			t.Fatal(d.Finish())
		}
	})
	if n > 1 { // v
		t.Errorf("%v allocations", n)
	}
}

// Unknown members are read as strictly as known ones, and skipped.
func TestSkipUnknown(t *testing.T) {
	for text, want := range map[string]string{
		`{"x":{"y":[1,{}]},"name":"Emma","Name":"Anna","":null}`: "",
		`{"name":"Emma","x":1,"x":2}`:                            `duplicate key "x"`,
		`{"name":"Emma","x":{"y":1,"y":2}}`:                      `duplicate key "y"`,
		`{"name":"Emma","x":01}`:                                 "leading zero",
		"{\"name\":\"Emma\",\"x\":\"\xff\"}":                     "invalid UTF-8",
		`{"name":"Emma","x":}`:                                   "want a value",
		`{"name":"Emma","x"}`:                                    "want a colon",
		`{"name":"Emma","x":1`:                                   "end of the text",
		`{"name":7,"x":1}`:                                       "name: must be a string",
	} {
		var v aliased
		d := NewDecoder([]byte(text), Options{SkipUnknown: true})
		readAliased(d, &v)
		err := d.Finish()
		if want == "" && (err != nil || v.Name != "Emma") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v", text, v, err)
		}
	}
}

// Next returns the members of an open object, with any option.
func TestSkipUnknownOpen(t *testing.T) {
	d := NewDecoder([]byte(`{"a":1,"name":2}`), Options{SkipUnknown: true})
	names := ""
	for o := d.OpenObject(aliasedFields); o.Next(); {
		names += o.Name() + " "
	}
	if err := d.Finish(); err != nil || names != "a name " {
		t.Errorf("%q, %v", names, err)
	}
}

// Stop stops the reading with the error, and does not read the rest.
func TestStop(t *testing.T) {
	stopped := errors.New("enough")
	read := 0
	d := NewDecoder([]byte(`[1,2,3,4,x`), Options{})
	var list []int
	Slice(d, &list, func(d *Decoder, v *int) {
		if Int(d, v); *v == 2 {
			d.Stop(stopped)
			d.Stop(errors.New("too late"))
		}
		read++
	})
	if err := d.Finish(); err != stopped || read != 2 || list != nil {
		t.Errorf("%v after %d, %v", err, read, list)
	}
	d.Reset([]byte(`[x`), Options{})
	d.Skip()
	d.Stop(stopped)
	if err := d.Finish(); err == nil || err == stopped {
		t.Error(err)
	}
	d.Reset([]byte(`1`), Options{})
	var n int
	if Int(d, &n); d.Finish() != nil || n != 1 {
		t.Error("Reset keeps the error of Stop")
	}
}

// MaxElements counts the elements of all slices and maps that are read, and no other elements.
func TestMaxElements(t *testing.T) {
	const text = `{"list":["a","b","c"],"map":{"k":[1,2,3],"l":2},"raw":[1,2,3,4,5,6],"x":[7,8,9]}`
	for most, ok := range map[int]bool{0: true, 4: false, 5: true, 1: false} {
		var v aliased
		d := NewDecoder([]byte(text), Options{SkipUnknown: true, MaxElements: most})
		readAliased(d, &v)
		if err := d.Finish(); (err == nil) != ok || err != nil && err != ErrElements {
			t.Errorf("at most %d: %v", most, err)
		}
	}
	// MaxNames counts the names of members that are skipped, in all objects that are open.
	for text, ok := range map[string]bool{
		`{"raw":{"a":1,"b":2,"c":3}}`:                           true,
		`{"raw":{"a":1,"b":2,"c":3,"d":4}}`:                     false,
		`{"raw":[{"a":1,"b":2},{"a":1,"b":2},{"c":[{"d":1}]}]}`: true,
		`{"raw":{"a":{"b":{"c":1}}}}`:                           true,
		`{"raw":{"a":{"b":{"c":{"d":1}}}}}`:                     false,
		`{"x":{"a":1,"b":2}}`:                                   true,
		`{"x":{"a":1,"b":2,"c":3}}`:                             false,
		`{"v":1,"w":1,"x":1}`:                                   true,
		`{"v":1,"w":1,"x":1,"y":1}`:                             false,
		`{"raw":{"a":1,"b":2,"a":3}}`:                           false,
	} {
		var v aliased
		d := NewDecoder([]byte(text), Options{SkipUnknown: true, MaxNames: 3})
		readAliased(d, &v)
		if err := d.Finish(); (err == nil) != ok || !ok && (err == ErrElements) == strings.Contains(text, `"a":3`) {
			t.Errorf("%s: %v", text, err)
		}
	}
	// Beyond the limit no memory is used.
	data := []byte(`{"list":[` + strings.Repeat(`"",`, 1<<20) + `""]}`)
	per := allocated(func() {
		var v aliased
		d := NewDecoder(data, Options{MaxElements: 1000})
		if readAliased(d, &v); d.Finish() != ErrElements {
			t.Fatal(d.Finish())
		}
	})
	if per > 200<<10 {
		t.Errorf("%d bytes", per)
	}
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// Member finds a member at any position without reading the object.
func TestMember(t *testing.T) {
	long := `"filler":"` + strings.Repeat("x", 2*soonFound) + `"`
	for text, want := range map[string]string{
		`{"type":"text","name":"Emma"}`:               `"text"`,
		` { "name" : "Emma" , "type" : [1, 2] } `:     `[1, 2]`,
		`{` + long + `,"name":"Emma","type":"late"}`:  `"late"`,
		`{"name":"Emma","t\u0079pe":1}`:               `1`,
		`{"name":"Emma","Type":1,"inner":{"type":2}}`: ``,
		`{}`:         ``,
		`["type",1]`: ``,
		`"type"`:     ``,
		``:           ``,
		`{"type"`:    ``,
		`{"type":`:   ``,
		`{type:1}`:   ``,
	} {
		d := NewDecoder([]byte(text), Options{SkipUnknown: true})
		if got := d.Member("type"); string(got) != want {
			t.Errorf("%.40s: %q, want %q", text, got, want)
		}
		if d.Skip(); (d.Finish() == nil) != json.Valid([]byte(text)) {
			t.Errorf("%.40s: not read as a whole afterwards", text)
		}
	}
}

func TestPeek(t *testing.T) {
	for text, want := range map[string]byte{" \n[1]": '[', `"a"`: '"', "": 0, " ": 0, "7": '7'} {
		if got := NewDecoder([]byte(text), Options{}).Peek(); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
