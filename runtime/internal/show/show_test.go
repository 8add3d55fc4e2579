package show_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/show"
)

type node struct {
	Name string
	Next *node
	any  any
}

type group struct{ n int }

func (g group) LogValue() slog.Value {
	return slog.GroupValue(slog.Any("a", group{g.n + 1}), slog.Any("", group{g.n + 1}))
}

type itself struct{}

func (i itself) LogValue() slog.Value { return slog.AnyValue(i) }

// text has a method String, whatever it contains.
type text struct{ any []any }

func (t *text) String() string { return "text" }

type panics struct{}

func (panics) String() string               { panic("in String") }
func (panics) MarshalJSON() ([]byte, error) { panic(errors.New("in MarshalJSON")) }

// harmful contains values that fmt, encoding/json or slog never finish printing.
func harmful() map[string]any {
	object := map[string]any{}
	object["self"] = object
	keys := map[any]int{}
	list := []any{nil, 1}
	list[0] = list
	hidden := node{any: list}
	keys[&hidden] = 1
	var deep any = "x"
	long := &node{}
	for range 100_000 {
		deep = []any{deep}
		long = &node{Next: long}
	}
	var wide any = "x"
	for range 50 {
		wide = []any{wide, wide}
	}
	type loop []loop
	own := loop{nil}
	own[0] = own
	var levels any = "x"
	for range 500 {
		levels = []any{levels}
	}
	return map[string]any{
		"object": object, "levels": levels, "list": list, "hidden": hidden, "pointer to one": &hidden, "keys": keys, "deep": deep, "long": long, "wide": wide, "own": own,
		"array": [1]any{list}, "group": group{}, "itself": itself{},
	}
}

func harmless() map[string]any {
	circle := &node{Name: "n"}
	circle.Next = circle
	own := &text{}
	list := []any{nil}
	list[0] = list
	own.any = list
	return map[string]any{
		"pointer": circle, "node": *circle, "ints": make([]int, 250_000), "nil": nil, "nil pointer": (*node)(nil), "map": map[string]any{"a": []int{1}},
		"nil map": map[string]int(nil), "error": io.EOF, "stringer": reflect.TypeFor[int](), "panics": panics{}, "function": func() {}, "text": own, "empty group": slog.GroupValue(),
	}
}

// TestSafe passes the result of Safe to the handlers of slog.
func TestSafe(t *testing.T) {
	for _, values := range []map[string]any{harmful(), harmless()} {
		for name, v := range values {
			var text, json strings.Builder
			attrs := show.Safe([]slog.Attr{slog.Int("before", 1), slog.Any("v", v), slog.Group("g", slog.Any("v", v), slog.Group("h", slog.Any("v", v)))})
			for _, h := range []slog.Handler{slog.NewTextHandler(&text, nil), slog.NewJSONHandler(&json, nil)} {
				slog.New(h).LogAttrs(t.Context(), slog.LevelInfo, "m", attrs...)
				slog.New(h.WithAttrs(attrs)).Info("m")
			}
			if n := strings.Count(text.String(), "before=1"); n != 2 || strings.Count(json.String(), `"before":1`) != 2 {
				t.Errorf("%s: %.300s", name, &text)
			}
		}
	}
}

// chain is a group with one attribute, which is a chain again.
type chain struct{}

func (chain) LogValue() slog.Value { return slog.GroupValue(slog.Any("a", chain{})) }

// Endless values are replaced by a text.
func TestSafeReplaces(t *testing.T) {
	for name, v := range harmful() {
		got := show.Safe([]slog.Attr{slog.Any("v", v)})[0].Value
		if name != "group" && name != "itself" && (got.Kind() != slog.KindString || !strings.HasPrefix(got.String(), "!ERROR")) {
			t.Errorf("%s is not replaced", name)
		}
	}
	depth := 0
	for v := show.Safe([]slog.Attr{slog.Any("v", chain{})})[0].Value; v.Kind() == slog.KindGroup; v = v.Group()[0].Value {
		depth++
	}
	if depth != 32 {
		t.Errorf("%d groups in each other", depth)
	}
}

// Harmless attributes are returned unchanged, without a copy.
func TestSafeAsItIs(t *testing.T) {
	for name, v := range harmless() {
		attrs := []slog.Attr{slog.Any("v", v), slog.Group("g", slog.Any("v", v))}
		if got := show.Safe(attrs); &got[0] != &attrs[0] {
			t.Errorf("%s has become %v", name, got)
		}
	}
	attrs := []slog.Attr{slog.Any("v", harmful()["list"]), slog.Int("n", 1)}
	if got := show.Safe(attrs); got[0].Value.Kind() != slog.KindString || !got[1].Equal(attrs[1]) || attrs[0].Value.Kind() != slog.KindAny {
		t.Errorf("%v", got)
	}
	if n := testing.AllocsPerRun(10, func() { show.Safe(attrs[1:]) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func TestPanic(t *testing.T) {
	for want, v := range map[string]any{
		"EOF": io.EOF, "text": "text", "5": 5, "[]int [1,2]": []int{1, 2}, "int": reflect.TypeFor[int](), "<nil>": nil,
		"a value of type show_test.panics": panics{}, "*show_test.node {": &node{Name: "x"},
	} {
		if got := show.Panic(v); !strings.HasPrefix(got, want) {
			t.Errorf("%T: %q, want %q", v, got, want)
		}
	}
	for name, v := range harmful() {
		if got := show.Panic(v); got == "" || len(got) > 20_000 || strings.Contains("object list deep wide own array", name) && !strings.HasPrefix(got, "a value of type ") {
			t.Errorf("%s: %.300s", name, got)
		}
	}
}

func TestJSON(t *testing.T) {
	for name, v := range harmful() {
		if text, err := show.JSON(v, 1000); len(text) > 1000 || err == nil && strings.Contains("object list deep long wide own array", name) {
			t.Errorf("%s: %.100s, %v", name, text, err)
		}
	}
	if _, err := show.JSON(panics{}, 1000); err == nil || fmt.Sprint(err) != "panic: in MarshalJSON" {
		t.Error(err)
	}
	if text, err := show.JSON(map[string]int{"a": 1}, 1000); string(text) != `{"a":1}` || err != nil {
		t.Error(string(text), err)
	}
}
