package wire

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestSpanIndex compares what is found with and without an index, in every object of
// random texts, also of texts that end too early.
func TestSpanIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var value func(b *strings.Builder, depth int)
	value = func(b *strings.Builder, depth int) {
		switch n := r.IntN(8); {
		case depth > 0 && n < 4:
			b.WriteByte('{')
			for i := range r.IntN(4) {
				if i > 0 {
					b.WriteString(", ")
				}
				b.WriteString([]string{`"kind"`, `"a"`, `"\u006bind"`, `"}{"`, `"\""`}[r.IntN(5)] + " :")
				value(b, depth-1)
			}
			b.WriteString(strings.Repeat(" ", r.IntN(30)) + "}")
		case depth > 0 && n < 6:
			b.WriteByte('[')
			for i := range r.IntN(4) {
				if i > 0 {
					b.WriteByte(',')
				}
				value(b, depth-1)
			}
			b.WriteByte(']')
		case n == 6:
			b.WriteString(`"` + strings.Repeat(`x\"]`, r.IntN(40)) + `"`)
		default:
			b.WriteString(strconv.Itoa(r.IntN(1000)))
		}
	}
	found, looked := 0, 0
	for range 2000 {
		var b strings.Builder
		b.WriteString(`{"a":[`)
		for range 4 {
			value(&b, 6)
			b.WriteByte(',')
		}
		b.WriteString("0]}")
		text := []byte(b.String())
		if r.IntN(3) == 0 {
			text = text[:r.IntN(len(text)-1)+1]
		}
		var index spanIndex
		for i, c := range text {
			if c != '{' || inString(text, i) {
				continue
			}
			from, to := findMember(text, i, "kind", nil)
			value, ok := index.member(text, i, "kind")
			if ok != (to > 0) || string(value) != string(text[from:to]) {
				t.Fatalf("at %d of %s:\n got %q\nwant %q", i, text, value, text[from:to])
			}
			looked++
			if ok {
				found++
			}
		}
	}
	if found < 100 || looked < 5*found/4 {
		t.Errorf("found %d of %d", found, looked)
	}
}

func inString(text []byte, at int) bool {
	for i := 0; i < at; i++ {
		if text[i] == '"' {
			if i = stringEnd(text, i) - 1; i < 0 || i >= at {
				return true
			}
		}
	}
	return false
}

// node is a value of a recursive union.
type node struct{ next, list any }

var (
	nodeKinds  = []string{"node"}
	nodeFields = Fields{{Name: "pad"}, {Name: "list"}, {Name: "next"}, {Name: "kind", Required: true}}
)

func decodeNode(d *Decoder, v *node) {
	if d.Variant("kind", nodeKinds) == "" {
		return
	}
	for o := d.Object(nodeFields); o.Next(); {
		switch o.Name() {
		case "list":
			var l []node
			Slice(d, &l, decodeNode)
			v.list = l
		case "next":
			var n node
			decodeNode(d, &n)
			v.next = &n
		}
	}
}

// TestVariantBehindTheRest compares the time for objects whose kind comes last, at
// every depth, with that of reading them strictly.
func TestVariantBehindTheRest(t *testing.T) {
	const size = 1 << 20
	chain := func(depth int, inside string) string {
		return strings.Repeat(`{"next":`, depth) + inside + strings.Repeat(`,"kind":"node"}`, depth)
	}
	flat := `{"list":[],"kind":"node"}`
	padded := func(n int) string { return `{"pad":"` + strings.Repeat("x", n) + `","kind":"node"}` }
	comb := chain(100, flat)
	lenient := `"` + strings.ReplaceAll(flat, `"`, `\"`) + `"`
	for name, text := range map[string]string{
		"one chain":    chain(500, padded(size)),
		"many chains":  `{"list":[` + strings.Repeat(comb+",", size/len(comb)) + flat + `],"kind":"node"}`,
		"wide":         chain(200, `{"list":[`+strings.Repeat(flat+",", size/len(flat))+flat+`],"kind":"node"}`),
		"short chains": `{"list":[` + strings.Repeat(chain(3, flat)+",", size/80) + flat + `],"kind":"node"}`,
		"texts between": strings.Repeat(`{"list":[`+lenient+`],"next":`, 200) + padded(size) +
			strings.Repeat(`,"kind":"node"}`, 200),
	} {
		decode := func() {
			d := NewDecoder([]byte(text), Options{Lenient: true, MaxDepth: 2000})
			var n node
			decodeNode(d, &n)
			if err := d.Finish(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		check := func() {
			if err := Valid([]byte(text), 2000); err != nil {
				t.Fatal(err)
			}
		}
		slow, quick := time.Hour, time.Hour
		for range 5 {
			slow = min(slow, took(decode))
			quick = min(quick, took(check))
		}
		t.Logf("%s: %v, reading strictly %v", name, slow, quick)
		if slow > 40*quick {
			t.Errorf("%s: %v, reading strictly takes %v", name, slow, quick)
		}
	}
}

func took(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
