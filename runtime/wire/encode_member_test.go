package wire

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

type memberText string

type memberFlag bool

type memberCount uint8

// TestMembersIf compares omitted empty members with encoding/json, as the first member or a later
// one, and below pointers, slices and maps that are nil, empty or not.
func TestMembersIf(t *testing.T) {
	type values struct {
		Flag   memberFlag     `json:"flag,omitempty"`
		Text   memberText     `json:"text,omitempty"`
		Count  memberCount    `json:"count,omitempty"`
		Number int            `json:"number,omitempty"`
		Big    int64          `json:"big,omitempty"`
		Float  float64        `json:"float,omitempty"`
		Small  float32        `json:"small,omitempty"`
		Ptr    *memberText    `json:"ptr,omitempty"`
		List   []memberText   `json:"list,omitempty"`
		Object map[string]int `json:"object,omitempty"`
	}
	blank, text := memberText(""), memberText("a \"b\" \x01 é")
	for _, v := range []values{
		{},
		{Flag: true},
		{Text: text, Small: 0.1},
		{Count: 255, Number: math.MaxInt32, Big: math.MinInt64},
		{Float: math.SmallestNonzeroFloat64, Ptr: &blank},
		{Float: math.Copysign(0, -1), List: []memberText{}, Object: map[string]int{}},
		{Ptr: &text, List: []memberText{"", text}, Object: map[string]int{"b": 0, "a": 1}},
		{true, text, 1, 1, 1, 1, 1, &text, []memberText{"x"}, map[string]int{"": 1}},
	} {
		e := NewEncoder(nil)
		e.Begin().BoolIf("flag", bool(v.Flag)).StringIf("text", string(v.Text))
		PutIntIf(e, "count", &v.Count)
		e.IntIf("number", v.Number).Int64If("big", v.Big).Float64If("float", v.Float)
		PutFloatIf(e, "small", &v.Small)
		PutPtrIf(e, "ptr", v.Ptr, PutString)
		PutSliceIf(e, "list", v.List, PutString)
		PutMapIf(e, "object", v.Object, PutInt)
		e.End()
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(e.Bytes()); e.Err() != nil || got != string(want) {
			t.Errorf("%+v: got %s, want %s, %v", v, got, want, e.Err())
		}
	}
}

// TestMembers compares members that are always written with encoding/json.
func TestMembers(t *testing.T) {
	type values struct {
		Flag   bool      `json:"flag"`
		Text   string    `json:"text"`
		Number int       `json:"number"`
		Big    int64     `json:"big"`
		Float  float64   `json:"float"`
		When   time.Time `json:"when"`
	}
	at := time.Date(2024, 2, 29, 12, 30, 0, 250e6, time.FixedZone("", 3600))
	for _, v := range []values{{}, {true, "a \"b\" \x01 é", -1, math.MinInt64, 1e21, at}, {Text: "<>"}} {
		e := NewEncoder(nil)
		e.Begin().Bool("flag", v.Flag).String("text", v.Text).Int("number", v.Number)
		e.Int64("big", v.Big).Float64("float", v.Float).Time("when", &v.When).End()
		if got, want := string(e.Bytes()), plainJSON(t, v); e.Err() != nil || got != want {
			t.Errorf("%+v: got %s, want %s, %v", v, got, want, e.Err())
		}
	}
}

// plainJSON returns the JSON of encoding/json without its escapes for HTML.
func plainJSON(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TestMembersIfFail: a value that has no JSON form is reported with its path, and the encoder
// writes nothing more.
func TestMembersIfFail(t *testing.T) {
	bad := math.NaN()
	e := NewEncoder(nil)
	e.Begin()
	PutPtrIf(e, "outer", &bad, func(e *Encoder, v *float64) {
		e.Begin()
		PutFloatIf(e, "bad", v)
		e.StringIf("after", "text")
		e.End()
	})
	e.End()
	failed, ok := errors.AsType[*EncodeError](e.Err())
	if !ok || failed.Path != "outer.bad" || string(e.Bytes()) != "null" {
		t.Errorf("got %v, %s", e.Err(), e.Bytes())
	}
}
