package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// leaf is a list as generated code writes it.
type leaf struct {
	N    int
	Next *leaf
}

func putLeaf(e *Encoder, v *leaf) {
	if !e.Enter() {
		return
	}
	e.Begin()
	e.Name("N")
	PutInt(e, &v.N)
	e.Name("Next")
	PutPtr(e, v.Next, putLeaf)
	e.End()
	e.Leave()
}

// bush has two paths to each of its parts.
type bush struct{ Left, Right *bush }

func putBush(e *Encoder, v *bush) {
	if !e.Enter() {
		return
	}
	e.Begin()
	e.Name("Left")
	PutPtr(e, v.Left, putBush)
	e.Name("Right")
	PutPtr(e, v.Right, putBush)
	e.End()
	e.Leave()
}

func chain(n int) *leaf {
	var first *leaf
	for i := range n {
		first = &leaf{i, first}
	}
	return first
}

func TestNesting(t *testing.T) {
	for _, put := range map[string]func(*Encoder, *leaf){"generated": putLeaf, "reflected": PutReflect[leaf]} {
		deepest := chain(maxNesting)
		got, err := encode(deepest, put)
		if want := marshalled(t, deepest); err != nil || got != want {
			t.Errorf("%d levels: %v, %.100s", maxNesting, err, got)
		}
		got, err = encode(chain(maxNesting+2), put)
		if want := "Next.Next"; err == nil || !strings.HasSuffix(err.Error(), errTooDeep.Error()) || !strings.Contains(err.Error(), want) || len(err.Error()) > 500 || got != "null" {
			t.Errorf("%d levels: %v, %.100s", maxNesting+2, err, got)
		}
	}
}

// A cycle stops the encoding at once, even if many paths lead around it.
func TestCircles(t *testing.T) {
	list := chain(3)
	list.Next.Next.Next = list
	b := new(bush)
	b.Left, b.Right = b, b
	var slice []any
	slice = append(slice, nil, nil)
	slice[0], slice[1] = slice, &slice
	object := map[string]any{}
	object["a"], object["b"] = object, []any{object}
	type loop []loop
	own := loop{nil, nil}
	own[0], own[1] = own, own
	type tree map[string]tree
	named := tree{}
	named["a"], named["b"] = named, named
	type inner struct{ Back any }
	type outer struct {
		inner
		Array [2]*bush
	}
	embedding := &outer{Array: [2]*bush{b, b}}
	embedding.Back = embedding
	var itself any
	itself = &itself
	type pointer *pointer
	var endless pointer
	endless = &endless
	for name, v := range map[string]any{
		"list": list, "bush": b, "slice": slice, "object": object, "named slice": own, "named map": named,
		"embedded": embedding, "interface": itself, "pointer": endless, "keys": map[int]any{1: list}, "array": [1]any{list},
	} {
		if got, err := encode(&v, PutAny); err == nil || !errors.Is(err, errTooDeep) {
			t.Errorf("%s: %v, %.100s", name, err, got)
		}
	}
	if _, err := encode(b, putBush); !errors.Is(err, errTooDeep) {
		t.Error(err)
	}
}

// After an error Enter returns false, also after calls of Leave.
func TestNestingAfterError(t *testing.T) {
	e := NewEncoder(nil)
	e.Enter()
	e.Fail(errTwice)
	e.Leave()
	if e.Enter() || !errors.Is(e.Err(), errTwice) {
		t.Error("entered, or ", e.Err())
	}
	e.Reset()
	if !e.Enter() || e.Err() != nil {
		t.Error("not entered after Reset, or ", e.Err())
	}
}

// provider is a [Storage] that checks the requests.
type provider struct {
	most     int // largest capacity that it grants
	asked    int
	provided int // buffers in use
	refuse   error
}

func (l *provider) Grow(text []byte, capacity int) ([]byte, error) {
	l.asked++
	if l.refuse != nil {
		return nil, l.refuse
	}
	l.provided++
	l.most = max(l.most, capacity)
	return append(make([]byte, 0, capacity), text...), nil
}

func (l *provider) Free([]byte) { l.provided-- }

// large contains functions that write values of every kind, each with about the given size. Entries
// whose value itself needs storage are marked.
var large = map[string]struct {
	make func(size int) func(*Encoder)
	own  bool
}{
	"string":  {make: func(n int) func(*Encoder) { return put(PutString, strings.Repeat("x", n)) }},
	"escapes": {make: func(n int) func(*Encoder) { return put(PutString, strings.Repeat("\x00", n/6+1)) }},
	"bytes":   {make: func(n int) func(*Encoder) { return put(PutBytes, make([]byte, n*3/4+1)) }},
	"text": {own: true, make: func(n int) func(*Encoder) {
		return put(func(e *Encoder, s *string) {
			PutText(e, s, func(s *string) ([]byte, error) { return []byte(*s), nil })
		}, strings.Repeat("x", n))
	}},
	"raw": {make: func(n int) func(*Encoder) { return put(PutRaw, rawOf(n)) }},
	"marshalled": {own: true, make: func(n int) func(*Encoder) {
		return put(func(e *Encoder, v *json.RawMessage) { PutJSON(e, v, (*json.RawMessage).MarshalJSON) }, rawOf(n))
	}},
	"words": {make: func(n int) func(*Encoder) {
		return put(func(e *Encoder, v *[]string) { PutSlice(e, *v, PutString[string]) }, make([]string, n/3+1))
	}},
	"ints": {make: func(n int) func(*Encoder) {
		return put(func(e *Encoder, v *[]int) { PutSlice(e, *v, PutInt[int]) }, make([]int, n/2+1))
	}},
	"nodes": {make: func(n int) func(*Encoder) {
		return put(func(e *Encoder, v *[]*leaf) {
			PutSlice(e, *v, func(e *Encoder, v **leaf) { PutPtr(e, *v, putLeaf) })
		}, nodesOf(n))
	}},
	"map": {own: true, make: func(n int) func(*Encoder) {
		return put(func(e *Encoder, v *map[string]int) { PutMap(e, *v, PutInt[int]) }, namedOf(n))
	}},
	"int map": {own: true, make: func(n int) func(*Encoder) {
		return put(func(e *Encoder, v *map[int]int) { PutMapInt(e, *v, PutInt[int]) }, numberedOf(n))
	}},
	"quoted": {own: true, make: func(n int) func(*Encoder) {
		return put(func(e *Encoder, v *string) {
			e.Begin()
			e.Name("q")
			PutQuoted(e, v, PutString[string])
			e.End()
		}, strings.Repeat("x", n))
	}},
	"any list":     {make: func(n int) func(*Encoder) { return put(PutAny, any(listsOf(n))) }},
	"any map":      {make: func(n int) func(*Encoder) { return put(PutAny, any(map[string]any{"a": listsOf(n)})) }},
	"any words":    {make: func(n int) func(*Encoder) { return put(PutAny, any(make([]string, n/3+1))) }},
	"any ints":     {make: func(n int) func(*Encoder) { return put(PutAny, any(make([]int, n/2+1))) }},
	"any struct":   {make: func(n int) func(*Encoder) { return put(PutAny, any(struct{ A []string }{make([]string, n/3+1)})) }},
	"any nodes":    {make: func(n int) func(*Encoder) { return put(PutAny, any(nodesOf(n))) }},
	"any bytes":    {make: func(n int) func(*Encoder) { return put(PutAny, any(struct{ B []byte }{make([]byte, n*3/4+1)})) }},
	"any key":      {make: func(n int) func(*Encoder) { return put(PutAny, any(map[string]int{strings.Repeat("x", n): 1})) }},
	"any error":    {make: func(n int) func(*Encoder) { return put(PutAny, any(errors.New(strings.Repeat("x", n)))) }},
	"any raw":      {make: func(n int) func(*Encoder) { return put(PutAny, any(rawOf(n))) }},
	"any numbered": {own: true, make: func(n int) func(*Encoder) { return put(PutAny, any(numberedOf(n))) }},
}

func put[T any](f func(*Encoder, *T), v T) func(*Encoder) { return func(e *Encoder) { f(e, &v) } }

func rawOf(n int) json.RawMessage {
	return json.RawMessage("[" + strings.Repeat("1,\n ", n/2) + "1]")
}

func nodesOf(n int) []*leaf { return slices.Repeat([]*leaf{{N: 1}}, n/20+1) }

func listsOf(n int) []any { return slices.Repeat([]any{[]any{nil}}, n/7+1) }

func namedOf(n int) map[string]int {
	m := map[string]int{}
	for i := range n/10 + 1 {
		m[fmt.Sprint("k", i)] = 1
	}
	return m
}

func numberedOf(n int) map[int]int {
	m := map[int]int{}
	for i := range n/8 + 1 {
		m[i] = 1
	}
	return m
}

// TestLimit writes every kind of value with a limit below and above its size. Maps of more than
// largeText take long to sort: they run only with MCPGEN_LONG.
func TestLimit(t *testing.T) {
	for _, size := range []int{100, 5000, 3 * ownText, largeText + 5000} {
		for name, kind := range large {
			if size > largeText && kind.own && tries(0) == 0 {
				continue
			}
			put := kind.make(size)
			e := new(Encoder)
			put(e)
			whole, need := string(e.Bytes()), len(e.Bytes())
			if e.Err() != nil || Valid([]byte(whole), maxNesting) != nil {
				t.Fatalf("%s: %v", name, e.Err())
			}
			for _, limit := range []int{1, need - 1} {
				e.Reset()
				e.SetLimit(limit, nil)
				put(e)
				if large, ok := errors.AsType[*SizeError](e.Err()); !ok || large.Limit != limit || string(e.Bytes()) != "null" {
					t.Errorf("%s with %d bytes and a limit of %d: %v", name, need, limit, e.Err())
				}
			}
			for _, limit := range []int{need, 10 * need} {
				var l provider
				e := new(Encoder)
				e.SetLimit(limit, &l)
				put(e)
				if e.Err() != nil || string(e.Bytes()) != whole {
					t.Errorf("%s with %d bytes and a limit of %d: %v", name, need, limit, e.Err())
				}
				if want := need > ownText; (l.asked > 0) != want || l.asked > 6 || l.most > min(max(2*need, leastRoom)+2*slack, limit+2*slack) || cap(e.Bytes()) > max(l.most, 3*ownText) {
					t.Errorf("%s with %d bytes and a limit of %d: asked %d times, for %d; there are %d", name, need, limit, l.asked, l.most, cap(e.Bytes()))
				}
				e.Reset()
				if l.provided != 0 || cap(e.buf) > keptOutput {
					t.Errorf("%s with %d bytes: %d pieces of storage have not come back", name, need, l.provided)
				}
			}
		}
	}
}

// TestLimitMemory measures the memory for a value over the limit, and for one just within it.
func TestLimitMemory(t *testing.T) {
	const limit = 2 << 20
	for name, kind := range large {
		if kind.own {
			continue
		}
		put := kind.make(2 * limit)
		e := new(Encoder)
		e.SetLimit(limit, nil)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		put(e)
		if e.Err() == nil {
			t.Errorf("%s is written", name)
		}
		runtime.ReadMemStats(&after)
		// Storage doubles up to the limit, which takes the limit once more in all, and grows more
		// slowly while a text is not large.
		if took := after.TotalAlloc - before.TotalAlloc; took > 2*limit+6*largeText {
			t.Errorf("%s: %d bytes for a limit of %d", name, took, limit)
		}
		if cap(e.buf) > keptOutput {
			t.Errorf("%s: %d bytes are kept", name, cap(e.buf))
		}
	}
	e := new(Encoder)
	e.SetLimit(limit, nil)
	ints := make([]int, limit/2-2)
	PutSlice(e, ints, PutInt[int])
	if e.Err() != nil || cap(e.buf) > limit+2*slack {
		t.Errorf("%v, room for %d bytes of %d", e.Err(), cap(e.buf), limit)
	}
}

// The encoder does not write a value over the limit to its end.
func TestLimitWork(t *testing.T) {
	const limit = 10_000
	calls := 0
	count := func(e *Encoder, v *int) { calls++; PutInt(e, v) }
	for name, put := range map[string]func(*Encoder){
		"slice": func(e *Encoder) { PutSlice(e, make([]int, 1_000_000), count) },
		"slices of slices": func(e *Encoder) {
			row := make([]int, 1000)
			rows := make([][]int, 1000)
			for i := range rows {
				rows[i] = row
			}
			PutSlice(e, rows, func(e *Encoder, v *[]int) { PutSlice(e, *v, count) })
		},
	} {
		calls = 0
		e := new(Encoder)
		e.SetLimit(limit, nil)
		put(e)
		if e.Err() == nil || calls > limit {
			t.Errorf("%s: %v after %d elements", name, e.Err(), calls)
		}
	}
}

// Refused storage stops the writing, at any size, and the encoder frees its earlier buffers.
func TestStorageRefuses(t *testing.T) {
	busy := errors.New("busy")
	for _, from := range []int{1, 2, 4} {
		l := &refusingProvider{provider{refuse: busy}, from}
		e := new(Encoder)
		e.SetLimit(0, l)
		calls := 0
		PutSlice(e, make([]int, largeText), func(e *Encoder, v *int) { calls++; PutInt(e, v) })
		if !errors.Is(e.Err(), busy) || string(e.Bytes()) != "null" || cap(e.buf) > 3*ownText || l.provided != 0 || l.asked != from || calls > largeText/2 {
			t.Errorf("%v after %d elements, asked %d times, %d bytes are kept, %d are in use", e.Err(), calls, l.asked, cap(e.buf), l.provided)
		}
	}
}

// refusingProvider refuses the n-th request.
type refusingProvider struct {
	provider
	from int
}

func (r *refusingProvider) Grow(text []byte, capacity int) ([]byte, error) {
	if r.asked+1 == r.from {
		return r.provider.Grow(text, capacity)
	}
	refuse := r.refuse
	r.refuse = nil
	defer func() { r.refuse = refuse }()
	return r.provider.Grow(text, capacity)
}

// The encoder frees no buffer that it returned as a text, nor one in use when a new limit is set.
func TestStorageGoesOn(t *testing.T) {
	s := strings.Repeat("x", 100_000)
	var l provider
	e := new(Encoder)
	e.SetLimit(0, &l)
	PutString(e, &s)
	text := e.Text()
	e.Reset()
	if text != `"`+s+`"` || l.provided != 1 || cap(e.buf) > 3*ownText {
		t.Errorf("%d pieces are in use", l.provided)
	}
	e.SetLimit(0, &l)
	e.BeginArray()
	PutString(e, &s)
	e.SetLimit(0, nil)
	e.EndArray()
	if string(e.Bytes()) != `["`+s+`"]` || l.provided != 1 {
		t.Errorf("%d pieces are in use, %.20s", l.provided, e.Bytes())
	}
}

// TestPieces cuts strings of every kind of character at every index.
func TestPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "é", "語", "😀", "\xff", "\x80", "\"", "\u2028", "\x00", "\xf0\x9f\x98", "\xe2\x80"}
	for range 2000 {
		var s strings.Builder
		s.WriteString(strings.Repeat("x", piece-8+r.IntN(8)))
		for range r.IntN(40) {
			s.WriteString(parts[r.IntN(len(parts))])
		}
		s.WriteString(strings.Repeat("y", r.IntN(piece)))
		text := s.String()
		got, err := encode(&text, PutString[string])
		if want := marshalled(t, text); err != nil || got != want {
			t.Fatalf("%q is written as %s, %v", text, got, err)
		}
	}
}

func TestText(t *testing.T) {
	for _, size := range []int{10, 100_000} {
		s := strings.Repeat("x", size)
		e := new(Encoder)
		PutString(e, &s)
		text := e.Text()
		e.Reset()
		other := strings.Repeat("y", size)
		PutString(e, &other)
		if text != `"`+s+`"` {
			t.Errorf("%d bytes have changed", size)
		}
	}
}
