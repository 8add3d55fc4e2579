package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Search configures the search for the most expensive message.
type Search struct {
	Tries int // for each tool
	Small int // size in bytes of the messages in the search
	Large int // size in bytes of the messages that are compared with Most
	Worst int // number of the worst messages that are enlarged, at most one per tool
	// Most is the maximum CPU time of a call, in multiples of json.Unmarshal into an any.
	Most float64
	// Beyond is the maximum additional CPU time of a call, compared to one that is refused before
	// its arguments are decoded, in multiples of json.Unmarshal, if the decoder has found too many
	// problems in the first tenth of the message.
	Beyond float64
}

// recipe creates messages of any size by repeating some parts of a value.
type recipe struct {
	tool         Tool
	before, unit string
	between      string
	after        string
	count        func(i int) string // distinguishes the units, at each mark
	ratio        float64
}

const mark = "\x01"

// text returns a value of about size bytes.
func (c *recipe) text(size int) []byte {
	b := append(make([]byte, 0, size+len(c.before)+2*len(c.unit)), c.before...)
	parts := strings.Split(c.unit, mark)
	for i := 0; len(b)+len(c.after) < size; i++ {
		if i > 0 {
			b = append(b, c.between...)
		}
		for k, part := range parts {
			if k > 0 {
				b = append(b, c.count(i)...)
			}
			b = append(b, part...)
		}
	}
	return append(b, c.after...)
}

// Costly searches, for each tool of a server, the arguments that take the most CPU time relative to
// json.Unmarshal, by modifying the most expensive ones so far.
func Costly(t *testing.T, cfg Config, search Search) {
	session := Connect(t, cfg.Server, Modern)
	tools, err := session.Tools()
	if err != nil {
		t.Fatal(err)
	}
	var worst []*recipe
	ended := 0 // tools with a message that contains too many problems
	for _, tool := range tools {
		schema, err := ParseSchema(string(tool.InputSchema))
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64()
		h.Write([]byte(tool.Name))
		c := &climber{r: newSource(cfg.Seed, h.Sum64()), tool: tool, schema: schema}
		if c.endsEarly(t, session, search) {
			ended++
		}
		var best *recipe
		var from *Node
		for range search.Tries {
			n := c.value(from)
			next := c.recipe(n)
			if next == nil {
				continue
			}
			if next.ratio = costs(t, session, next, search.Small, 1); best == nil || next.ratio > best.ratio {
				best, from = next, n
			}
		}
		if best != nil {
			worst = append(worst, best)
		}
	}
	t.Logf("%d of %d tools end at one problem too many", ended, len(tools))
	if ended < len(tools)*9/10 {
		t.Errorf("messages with too many problems were found for %d of %d tools", ended, len(tools))
	}
	slices.SortFunc(worst, func(a, b *recipe) int { return int(1000 * (b.ratio - a.ratio)) })
	for i, c := range worst[:min(len(worst), search.Worst)] {
		ratio := costs(t, session, c, search.Large, 3)
		if ratio > search.Most { // otherwise the machine was busy three times
			ratio = costs(t, session, c, search.Large, 20)
		}
		if i < 5 || ratio > search.Most/2 {
			t.Logf("%s: %.1f times json.Unmarshal for %d bytes, %.1f for %d: %.100q %.100q %.60q", c.tool.Name, c.ratio, search.Small, ratio, search.Large, c.before, c.unit, c.after)
		}
		if ratio > search.Most {
			t.Errorf("%s takes %.1f times as long as json.Unmarshal, want at most %.1f", c.tool.Name, ratio, search.Most)
		}
	}
}

// costs returns the CPU time of a call relative to json.Unmarshal: the minimum of several runs of
// each.
func costs(t *testing.T, s *Session, c *recipe, size, turns int) float64 {
	arguments := c.text(size)
	usual := arguments
	if !json.Valid(arguments) {
		// Decoding would end at the first error, so only the syntax matters.
		usual = []byte(`"` + strings.Repeat("a", len(arguments)) + `"`)
	}
	call, plain := time.Duration(1<<62), time.Duration(1<<62)
	for range turns {
		start := cpuTime()
		var v any
		if err := json.Unmarshal(usual, &v); err != nil && !strings.Contains(err.Error(), "float64") {
			t.Fatal(err)
		}
		between := cpuTime()
		params := append([]byte(`"name":"`+c.tool.Name+`","arguments":`), arguments...)
		if _, err := s.ask("tools/call", params); err != nil {
			t.Fatal(err)
		}
		call, plain = min(call, cpuTime()-between), min(plain, between-start)
	}
	// The base time of every call does not count.
	return float64(call-100*time.Microsecond) / float64(plain+time.Microsecond)
}

// wrongUnits are values that few types accept.
var wrongUnits = []string{"false", `"\u0001"`, "{}", "[[]]", "1.5", `{"x":[1,"2",{}]}`}

// endsEarly searches a message with too many problems in its first tenth, and checks that the rest,
// which need not be decoded, takes no more CPU time than Beyond. It reports whether it found such a
// message.
func (c *climber) endsEarly(t *testing.T, s *Session, search Search) bool {
	for range 10 {
		next := c.recipe(c.value(nil))
		if next == nil {
			continue
		}
		switch next.between {
		case ",":
			wrong := pick(c.r, wrongUnits)
			if c.r.one(2) {
				wrong = strings.ReplaceAll(next.unit, mark, "") // as in the search
			}
			if name, _, ok := strings.Cut(next.unit, ":"); ok && strings.HasPrefix(name, `"`) {
				wrong = `"x` + mark + `":` + pick(c.r, wrongUnits) // an additional member
			}
			next.unit, next.count = wrong, strconv.Itoa
		default:
			continue // a single string or number has one problem
		}
		if !c.tooMany(t, s, next.text(search.Small/10)) || !json.Valid(next.text(search.Small)) {
			continue
		}
		arguments := next.text(search.Small)
		params := append([]byte(`"name":"`+c.tool.Name+`","arguments":`), arguments...)
		refused := append(append([]byte(`"name":"`+c.tool.Name+`","arguments":[`), arguments...), ']')
		ask := func(params []byte) time.Duration {
			start := cpuTime()
			if _, err := s.ask("tools/call", params); err != nil {
				t.Fatal(err)
			}
			return cpuTime() - start
		}
		call, base, plain := time.Duration(1<<62), time.Duration(1<<62), time.Duration(1<<62)
		var beyond float64
		for range 20 {
			start := cpuTime()
			var v any
			if err := json.Unmarshal(arguments, &v); err != nil && !strings.Contains(err.Error(), "float64") {
				t.Fatal(err)
			}
			plain = min(plain, cpuTime()-start)
			call, base = min(call, ask(params)), min(base, ask(refused))
			// The base time of every answer with problems does not count.
			if beyond = float64(call-base-100*time.Microsecond) / float64(plain); beyond <= search.Beyond {
				return true
			}
		}
		t.Errorf("%s goes on after the last problem that it reports: it takes %v, and %v where the arguments are not decoded: %.100q %.100q", c.tool.Name, call, base, next.before, next.unit)
		return true
	}
	return false
}

// tooMany reports whether arguments contain more problems than are reported.
func (c *climber) tooMany(t *testing.T, s *Session, arguments []byte) bool {
	s.err = nil
	if _, err := s.ask("tools/call", append([]byte(`"name":"`+c.tool.Name+`","arguments":`), arguments...)); err != nil {
		t.Fatal(err)
	}
	bad, ok := errors.AsType[*wire.ArgumentsError](s.err)
	return ok && bad.More
}

// climber creates recipes for one tool.
type climber struct {
	r      *source
	tool   Tool
	schema *Schema
}

// value returns a value, usually derived from the most expensive one.
func (c *climber) value(from *Node) *Node {
	r := c.r
	n := from
	if n == nil || r.one(3) {
		n = r.begin(c.schema)
	}
	n = n.Clone()
	if !r.one(3) {
		r.mutate(n)
	}
	n.walk("", func(_ string, at *Node) {
		switch {
		case len(at.Members) > 1 && r.one(3):
			slices.Reverse(at.Members)
		case len(at.Members) > 0 && r.one(30):
			at.Members = append(at.Members, at.Members[0])
		case at != n && r.one(30):
			*at = *text(at.String())
		}
	})
	return n
}

// recipe chooses the parts of a value to repeat.
func (c *climber) recipe(n *Node) *recipe {
	r := c.r
	var all []*Node
	n.walk("", func(_ string, at *Node) { all = append(all, at) })
	at := pick(r, all)
	// The value is written with a gap at this place.
	kept := *at
	const hole = `"\u0002hole"`
	split := func() (string, string) {
		before, after, _ := strings.Cut(n.String(), hole)
		return before, after
	}
	out := &recipe{tool: c.tool, between: ",", count: pick(r, []func(int) string{
		func(int) string { return "" }, strconv.Itoa, func(i int) string { return strconv.Itoa(i % 7) },
		func(i int) string { return fmt.Sprintf("%08d", 10_000_000+i) },
	})}
	*at = Node{Kind: '"', Raw: hole}
	before, after := split()
	*at = kept
	if after == "" && before == n.String() {
		return nil
	}
	var open, closing string
	switch kept.Kind {
	case '[':
		open, closing = "[", "]"
		out.unit = c.unit(pick(r, append(kept.Items, &kept)))
	case '{':
		open, closing = "{", "}"
		name, value := "x", r.anything(maxDepth-1)
		if len(kept.Members) > 0 && !r.one(4) {
			m := pick(r, kept.Members)
			name, value = m.Name, m.Value
		}
		if rest := bytes.TrimPrefix((&Node{Kind: '{', Members: kept.Members}).Append(nil), []byte("{")); r.one(2) && len(rest) > 1 {
			closing = "," + string(rest)
		}
		if r.one(3) {
			name = ""
		}
		out.unit = text(name+"\x01").String() + ":" + c.unit(value)
		out.unit = strings.ReplaceAll(out.unit, `\u0001`, mark)
	case '"':
		open, closing, out.between = `"`+pick(r, []string{"", strings.Trim(kept.String(), `"`)}), `"`, ""
		out.unit = pick(r, []string{"a", "1", "0", " ", ".", "-", ":", "/", "%41", "1h", "T", "=", "AAAA", "é", `\n`, `\u00e9`, `\"`, `\\`, "[1,", `{\"a\":`, "a@", "1.", "0x", "e9", strings.Trim(kept.String(), `"`)})
		if out.unit == "" {
			return nil
		}
	case '0':
		open, out.between = pick(r, []string{"", "-", "0.", "1e", "1.0", kept.Text, kept.Text + "."}), ""
		out.unit = pick(r, []string{"1", "0", "9", "123456789"})
	default:
		open, closing = pick(r, []string{"", "["}), ""
		if open == "[" {
			closing = "]"
		}
		out.unit = c.unit(&kept)
	}
	out.before, out.after = before+open, closing+after
	return out
}

// unit returns a value, as JSON, for repetition.
func (c *climber) unit(n *Node) string {
	r := c.r
	s := n.String()
	switch {
	case r.one(8):
		return text(s).String()
	case r.one(8):
		return string(r.anything(maxDepth).Append(nil))
	case r.one(6):
		m := n.Clone()
		r.mutate(m)
		return m.String()
	case r.one(4):
		return c.chain(n)
	case r.one(12):
		depth := 1 + r.IntN(400)
		return strings.Repeat("[", depth) + strings.Repeat("]", depth)
	}
	return s
}

// chain returns a value that is nested inside of itself, for each of its parts of the same kind.
func (c *climber) chain(n *Node) string {
	var parts []*Node
	n.walk("", func(_ string, at *Node) {
		if at != n && at.Schema != nil && at.Kind == n.Kind {
			parts = append(parts, at)
		}
	})
	s := n.String()
	if len(parts) == 0 {
		return s
	}
	at := pick(c.r, parts)
	kept := *at
	*at = Node{Kind: '"', Raw: `"\u0002hole"`}
	before, after, ok := strings.Cut(n.String(), `"\u0002hole"`)
	*at = kept
	if !ok {
		return s
	}
	depth := 1 + c.r.IntN(60)
	return strings.Repeat(before, depth) + s + strings.Repeat(after, depth)
}
