package engine

import (
	"encoding/json"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestRetained fills the storage of messages with messages that enlarge each part of it, and checks
// the storage that is left for later messages.
func TestRetained(t *testing.T) {
	const size = 512 << 10
	params := func(members string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"x","params":{` + members + `}}`
	}
	var many strings.Builder
	for i := range size / 16 {
		many.WriteString(`"` + strconv.Itoa(i) + `":1,`)
	}
	integers := func(d *wire.Decoder) { var m map[string]map[string]int; wire.Map(d, &m, mapOfInt) }
	for name, c := range map[string]struct {
		arguments string
		read      func(*wire.Decoder)
	}{
		"nothing":       {"{}", func(d *wire.Decoder) { d.Skip() }},
		"many names":    {"{" + many.String() + `"x":1}`, func(d *wire.Decoder) { d.Skip() }},
		"unknown names": {"{" + many.String() + `"x":1}`, func(d *wire.Decoder) { readOpen(d) }},
		"same name":     {"{" + many.String() + `"1":1}`, func(d *wire.Decoder) { d.Skip() }},
		"deep objects":  {strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500), readOpen},
		"deep and open": {strings.Repeat(`{"a":`, 500), readOpen},
		"deep arrays":   {strings.Repeat("[", 500) + strings.Repeat("]", 500), func(d *wire.Decoder) { var v any; wire.Any(d, &v) }},
		"escapes":       {`"` + strings.Repeat(`\n`, size/2) + `"`, func(d *wire.Decoder) { var s string; wire.String(d, &s) }},
		"list":          {"[" + strings.Repeat("1,", size/2) + "1]", func(d *wire.Decoder) { var l []int; wire.Slice(d, &l, wire.Int[int]) }},
		"texts":         {"[" + strings.Repeat(`"abcdefgh",`, size/12) + `""]`, func(d *wire.Decoder) { var l []string; wire.Slice(d, &l, wire.String[string]) }},
		"texts inside":  {`{"a":"{\"b\":\"` + strings.Repeat("1", size) + `\"}"}`, integers},
		"problems":      {strings.Repeat(`{"`+strings.Repeat("long", 14)+`":`, 500) + `"x"` + strings.Repeat("}", 500), readDeep},
		"quoted":        {`"` + strings.Repeat("1", size) + `"`, func(d *wire.Decoder) { var i int; wire.Quoted(d, &i, wire.Int[int]) }},
		"number":        {strings.Repeat("1", size), func(d *wire.Decoder) { var n json.Number; wire.Number(d, &n) }},
		"big number":    {strings.Repeat("1", size), func(d *wire.Decoder) { var n big.Int; wire.JSON(d, &n, (*big.Int).UnmarshalJSON) }},
		"kind at last":  {`{"a":[` + strings.Repeat(`{"b":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]},`, size/80) + `0],"kind":"x"}`, func(d *wire.Decoder) { d.Variant("kind", []string{"x"}) }},
	} {
		for _, finish := range []bool{true, false} { // a handler that panics does not finish decoding
			b := new(Buffers)
			for _, message := range []string{params(`"arguments":` + c.arguments), params(many.String() + `"x":1`), params(`"a":1`)} {
				b.load([]byte(message))
				// Whether the message is valid does not matter here.
				_ = jsonrpc.Parser{Deferred: "arguments"}.Parse(b.data, &b.Msg)
				if text := b.Msg.Params.Get("arguments"); text != nil {
					b.Decoder.Reset(text, wire.Options{Help: wire.Leniency()})
					if c.read(&b.Decoder); finish {
						_ = b.Decoder.Finish()
					}
				}
				b.out = append(b.out, message...)
				b.reset()
				if n := retained(reflect.ValueOf(b), map[uintptr]bool{}); n > 4*keptBuffer {
					t.Errorf("%s, finished %v: %d bytes are kept after %.80s", name, finish, n, message)
				}
			}
		}
	}
}

// If the budget is exhausted, storage that buffers have kept from an earlier message does not
// count: a short message is stored without it.
func TestHoldWithoutRoom(t *testing.T) {
	budget := membudget.New(1<<20, 1)
	budget.Force(1 << 20)
	for name, spare := range map[string]Buffers{
		"message": {data: make([]byte, 0, keptBuffer)},
		"reply":   {out: make([]byte, 0, keptBuffer)},
		"nothing": {},
	} {
		b := spare
		b.account.Of(budget)
		if !b.load([]byte("{}")) || string(b.data) != "{}" || b.account.Held() != 0 {
			t.Errorf("%s: a short message has no room, or is charged with %d bytes", name, b.account.Held())
		}
		if b.load(make([]byte, 2*membudget.Free)) || len(b.data) != 0 || b.account.Held() != 0 {
			t.Errorf("%s: a long message has room", name)
		}
	}
}

func mapOfInt(d *wire.Decoder, v *map[string]int) { wire.Map(d, v, wire.Int[int]) }

func readOpen(d *wire.Decoder) {
	for o := d.OpenObject(nil); o.Next(); {
		if o.Name() == "a" {
			readOpen(d)
		}
	}
}

func readDeep(d *wire.Decoder) {
	var m map[string]int
	wire.Map(d, &m, func(d *wire.Decoder, _ *int) {
		for range 19 {
			d.Fail("x", "y")
		}
		readDeep(d)
	})
}

// retained returns the number of bytes that a value refers to, by the capacities of its slices.
func retained(v reflect.Value, seen map[uintptr]bool) int {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() || v.Kind() == reflect.Pointer && seen[v.Pointer()] {
			return 0
		}
		if v.Kind() == reflect.Pointer {
			seen[v.Pointer()] = true
		}
		return retained(v.Elem(), seen) + int(v.Elem().Type().Size())
	case reflect.String:
		return v.Len()
	case reflect.Map:
		return v.Len() * int(v.Type().Elem().Size()+v.Type().Key().Size())
	case reflect.Slice:
		n := v.Cap() * int(v.Type().Elem().Size())
		if seen[v.Pointer()] || v.Type().Elem().Kind() < reflect.Array {
			return n
		}
		seen[v.Pointer()] = true
		for i := range v.Cap() {
			n += retained(v.Slice(0, v.Cap()).Index(i), seen)
		}
		return n
	case reflect.Array:
		n := 0
		for i := range v.Len() {
			n += retained(v.Index(i), seen)
		}
		return n
	case reflect.Struct:
		n := 0
		for i := range v.NumField() {
			n += retained(v.Field(i), seen)
		}
		return n
	}
	return 0
}
