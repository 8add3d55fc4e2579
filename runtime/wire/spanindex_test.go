package wire

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestSpanIndex compares results with and without an index, for every object of random texts, also
// of texts that end too early.
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
	nodeFields = Fields{{Name: "pad"}, {Name: "list"}, {Name: "next"}, {Must: "kind"}}
)

// indexed counts the bytes of the objects that decodeNode indexed.
var indexed int

func decodeNode(d *Decoder, v *node) {
	before := d.index
	kind := d.Variant("kind", nodeKinds)
	if now := d.index; now.start != before.start || now.end != before.end {
		indexed += now.end - now.start
	}
	if kind == "" {
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

// kindLast are objects whose kind comes last, at every depth.
func kindLast() map[string]string {
	const size = 1 << 20
	chain := func(depth int, inside string) string {
		return strings.Repeat(`{"next":`, depth) + inside + strings.Repeat(`,"kind":"node"}`, depth)
	}
	flat := `{"list":[],"kind":"node"}`
	padded := func(n int) string { return `{"pad":"` + strings.Repeat("x", n) + `","kind":"node"}` }
	comb := chain(100, flat)
	lenient := `"` + strings.ReplaceAll(flat, `"`, `\"`) + `"`
	return map[string]string{
		"one chain":    chain(500, padded(size)),
		"many chains":  `{"list":[` + strings.Repeat(comb+",", size/len(comb)) + flat + `],"kind":"node"}`,
		"wide":         chain(200, `{"list":[`+strings.Repeat(flat+",", size/len(flat))+flat+`],"kind":"node"}`),
		"short chains": `{"list":[` + strings.Repeat(chain(3, flat)+",", size/80) + flat + `],"kind":"node"}`,
		"texts between": strings.Repeat(`{"list":[`+lenient+`],"next":`, 200) + padded(size) +
			strings.Repeat(`,"kind":"node"}`, 200),
	}
}

func decodeKindLast(t *testing.T, name, text string) {
	t.Helper()
	d := NewDecoder([]byte(text), Options{Help: Leniency(), MaxDepth: 2000})
	var n node
	decodeNode(d, &n)
	if err := d.Finish(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestVariantBehindTheRest counts the bytes that are indexed, and the bytes that are read with an
// index to find the kinds of all objects: they grow with the text, and not with its depth.
func TestVariantBehindTheRest(t *testing.T) {
	for name, text := range kindLast() {
		indexed = 0
		decodeKindLast(t, name, text)
		if indexed > len(text) {
			t.Errorf("%s: %d bytes have an index, of %d", name, indexed, len(text))
		}
		if read := readForKinds(t, []byte(text)); read > 4*len(text) {
			t.Errorf("%s: %d bytes are read, of %d", name, read, len(text))
		}
	}
}

// readForKinds counts the bytes that are read to find the kind of each object of a text that has an
// index.
func readForKinds(t *testing.T, text []byte) (read int) {
	t.Helper()
	var index spanIndex
	index.build(text, 0)
	span := 0 // the first span that does not start before i
	for i := 0; i < len(text); i++ {
		for span < len(index.spans) && int(index.spans[span].start) < i {
			span++
		}
		switch text[i] {
		case '"':
			i = stringEnd(text, i) - 1
		case '{':
			w := &walk{index.spans, span}
			if span < len(index.spans) && int(index.spans[span].start) == i {
				w.at++
			}
			at := w.at
			_, to := findMember(text, i, "kind", w)
			if to == 0 {
				t.Fatalf("no kind at %d", i)
			}
			read += to - i
			for ; at < w.at; at = int(index.spans[at].next) {
				read -= int(index.spans[at].end - index.spans[at].start)
			}
		}
	}
	return read
}
