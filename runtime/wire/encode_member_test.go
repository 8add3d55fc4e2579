package wire

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
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
		{Count: 255, Big: math.MinInt64},
		{Float: math.SmallestNonzeroFloat64, Ptr: &blank},
		{Float: math.Copysign(0, -1), List: []memberText{}, Object: map[string]int{}},
		{Ptr: &text, List: []memberText{"", text}, Object: map[string]int{"b": 0, "a": 1}},
		{true, text, 1, 1, 1, 1, &text, []memberText{"x"}, map[string]int{"": 1}},
	} {
		e := NewEncoder(nil)
		e.Begin()
		PutBoolIf(e, "flag", &v.Flag)
		PutStringIf(e, "text", &v.Text)
		PutIntIf(e, "count", &v.Count)
		PutIntIf(e, "big", &v.Big)
		PutFloatIf(e, "float", &v.Float)
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

// TestMembersIfFail: a value that has no JSON form is reported with its path, and the encoder
// writes nothing more.
func TestMembersIfFail(t *testing.T) {
	bad := math.NaN()
	e := NewEncoder(nil)
	e.Begin()
	PutPtrIf(e, "outer", &bad, func(e *Encoder, v *float64) {
		e.Begin()
		PutFloatIf(e, "bad", v)
		PutStringIf(e, "after", new("text"))
		e.End()
	})
	e.End()
	failed, ok := errors.AsType[*EncodeError](e.Err())
	if !ok || failed.Path != "outer.bad" || string(e.Bytes()) != "null" {
		t.Errorf("got %v, %s", e.Err(), e.Bytes())
	}
}
