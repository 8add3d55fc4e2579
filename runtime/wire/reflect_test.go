package wire

//lint:file-ignore SA5008 Odd tags are what some of the types are about.
//lint:file-ignore U1000 Fields that encoding/json does not see are, too.

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/big"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// Types of every kind, with every option of encoding/json.
type (
	byValue   struct{ N int }
	byPointer struct{ N int }
	asText    struct{ N int }
	asTextPtr struct{ N int }
	textKey   struct{ A, B int }
	zeroSelf  struct{ N int }
	zeroPtr   struct{ N int }
	intJSON   int
	intText   int
	textByte  byte
	plainByte byte
	failing   struct{}
	stringKey string
)

func (v byValue) MarshalJSON() ([]byte, error)    { return fmt.Appendf(nil, `{ "v" : %d }`, v.N), nil }
func (v *byPointer) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `[%d]`, v.N), nil }
func (v asText) MarshalText() ([]byte, error)     { return fmt.Appendf(nil, "<%d>", v.N), nil }
func (v *asTextPtr) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "p%d", v.N), nil }
func (k textKey) MarshalText() ([]byte, error)    { return fmt.Appendf(nil, "%d/%d", k.A, k.B), nil }
func (v zeroSelf) IsZero() bool                   { return v.N == 7 }
func (v *zeroPtr) IsZero() bool                   { return v.N == 7 }
func (v intJSON) MarshalJSON() ([]byte, error)    { return fmt.Appendf(nil, `"j%d"`, int(v)), nil }
func (v intText) MarshalText() ([]byte, error)    { return fmt.Appendf(nil, "t%d", int(v)), nil }
func (v textByte) MarshalText() ([]byte, error)   { return fmt.Appendf(nil, "b%d", byte(v)), nil }
func (failing) MarshalJSON() ([]byte, error)      { return nil, errors.New("no") }
func (k stringKey) MarshalText() ([]byte, error)  { return []byte("never"), nil }

type Shown struct {
	A int
	B string `json:"b"`
}
type hiddenStruct struct {
	C int
	D string `json:"d,omitempty"`
}
type DeepA struct{ X, Same, Tagged int }
type DeepB struct {
	X, Same int
	Named   int `json:"Tagged"`
}
type hiddenInt int

type everything struct {
	Shown
	*hiddenStruct
	DeepA
	DeepB
	hiddenInt
	Inline    `json:"inline"`
	Same      string
	private   int
	Skipped   int                        `json:"-"`
	Dash      int                        `json:"-,"`
	Allowed   int                        `json:"a<b>&"`
	Empty     string                     `json:",omitempty"`
	EmptyPtr  *int                       `json:",omitempty"`
	EmptyAny  any                        `json:",omitempty"`
	EmptyArr  [0]int                     `json:",omitempty"`
	Array1    [1]int                     `json:",omitempty"`
	Struct0   Shown                      `json:",omitempty"`
	Zero      Shown                      `json:",omitzero"`
	ZeroTime  time.Time                  `json:",omitzero"`
	ZeroSelf  zeroSelf                   `json:",omitzero"`
	ZeroPtr   zeroPtr                    `json:",omitzero"`
	ZeroPtrP  *zeroPtr                   `json:",omitzero"`
	ZeroAny   interface{ IsZero() bool } `json:",omitzero"`
	Quoted    int                        `json:",string"`
	QuotedPtr *int                       `json:",string"`
	QuotedStr string                     `json:",string"`
	QuotedNum json.Number                `json:",string"`
	QuotedB   *bool                      `json:",string"`
	QuotedF   float32                    `json:",string,omitempty"`
	QuotedJ   intJSON                    `json:",string"`
	QuotedJP  *intJSON                   `json:",string"`
	QuotedT   intText                    `json:",string"`
	QuotedL   []int                      `json:",string"`
	Bytes     []byte
	Texts     []textByte
	Plain     []plainByte
	BytesArr  [3]byte
	ByValue   byValue
	ByPointer byPointer
	PtrTo     *byPointer
	PtrNil    *byValue
	AsText    asText
	AsTextPtr asTextPtr
	Marshaler json.Marshaler
	Texter    encoding.TextMarshaler
	Any       any
	Err       error
	Keys      map[textKey]int
	IntKeys   map[int8]asTextPtr
	StrKeys   map[stringKey]*int
	Pointers  **int
	Float     float32
	Raw       json.RawMessage
	Big       *big.Int
	Addr      netip.Addr
	Duration  time.Duration
	Uint      uintptr
	Self      *everything
	Selves    []everything `json:",omitempty"`
}

type Inline struct{ Z int }

type Word string

func TestReflectAgainstEncodingJSON(t *testing.T) {
	five, yes, j := 5, true, intJSON(4)
	ptr := &five
	full := everything{
		Shown: Shown{1, "x<y>"}, hiddenStruct: &hiddenStruct{2, "d"}, DeepA: DeepA{1, 2, 3}, DeepB: DeepB{4, 5, 6}, hiddenInt: 9,
		Inline: Inline{3}, Same: "top", private: 1, Skipped: 1, Dash: 2, Allowed: 4, Empty: "e", EmptyPtr: ptr, EmptyAny: 0,
		Struct0: Shown{}, Zero: Shown{1, ""}, ZeroTime: time.Unix(1, 0).UTC(), ZeroSelf: zeroSelf{7}, ZeroPtr: zeroPtr{7}, ZeroPtrP: &zeroPtr{7},
		ZeroAny: (*zeroPtr)(nil), Quoted: -1, QuotedPtr: ptr, QuotedStr: "a\"b", QuotedNum: "1.50", QuotedB: &yes, QuotedF: 1.5, QuotedJ: 3, QuotedJP: &j,
		QuotedT: 2, QuotedL: []int{1}, Bytes: []byte("abc"), Texts: []textByte{1, 2}, Plain: []plainByte{1, 2}, BytesArr: [3]byte{1, 2, 3},
		ByValue: byValue{1}, ByPointer: byPointer{2}, PtrTo: &byPointer{3}, AsText: asText{4}, AsTextPtr: asTextPtr{5},
		Marshaler: &byPointer{6}, Texter: asText{7}, Any: map[string]any{"z": []int{1}, "a": &byPointer{1}, "b": byPointer{1}},
		Keys: map[textKey]int{{1, 2}: 3, {0, 9}: 4}, IntKeys: map[int8]asTextPtr{-1: {1}, 10: {2}, 9: {3}}, StrKeys: map[stringKey]*int{"k": ptr, "": nil},
		Pointers: &ptr, Float: 0.1, Raw: json.RawMessage(`{"a":1}`), Big: big.NewInt(12), Addr: netip.MustParseAddr("::1"),
		Duration: time.Second, Uint: 7,
	}
	nested := everything{Self: &full, Selves: []everything{{}, full}}
	var nothing everything
	nothing.ZeroSelf.N = 7
	same := func(name string, v any) {
		t.Helper()
		var want strings.Builder
		to := json.NewEncoder(&want)
		to.SetEscapeHTML(false)
		err := to.Encode(v)
		e := new(Encoder)
		PutAny(e, &v)
		if (err == nil) != (e.Err() == nil) || err == nil && string(e.Bytes())+"\n" != want.String() {
			t.Errorf("%s: got %s, %v\nwant %s, %v", name, e.Bytes(), e.Err(), &want, err)
		}
	}
	same("full", full)
	same("full, by pointer", &full)
	same("nested", nested)
	same("nested, by pointer", &nested)
	same("nothing", nothing)
	same("nothing, by pointer", &nothing)
	type twice struct {
		*Shown
		Other struct{ Shown }
	}
	type Twin struct{ *Shown }
	type both struct {
		Twin
		Shown
		*Word
		Interface any `json:"i,string"`
	}
	type Loop struct {
		*Loop
		N int
	}
	type ignored struct {
		N int `json:"n,omitempty,string,unknown"`
		O int `json:" ,string"`
	}
	for _, v := range []any{
		twice{}, both{}, both{Shown: Shown{1, "b"}}, Loop{N: 1}, Loop{N: 1, Loop: &Loop{N: 2}}, ignored{}, ignored{1, 2},
		[]byValue{{1}}, []byPointer{{1}}, &[]byPointer{{1}}, [1]byPointer{{1}}, &[1]byPointer{{1}}, map[string]byPointer{"a": {1}}, &map[string]byPointer{"a": {1}},
		[]error{nil}, struct{ F func() }{}, struct{ C chan int }{}, complex(1, 2), []any{func() {}},
		failing{}, &failing{}, (*failing)(nil), []failing{}, []failing{{}}, math.NaN(), float32(math.Inf(1)), []float32{0.1, 1e30},
		json.Number("x"), []json.Number{"1", ""}, uint8(3), [2]uint8{1, 2}, []uint8(nil), []string(nil), map[string]int(nil), struct{}{}, new(any),
		map[textKey]int{}, map[*textKey]int{nil: 1}, map[uint16]bool{1: true, 10: false, 2: true}, map[intJSON]int{1: 1}, map[intText]int{1: 1}, map[bool]int{true: 1},
		time.Unix(0, 0).UTC(), [][]int{{1}, nil}, []map[string]any{nil, {"a": nil}}, strings.NewReader("x"), struct{ Time time.Time }{},
		[]asText{{1}}, []*asTextPtr{{1}, nil}, []asTextPtr{{1}}, json.RawMessage(nil), []json.RawMessage{nil}, struct{ R json.RawMessage }{json.RawMessage("x")},
		"<>&", []string{"<>&", "\u2028"}, map[string]string{"<&>\n": "<"},
	} {
		same(fmt.Sprintf("%T", v), v)
	}
}

// TestReflectOneForm checks values that encoding/json writes differently from Go 1.27 on:
// PutReflect writes the form of Go 1.26 with every Go version.
func TestReflectOneForm(t *testing.T) {
	type name struct {
		Quote   int `json:"a\"b"`
		Escape  int `json:"a\\b"`
		Single  int `json:"q'q"`
		Control int `json:"bad name\x00,omitempty"`
		Symbol  int `json:"€"`
	}
	type options struct {
		Embed  Shown `json:",embed"`
		Case   int   `json:"c,case:ignore"`
		Format int   `json:"f,format:x"`
		Behind int   `json:"b,omitempty;x"`
	}
	type number struct {
		*json.Number // has a method MarshalJSONTo from Go 1.27 on
		N            int
	}
	one := json.Number("1")
	for _, tt := range []struct {
		v    any
		want string // "" means an error
	}{
		{name{1, 2, 3, 4, 5}, `{"Quote":1,"Escape":2,"Single":3,"Control":4,"Symbol":5}`},
		{name{}, `{"Quote":0,"Escape":0,"Single":0,"Symbol":0}`},
		{options{}, `{"Embed":{"A":0,"b":""},"c":0,"f":0,"b":0}`},
		{number{}, `{"Number":null,"N":0}`},
		{number{&one, 2}, `{"Number":1,"N":2}`},
		{[]string{"\xff", "\uFFFD"}, `["\ufffd","` + "\uFFFD" + `"]`},
		{map[string]any{"\xff": "\xff"}, `{"\ufffd":"\ufffd"}`},
		{struct{ R json.RawMessage }{}, `{"R":null}`},
		{map[float64]int{1: 1}, ""},
		{map[[1]int]int{}, ""},
	} {
		e := new(Encoder)
		PutAny(e, &tt.v)
		if got := string(e.Bytes()); tt.want != "" && got != tt.want || (e.Err() == nil) != (tt.want != "") {
			t.Errorf("%T: got %s, %v, want %s", tt.v, got, e.Err(), tt.want)
		}
	}
}

// response has a method Error, like the responses of some generated HTTP clients.
type response struct{ Payload any }

func (*response) Error() string { return "[200] ok" }

// blank is an error without members that has its own JSON.
type blank struct{}

func (blank) Error() string                { return "blank" }
func (blank) MarshalJSON() ([]byte, error) { return []byte(`"own"`), nil }

type number int

func (number) Error() string { return "number" }

// The value of an interface is written by its type, also an error, unless its JSON is an object
// without members.
func TestErrorsInInterfaces(t *testing.T) {
	private := errors.New("private")
	for _, tt := range []struct {
		value any
		want  string
	}{
		{&response{1}, `{"Payload":1}`},
		{&response{private}, `{"Payload":"private"}`},
		{&response{&response{nil}}, `{"Payload":{"Payload":null}}`},
		{response{private}, `{"Payload":"private"}`},
		{(*response)(nil), `null`},
		{private, `"private"`},
		{fmt.Errorf("more: %w", private), `"more: private"`},
		{errors.Join(private, private), `"private\nprivate"`},
		{blank{}, `"own"`},
		{number(3), `3`},
		{[]any{private, &response{2}, 1}, `["private",{"Payload":2},1]`},
		{map[string]any{"a": private, "b": &response{}}, `{"a":"private","b":{"Payload":null}}`},
		{[]*response{{3}, nil}, `[{"Payload":3},null]`},
		// For type error only the message is written.
		{[]error{private, &response{1}, nil, (*response)(nil)}, `["private","[200] ok",null,null]`},
		{struct{ Err error }{&response{1}}, `{"Err":"[200] ok"}`},
		{struct{ Err error }{}, `{"Err":null}`},
		{map[string]error{"a": blank{}}, `{"a":"blank"}`},
		{&fs.PathError{Op: "open", Path: "p", Err: fs.ErrNotExist}, `{"Op":"open","Path":"p","Err":"file does not exist"}`},
		{struct{ A any }{struct{}{}}, `{"A":{}}`},
	} {
		e := new(Encoder)
		e.BeginArray()
		PutInt(e, new(int))
		PutAny(e, &tt.value)
		PutAny(e, &tt.value)
		e.EndArray()
		if want := "[0," + tt.want + "," + tt.want + "]"; string(e.Bytes()) != want || e.Err() != nil {
			t.Errorf("%T: got %s, %v, want %s", tt.value, e.Bytes(), e.Err(), want)
		}
	}
	e := new(Encoder)
	e.SetLimit(100, nil)
	if v := any(errors.New(strings.Repeat("x", 200))); true {
		PutAny(e, &v)
	}
	if size, ok := errors.AsType[*SizeError](e.Err()); !ok || size.Limit != 100 {
		t.Errorf("a long text: %v", e.Err())
	}
}

// A panic of a method reaches the caller of the encoder, which can then encode other values.
func TestReflectPanics(t *testing.T) {
	e := new(Encoder)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		v := any([]any{[]json.Marshaler{panicking{}}})
		PutAny(e, &v)
	}()
	e.Reset()
	v := any([]int{1})
	if PutAny(e, &v); string(e.Bytes()) != "[1]" || e.Err() != nil {
		t.Error(string(e.Bytes()), e.Err())
	}
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("in MarshalJSON") }
