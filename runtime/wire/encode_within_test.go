package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// word returns an element of any size, sometimes with characters that need escapes.
func word(r *rand.Rand, longest int) string {
	return strings.Repeat([]string{"x", "\"", "é", "\x01"}[r.IntN(4)], r.IntN(longest+1))
}

// TestPutWithin writes lists of random elements with random limits: the output is a list of whole
// elements within the limit, including its tail, and one more element would exceed it.
func TestPutWithin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		longest := []int{0, 3, 50, 2000, 30_000}[r.IntN(5)]
		list := make([]map[string]string, r.IntN(20))
		for i := range list {
			list[i] = map[string]string{"a": word(r, longest), "b": word(r, longest)}
		}
		whole, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		tails := make([]int, len(list)+1)
		for i := range tails {
			tails[i] = 2 + r.IntN(30) // the bracket and the brace
		}
		limit := 40 + r.IntN(len(whole)+60)
		e := NewEncoder(nil)
		var storage Storage
		if r.IntN(2) == 0 {
			storage = &provider{}
		}
		e.SetLimit(limit, storage)
		e.Begin()
		e.Name("list")
		written := 0
		put := func(e *Encoder, v *map[string]string) {
			written += len((*v)["a"]) + len((*v)["b"])
			PutMap(e, *v, PutString)
		}
		n := PutWithin(e, list, put, 32, func(n int) int { return tails[n] })
		e.End()
		if err := e.Err(); err != nil {
			t.Fatalf("%d of %d elements, limit %d: %v", n, len(list), limit, err)
		}
		var got struct{ List []map[string]string }
		if err := json.Unmarshal(e.Bytes(), &got); err != nil || len(got.List) != n || fmt.Sprint(got.List) != fmt.Sprint(list[:n]) {
			t.Fatalf("%d elements: %v in %s", n, err, e.Bytes())
		}
		sizeOf := func(n int) int {
			e := NewEncoder(nil)
			e.Begin()
			e.Name("list")
			PutSlice(e, list[:n], func(e *Encoder, v *map[string]string) { PutMap(e, *v, PutString) })
			return len(e.Bytes()) - 1 + tails[n]
		}
		if n > 0 && sizeOf(n) > limit {
			t.Fatalf("%d elements have %d bytes, limit %d", n, sizeOf(n), limit)
		}
		for more := n + 1; more <= len(list); more++ {
			if sizeOf(more) <= limit {
				t.Fatalf("%d elements instead of %d: those have %d bytes, limit %d", n, more, sizeOf(more), limit)
			}
		}
		if most := limit + 2*longest*2; written > most {
			t.Fatalf("%d bytes of elements were written for a limit of %d", written, limit)
		}
		e.Reset()
		PutString(e, &[]string{"next"}[0])
		if string(e.Bytes()) != `"next"` {
			t.Fatalf("the next text is %s", e.Bytes())
		}
	}
}

// TestPutWithinFails writes an element that has no JSON form, before and after the limit, and
// exceeds a limit before the list.
func TestPutWithinFails(t *testing.T) {
	list := []float64{1, 2, math.NaN(), 4}
	tail := func(int) int { return 2 }
	for limit, want := range map[int]string{0: "encode list[2]: ", 100: "encode list[2]: ", 13: ""} {
		e := NewEncoder(nil)
		e.SetLimit(limit, nil)
		e.Begin()
		e.Name("list")
		PutWithin(e, list[:4], PutFloat, 2, tail)
		e.End()
		if err := e.Err(); want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("limit %d: got %v", limit, err)
		}
	}
	e := NewEncoder(nil)
	e.SetLimit(10, nil)
	e.Begin()
	e.Name("far too long")
	if n := PutWithin(e, list, PutFloat, 2, tail); n != 0 {
		t.Errorf("%d elements were written", n)
	}
	if size := new(SizeError); !errors.As(e.Err(), &size) {
		t.Errorf("got %v", e.Err())
	}
}
