package contract

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// effect is the effect of a change on the set of valid values.
type effect uint8

const (
	narrows effect = 1 << iota // some values are no longer valid
	widens                     // some values have become valid
	matters                    // neither, but more than wording
	wording                    // text for people and models
	unsure                     // with narrows and widens: the effect is unknown

	unclear = narrows | widens | unsure
)

// finding is a change of a schema.
type finding struct {
	path     string // of the value: "filters[].field"; "" is the root
	rule     string // the change, usually a keyword
	effect   effect
	old, new *jsontree.Value
	text     string
}

// comparer compares two schemas. It walks both at the same time and reports the differences with
// their paths. It is also the prover: one schema allows no more than another if comparing them
// finds nothing that narrows.
type comparer struct {
	// output is set for results. It selects the assumptions about clients; see the package
	// documentation.
	output bool

	findings []finding
	quiet    int // number of proofs in progress, in which findings are not recorded
	// partial is above 0 in a schema that is only one of several for a value, and need not name
	// every member.
	partial int

	steps    int
	active   map[string]place // pairs whose comparison is in progress
	level    int              // nesting inside the value that the schema describes
	low      int              // the outermost pair that occurred again
	proved   map[string]effect
	reported map[string]report
}

// place is the position of a pair whose comparison is in progress.
type place struct{ depth, level int }

// report is the result of the comparison of a pair, and its position.
type report struct {
	path     string
	effect   effect
	findings int
}

// maxSteps limits the work for schemas with nested unions.
const maxSteps = 200_000

// compareSchemas compares the schemas of arguments, or of results.
func compareSchemas(before, after *jsontree.Value, output bool) []finding {
	return compareNodes(newDocument(before).node(before), newDocument(after).node(after), output)
}

func compareNodes(before, after node, output bool) []finding {
	c := &comparer{output: output, active: map[string]place{}, low: math.MaxInt, proved: map[string]effect{}, reported: map[string]report{}}
	c.nodes("", before, after)
	return c.findings
}

// add reports a finding.
func (c *comparer) add(path, rule string, e effect, before, after *jsontree.Value, format string, args ...any) effect {
	if c.quiet == 0 && e != 0 {
		c.findings = append(c.findings, finding{path, rule, e, before, after, fmt.Sprintf(format, args...)})
	}
	return e
}

// mask removes effects from the findings since an index, and drops findings that have no effect
// left.
func (c *comparer) mask(since int, gone effect) {
	for i := since; i < len(c.findings); i++ {
		c.findings[i].effect &^= gone
		if c.findings[i].effect&^unsure == 0 {
			c.findings[i].effect = 0
		}
	}
	c.findings = append(c.findings[:since], slices.DeleteFunc(c.findings[since:], func(f finding) bool { return f.effect == 0 })...)
}

// prove compares two nodes without recording findings.
func (c *comparer) prove(o, n node) effect {
	c.quiet++
	defer func() { c.quiet-- }()
	return c.nodes("?", o, n)
}

// nodes compares two nodes. A pair that occurs again inside itself, deeper inside the value, is
// assumed to be unchanged: if it is not, the outer comparison finds the difference.
func (c *comparer) nodes(path string, o, n node) effect {
	o, n = o.resolved(), n.resolved()
	key := o.key() + "/" + n.key()
	if c.partial > 0 {
		key += "/partial"
	}
	if at, again := c.active[key]; again {
		c.low = min(c.low, at.depth)
		if at.level == c.level {
			return c.add(path, "$ref", unclear, nil, nil, "refers to itself without end: cannot be classified")
		}
		return 0
	}
	if e, known := c.proved[key]; known && c.quiet > 0 {
		return e
	}
	if r, known := c.reported[key]; known && c.quiet == 0 && (r.findings == 0 || r.findings > manyFindings) {
		return c.add(path, "$ref", r.effect, nil, nil, "changed in the same way as %s", r.path)
	}
	if c.steps++; c.steps > maxSteps {
		return c.tooMuch(path)
	}
	if sign := o.signature(true); sign != "" && sign == n.signature(true) {
		c.proved[key], c.reported[key] = 0, report{}
		return 0
	}
	depth, low, since := len(c.active), c.low, len(c.findings)
	c.active[key], c.low = place{depth, c.level}, math.MaxInt
	e := c.schemas(path, o, n)
	delete(c.active, key)
	// A result that depends on an assumption about an outer pair is valid only inside that pair.
	if c.low >= depth {
		c.low = math.MaxInt
		if c.quiet > 0 {
			c.proved[key] = e
		} else {
			c.reported[key] = report{path, e, len(c.findings) - since}
		}
	}
	c.low = min(c.low, low)
	return e
}

// If a definition has more than manyFindings findings, they are reported for its first use only.
const manyFindings = 3

func (c *comparer) tooMuch(path string) effect {
	last := len(c.findings) - 1
	if c.quiet > 0 || last >= 0 && c.findings[last].rule == "size" {
		return unclear
	}
	return c.add(path, "size", unclear, nil, nil, "the schemas are too large to be compared in full")
}

// schemas compares two nodes with different texts.
func (c *comparer) schemas(path string, o, n node) effect {
	before, after := o.schema(), n.schema()
	e := c.notes(path, before, after)
	if sign := o.signature(false); sign != "" && sign == n.signature(false) {
		// Only wording has changed, some of it deeper inside.
		return e | c.inside(path, o, n)
	}
	if before.broken || after.broken {
		return e | c.add(path, "schema", unclear, raw(o), raw(n), "changed, and cannot be classified")
	}
	if before.types == 0 && after.types == 0 {
		return e
	}
	since := len(c.findings)
	found := effect(0)
	if len(before.unions)+len(after.unions) > 0 {
		found |= c.unions(path, o, n)
	} else {
		found |= c.base(path, before, after)
	}
	if name := cmp.Or(before.entangled, after.entangled); name != "" && found&unclear != unclear {
		found |= c.add(path, name, unclear, nil, nil, "changed beside %s, on which other keywords depend: cannot be classified", name)
	}
	gone := before.provenBy(after, narrows) | after.provenBy(before, widens)
	if c.quiet == 0 {
		c.mask(since, gone)
	}
	return e | found&^gone
}

// inside searches for changed wording in nodes with equal meaning.
func (c *comparer) inside(path string, o, n node) effect {
	if c.quiet > 0 {
		return wording
	}
	before, after := o.schema(), n.schema()
	if before.broken || after.broken {
		return 0
	}
	since := len(c.findings)
	if len(before.unions) == len(after.unions) {
		for i := range before.unions {
			a, b := before.unions[i].nodes, after.unions[i].nodes
			for j := range min(len(a), len(b)) {
				c.nodes(choice(path, a[j], j), a[j], b[j])
			}
		}
	}
	c.base(path, before, after)
	c.mask(since, narrows|widens|unsure)
	return wording
}

// raw returns a node's JSON, or nil if it consists of several.
func raw(n node) *jsontree.Value {
	if len(n.all) != 1 {
		return nil
	}
	return n.all[0]
}

// base compares the keywords other than unions.
func (c *comparer) base(path string, o, n *schema) effect {
	allowedBefore, allowedAfter := o.allowed(), n.allowed()
	e := c.types(path, o, n, allowedBefore, allowedAfter)
	shared := allowedBefore & allowedAfter
	if shared == 0 {
		return e
	}
	e |= c.enumerations(path, o, n)
	if shared&numberType != 0 {
		e |= c.numbers(path, o, n, shared&numberType == integerType)
	}
	if shared&stringType != 0 {
		e |= c.strings(path, o, n)
	}
	if shared&arrayType != 0 {
		e |= c.arrays(path, o, n)
	}
	if shared&objectType != 0 {
		e |= c.objects(path, o, n)
	}
	return e | c.unread(path, o, n)
}

func (c *comparer) types(path string, o, n *schema, before, after types) effect {
	e := effect(0)
	if before&^after != 0 {
		e |= narrows
	}
	if after&^before != 0 {
		e |= widens
	}
	if o.hasEnum && n.hasEnum && o.types == n.types && before&after != 0 {
		return 0 // the enumerated values have been compared
	}
	switch {
	case e == 0:
		return 0
	case e == widens && after&^before == nullType:
		return c.add(path, "type", e, nil, nil, "null is allowed now")
	case e == narrows && before&^after == nullType:
		return c.add(path, "type", e, nil, nil, "null is no longer allowed")
	}
	from, to := o.types, n.types
	if from == to || from == allTypes || to == allTypes {
		from, to = before, after
	}
	return c.add(path, "type", e, typeValue(from), typeValue(to), "type %s -> %s", from, to)
}

func typeValue(t types) *jsontree.Value {
	return &jsontree.Value{Kind: jsontree.Text, Text: t.String()}
}

// notes compares annotations.
func (c *comparer) notes(path string, o, n *schema) effect {
	e := effect(0)
	names := slices.Clone(o.noted)
	for _, name := range n.noted {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		before, after := o.notes[name], n.notes[name]
		if jsontree.Equal(before, after) {
			continue
		}
		how := wording
		if name == "default" || isExtension(name) {
			how = matters
		}
		e |= c.add(path, name, how, before, after, "%s", changeText(name, before, after))
	}
	switch {
	case o.header == n.header:
	case n.header == "":
		e |= c.add(path, headerKeyword, matters, nil, nil, "the header %s is no longer asked for", o.header)
	default:
		// Clients with the old list do not send such a header, and are refused.
		e |= c.add(path, headerKeyword, narrows|widens, nil, nil, "clients have to repeat it in the header %s", n.header)
	}
	return e
}

// changeText describes a change by its old and new value.
func changeText(name string, before, after *jsontree.Value) string {
	switch {
	case before == nil:
		return fmt.Sprintf("%s %s added", name, short(after))
	case after == nil:
		return fmt.Sprintf("%s %s removed", name, short(before))
	case before.Kind == jsontree.Text && after.Kind == jsontree.Text:
		return name + " " + betweenTexts(before.Text, after.Text)
	}
	return fmt.Sprintf("%s %s -> %s", name, short(before), short(after))
}

const shown = 60 // characters of a value in a text for people

func short(v *jsontree.Value) string { return shorten(v.Compact(), shown) }

// betweenTexts returns the parts of two texts around the first difference.
func betweenTexts(before, after string) string {
	a, b := []rune(strings.Join(strings.Fields(before), " ")), []rune(strings.Join(strings.Fields(after), " "))
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	cut := func(r []rune) string {
		start := max(0, same-shown/3)
		if len(r) <= shown {
			start = 0
		}
		s := shorten(string(r[start:]), shown)
		if start > 0 {
			s = "…" + s
		}
		return jsontree.Quote(s)
	}
	if string(a) == string(b) {
		return "has other blanks"
	}
	return cut(a) + " -> " + cut(b)
}

// join appends a member's name to a path.
func join(path, name string) string {
	plain := name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	switch {
	case !plain:
		return path + "[" + jsontree.Quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}
