package contract

import (
	"math/big"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// headerKeyword makes clients repeat an argument in a header field (revision 2026-07-28,
// basic/transports).
const headerKeyword = "x-mcp-header"

// schema is the conjunction of all schemas of a node.
type schema struct {
	types   types
	enum    []*jsontree.Value // in order; only if hasEnum is set
	hasEnum bool

	lower, upper *bound
	multiples    []*jsontree.Value // a value must be a multiple of each
	// Sets of strings: a value must match each of them.
	patterns, formats, encodings []string

	lengths, counts, sizes interval // of strings, arrays and objects
	unique                 bool
	items                  *node // nil: anything

	names      []string // of properties, in order
	properties map[string]node
	required   []string
	additional *node // nil: further members are not restricted
	keys       *node // propertyNames; nil: any

	unions []union
	// unread contains a node for each schema with unsupported keywords, which contains only those.
	unread []node
	// entangled is the name of an unsupported keyword that changes the meaning of others.
	entangled string
	// broken is set if the value of a keyword has the wrong type.
	broken bool

	notes  map[string]*jsontree.Value // annotations, the outermost of each
	noted  []string                   // their names, in order
	doc    *document
	header string
}

// bound is a limit for numbers.
type bound struct {
	keyword   string
	value     *jsontree.Value
	rat       *big.Rat
	exclusive bool
}

// interval is a range of counts.
type interval struct{ min, max *jsontree.Value }

// union is an anyOf or oneOf.
type union struct {
	keyword string
	owner   *jsontree.Value // the schema that contains it
	nodes   []node
}

// schema merges the schemas of a node.
func (n node) schema() *schema {
	key := n.key()
	if s := n.doc.schemas[key]; s != nil {
		return s
	}
	s := &schema{doc: n.doc, types: allTypes, properties: map[string]node{}, notes: map[string]*jsontree.Value{}}
	var objects []*objectPart
	for _, p := range n.parts() {
		switch {
		case p.Kind == jsontree.Boolean:
			if p.Text == "false" {
				s.types = 0
			}
			continue
		case p.Kind != jsontree.Object:
			s.broken = true
			continue
		}
		m := &merger{schema: s, doc: n.doc, part: p, object: &objectPart{properties: map[string]node{}}}
		var read []string
		for _, k := range p.Members {
			if m.keyword(k.Name, k.Value) {
				read = append(read, k.Name)
			}
		}
		if len(read) < len(p.Members) {
			s.unread = append(s.unread, n.doc.node(n.doc.strip(p, read...)))
		}
		objects = append(objects, m.object)
	}
	s.mergeObjects(n.doc, objects)
	n.doc.schemas[key] = s
	return s
}

// objectPart contains the keywords of one schema that depend on each other.
type objectPart struct {
	names      []string
	properties map[string]node
	additional *node
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
			default:
				own = *p.additional
			}
			s.properties[name] = conjunction(doc, s.properties[name], own)
		}
		s.additional = both(doc, s.additional, p.additional)
	}
}

// conjunction returns the conjunction of two nodes. The first may be the zero node.
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

// allowed returns the types that a value can have, also considering its enumeration.
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
func (s *schema) discriminator() (name string, v *jsontree.Value) {
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

// note stores an annotation; the outermost takes precedence.
func (s *schema) note(name string, v *jsontree.Value) {
	if s.notes[name] == nil {
		s.notes[name] = v
		s.noted = append(s.noted, name)
	}
}

func addText(set []string, v *jsontree.Value) []string {
	if slices.Contains(set, v.Text) {
		return set
	}
	return append(set, v.Text)
}

func isExtension(name string) bool { return strings.HasPrefix(name, "x-") }
