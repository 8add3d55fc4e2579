package contract

import (
	"math/big"
	"slices"
	"strings"
)

// headerKeyword makes clients repeat an argument in a header field (revision
// 2026-07-28, basic/transports).
const headerKeyword = "x-mcp-header"

// schema is the conjunction of all schemas of a node.
type schema struct {
	types   types
	enum    []*value // in order; only where hasEnum is set
	hasEnum bool

	lower, upper *bound
	multiples    []*value // the value must be a multiple of each
	// Sets of texts: a value must match each of them.
	patterns, formats, encodings, media []string

	lengths, counts, sizes interval // of strings, arrays and objects
	unique                 bool
	prefix                 []node
	items                  *node // nil: anything
	contains               []containing

	names      []string // of properties, in order
	properties map[string]node
	required   []string
	additional *node // nil: further members are not restricted
	patterned  []pattern
	keys       *node // propertyNames; nil: any
	needs      map[string][]string
	dependents map[string]node

	unions []union
	conds  []condition
	nots   []node
	// others are keywords that are only compared as a whole.
	others []member
	// whole is set if keywords depend on all keywords beside them.
	whole bool
	// broken is set if the value of a keyword has the wrong type.
	broken bool

	notes    map[string]*value // annotations, the outermost of each
	noted    []string          // their names, in order
	doc      *document
	header   string
	nullable bool
}

// bound is a limit for numbers.
type bound struct {
	keyword   string
	value     *value
	rat       *big.Rat
	exclusive bool
}

// interval is a range of counts.
type interval struct{ min, max *value }

type containing struct {
	node     node
	min, max *value
}

type pattern struct {
	text string
	node node
}

// union is an anyOf or oneOf.
type union struct {
	keyword string
	owner   *value // the schema that contains it
	nodes   []node
}

type condition struct {
	test      node
	then, not *node
}

// schema merges the schemas of a node.
func (n node) schema() *schema {
	key := n.key()
	if s := n.doc.schemas[key]; s != nil {
		return s
	}
	s := &schema{doc: n.doc, types: allTypes, properties: map[string]node{}, notes: map[string]*value{}}
	parts := n.parts()
	var objects []*objectPart
	var arrays []*arrayPart
	for _, p := range parts {
		switch {
		case p.kind == boolean:
			if p.text == "false" {
				s.types = 0
			}
			continue
		case p.kind != object:
			s.broken = true
			continue
		}
		m := &merger{schema: s, doc: n.doc, part: p, object: &objectPart{properties: map[string]node{}}, array: &arrayPart{}}
		for _, k := range p.members {
			m.keyword(k.name, k.value)
		}
		m.end()
		objects, arrays = append(objects, m.object), append(arrays, m.array)
	}
	s.mergeObjects(n.doc, objects)
	s.mergeArrays(n.doc, arrays)
	if s.whole && len(parts) == 1 && len(s.unions)+len(s.conds)+len(s.dependents) == 0 {
		s.isolated(objects[0], arrays[0])
	}
	n.doc.schemas[key] = s
	return s
}

// objectPart and arrayPart are keywords of one schema that depend on each other.
type objectPart struct {
	names                   []string
	properties              map[string]node
	patterned               []pattern
	additional, unevaluated *node
}

type arrayPart struct {
	prefix             []node
	items, unevaluated *node
}

// isolated converts unevaluatedProperties and unevaluatedItems to additionalProperties
// and items, which are equivalent if no other keyword evaluates members or elements.
func (s *schema) isolated(o *objectPart, a *arrayPart) {
	if o.unevaluated != nil && o.additional == nil {
		s.additional = o.unevaluated
	}
	if a.unevaluated != nil && a.items == nil {
		if len(s.contains) > 0 {
			return // the elements that it matches count as evaluated
		}
		s.items = a.unevaluated
	}
	s.whole = false
}

func (s *schema) mergeObjects(doc *document, parts []*objectPart) {
	for _, p := range parts {
		for _, name := range p.names {
			if !slices.Contains(s.names, name) {
				s.names = append(s.names, name)
			}
		}
	}
	for _, p := range parts {
		for _, name := range s.names {
			own, there := p.properties[name]
			switch {
			case there:
			case p.additional == nil:
				continue
			case len(p.patterned) > 0:
				s.whole = true // a pattern decides whether additionalProperties applies to it
				continue
			default:
				own = *p.additional
			}
			s.properties[name] = conjunction(doc, s.properties[name], own)
		}
		if p.additional != nil {
			if len(parts) > 1 && slices.ContainsFunc(parts, func(q *objectPart) bool { return len(q.patterned) > 0 }) {
				s.whole = true
			}
			s.additional = both(doc, s.additional, p.additional)
		}
		for _, one := range p.patterned {
			at := slices.IndexFunc(s.patterned, func(q pattern) bool { return q.text == one.text })
			if at < 0 {
				s.patterned = append(s.patterned, one)
			} else {
				s.patterned[at].node = s.patterned[at].node.and(one.node)
			}
		}
	}
}

func (s *schema) mergeArrays(doc *document, parts []*arrayPart) {
	longest := 0
	for _, p := range parts {
		longest = max(longest, len(p.prefix))
	}
	s.prefix = make([]node, longest)
	for i := range s.prefix {
		s.prefix[i] = doc.node()
	}
	for _, p := range parts {
		for i := range s.prefix {
			switch {
			case i < len(p.prefix):
				s.prefix[i] = s.prefix[i].and(p.prefix[i])
			case p.items != nil:
				s.prefix[i] = s.prefix[i].and(*p.items)
			}
		}
		s.items = both(doc, s.items, p.items)
	}
}

// conjunction returns the conjunction of two nodes, the first of which may be the zero
// node.
func conjunction(doc *document, a, b node) node {
	if a.doc == nil {
		a = doc.node()
	}
	return a.and(b)
}

func both(doc *document, a, b *node) *node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	n := conjunction(doc, *a, *b)
	return &n
}

// allowed returns the types that a value can have, also by its enumeration.
func (s *schema) allowed() types {
	if !s.hasEnum {
		return s.types
	}
	var set types
	for _, v := range s.enum {
		if t := typesOf(v); t&s.types != 0 {
			set |= t & s.types
		}
	}
	return set
}

// isNothing reports whether a node is the schema false.
func (n *node) isNothing() bool { return n != nil && n.schema().types == 0 }

// isAnything reports whether a node explicitly allows every value.
func (n *node) isAnything() bool {
	return n.signature(false) == "true"
}

// discriminator returns a required member that has a single allowed value.
func (s *schema) discriminator() (name string, v *value) {
	for _, name := range s.names {
		if !slices.Contains(s.required, name) {
			continue
		}
		if p := s.properties[name].schema(); p.hasEnum && len(p.enum) == 1 {
			return name, p.enum[0]
		}
	}
	return "", nil
}

// note stores an annotation; the outermost wins.
func (s *schema) note(name string, v *value) {
	if s.notes[name] == nil {
		s.notes[name] = v
		s.noted = append(s.noted, name)
	}
}

func addText(set []string, v *value) []string {
	if slices.Contains(set, v.text) {
		return set
	}
	return append(set, v.text)
}

func isExtension(name string) bool { return strings.HasPrefix(name, "x-") }
