package wire_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

type link struct {
	name string
	next []*link
}

var linkFields = wire.Fields{{Name: "name", Required: true}, {Name: "next"}}

func readLink(d *wire.Decoder, v *link) {
	for o := d.Object(linkFields); o.Next(); {
		switch o.Name() {
		case "name":
			wire.String(d, &v.name)
		case "next":
			wire.PtrSlice(d, &v.next, readLink)
		}
	}
}

// readLinkPtr reads an element like a generated function.
func readLinkPtr(d *wire.Decoder, v **link) { wire.Nullable(d, v, readLink) }

func putLink(e *wire.Encoder, v *link) {
	e.Begin()
	wire.PutString(e.Name("name"), &v.name)
	wire.PutPtrSliceIf(e, "next", v.next, putLink)
	e.End()
}

func putLinkPtr(e *wire.Encoder, v **link) { wire.PutPtr(e, *v, putLink) }

// TestPtrSlice compares lists of pointers with lists whose elements have functions of their own:
// values, bytes, violations and allocations.
func TestPtrSlice(t *testing.T) {
	for _, c := range []struct {
		text, problem string
		lenient       bool
	}{
		{`[]`, "", false},
		{`[{"name":"a","next":[null,{"name":"b","next":[{"name":"c"}]}]},null,{"name":"d","next":[]}]`, "", false},
		{`"[{\"name\":\"a\"}]"`, "", true},
		{`{"name":"a"}`, `must be an array, got an object; send [{"name":"a"}]`, false},
		{`[{"name":"a","next":[{}]},7]`, "[0].next[0].name: required, but missing; [1]: must be an object, got a number 7", false},
		{`[{"name":"a","next":[{"nmae":"b"}]}]`, `[0].next[0].nmae: unknown field; did you mean "name"? Known: name, next; [0].next[0].name: required, but missing`, false},
	} {
		o := wire.Options{Lenient: c.lenient}
		read := func(f func(*wire.Decoder, *[]*link)) (v []*link, problem string) {
			d := wire.NewDecoder([]byte(c.text), o)
			f(d, &v)
			if err := d.Finish(); err != nil {
				return nil, err.Error()
			}
			return v, ""
		}
		own := func(d *wire.Decoder, v *[]*link) { wire.Slice(d, v, readLinkPtr) }
		short := func(d *wire.Decoder, v *[]*link) { wire.PtrSlice(d, v, readLink) }
		_, problem := read(own)
		v, got := read(short)
		if got != problem || got != c.problem {
			t.Errorf("%s: %q, want %q", c.text, got, c.problem)
		}
		if a, b := testing.AllocsPerRun(100, func() { read(own) }), testing.AllocsPerRun(100, func() { read(short) }); b > a {
			t.Errorf("%s: reading takes %v allocations, with a function for elements %v", c.text, b, a)
		}
		if problem != "" {
			continue
		}
		write := func(f func(*wire.Encoder)) string {
			e := wire.NewEncoder(nil)
			f(e)
			return string(e.Bytes())
		}
		want := write(func(e *wire.Encoder) { wire.PutSlice(e, v, putLinkPtr) })
		if text := write(func(e *wire.Encoder) { wire.PutPtrSlice(e, v, putLink) }); text != want {
			t.Errorf("%s: written as %s, want %s", c.text, text, want)
		}
	}
	e := wire.NewEncoder(nil)
	if putLink(e, &link{name: "x", next: []*link{nil, {name: "y"}}}); string(e.Bytes()) != `{"name":"x","next":[null,{"name":"y"}]}` {
		t.Errorf("a member: %s", e.Bytes())
	}
}
