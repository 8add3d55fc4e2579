package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// document is the schema in which references are resolved.
type document struct {
	root *jsontree.Value
	// legacy is set for drafts before 2019-09, where $ref hides the keywords beside it.
	legacy bool
	// rebased is set if an inner schema has an $id, which changes the base of references; they are
	// not followed then.
	rebased bool

	ids      map[*jsontree.Value]int
	stripped map[string]*jsontree.Value
	made     map[string]*jsontree.Value
	schemas  map[string]*schema

	signatures map[string]string
}

func newDocument(root *jsontree.Value) *document {
	d := &document{root: root, ids: map[*jsontree.Value]int{}, stripped: map[string]*jsontree.Value{}, made: map[string]*jsontree.Value{}, schemas: map[string]*schema{}, signatures: map[string]string{}}
	for _, draft := range []string{"draft-03", "draft-04", "draft-06", "draft-07"} {
		d.legacy = d.legacy || strings.Contains(root.Str("$schema"), draft)
	}
	for _, m := range root.Members {
		d.rebased = d.rebased || hasID(m.Value)
	}
	return d
}

// hasID reports whether a schema inside v contains an $id. A property with that name does not
// count: its value is an object.
func hasID(v *jsontree.Value) bool {
	return v.Get("$id").Is(jsontree.Text) ||
		slices.ContainsFunc(v.Items, hasID) || slices.ContainsFunc(v.Members, func(m jsontree.Member) bool { return hasID(m.Value) })
}

// node is a position in a schema: a value is valid there if it is valid under each of its schemas.
// Without schemas, every value is valid.
type node struct {
	doc *document
	all []*jsontree.Value
}

func (d *document) node(all ...*jsontree.Value) node { return node{doc: d, all: all} }

// and adds the schemas of another node of the document.
func (n node) and(other node) node {
	all := slices.Clip(n.all)
	for _, v := range other.all {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return node{n.doc, all}
}

// key returns the same string for nodes with the same schemas.
func (n node) key() string {
	ids := make([]int, len(n.all))
	for i, v := range n.all {
		id, ok := n.doc.ids[v]
		if !ok {
			id = len(n.doc.ids)
			n.doc.ids[v] = id
		}
		ids[i] = id
	}
	slices.Sort(ids)
	var b strings.Builder
	for _, id := range slices.Compact(ids) {
		b.WriteString(strconv.Itoa(id) + " ")
	}
	return b.String()
}

// strip returns v without some members, and always the same pointer for the same arguments.
func (d *document) strip(v *jsontree.Value, names ...string) *jsontree.Value {
	rest := v.Without(names...)
	if rest == v {
		return v
	}
	key := d.node(v).key() + strings.Join(names, " ")
	if known := d.stripped[key]; known != nil {
		return known
	}
	d.stripped[key] = rest
	return rest
}

// only returns a schema with one keyword, and always the same pointer for the same arguments.
func (d *document) only(keyword string, v *jsontree.Value) *jsontree.Value {
	key := keyword + " " + v.Canonical()
	if d.made[key] == nil {
		d.made[key] = &jsontree.Value{Kind: jsontree.Object, Members: []jsontree.Member{{Name: keyword, Value: v}}}
	}
	return d.made[key]
}

// target returns the schema of a reference, or nil if it is in another document, at an anchor, or
// missing.
func (d *document) target(ref string) *jsontree.Value {
	if d.rebased {
		return nil
	}
	if at := d.root.Target(ref); at.Is(jsontree.Object) || at.Is(jsontree.Boolean) {
		return at
	}
	return nil
}

// parts returns the schemas of the node, with allOf and $ref replaced by their schemas. A remaining
// $ref could not be resolved.
func (n node) parts() []*jsontree.Value {
	var all []*jsontree.Value
	seen := map[*jsontree.Value]bool{}
	var add func(v *jsontree.Value)
	add = func(v *jsontree.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		own, ref := v, (*jsontree.Value)(nil)
		if r := v.Get("$ref"); r.Is(jsontree.Text) {
			if ref = n.doc.target(r.Text); ref != nil {
				own = n.doc.strip(own, "$ref")
				if n.doc.legacy {
					add(ref)
					return
				}
			}
		}
		parts := v.Get("allOf")
		if parts.Is(jsontree.Array) {
			own = n.doc.strip(own, "allOf")
		}
		if !slices.Contains(all, own) && (own.Kind != jsontree.Object || len(own.Members) > 0) {
			all = append(all, own)
		}
		if ref != nil {
			add(ref)
		}
		if parts.Is(jsontree.Array) {
			for _, p := range parts.Items {
				add(p)
			}
		}
	}
	for _, v := range n.all {
		add(v)
	}
	return all
}

// resolved returns the node with its references resolved.
func (n node) resolved() node { return n.doc.node(n.parts()...) }

// signature returns the same string for nodes with the same keywords, regardless of the names of
// definitions, or "" if it would be too long. With notes, it includes annotations.
func (n node) signature(notes bool) string {
	key := n.key()
	if notes {
		key += "with notes"
	}
	if known, ok := n.doc.signatures[key]; ok {
		return known
	}
	s := &signer{doc: n.doc, notes: notes}
	parts := []string{"true"}
	for _, v := range n.all {
		start := s.b.Len()
		s.schema(v)
		if part := s.b.String()[start:]; part != "{}" {
			parts = append(parts, part)
		}
	}
	slices.Sort(parts)
	sign := strings.Join(slices.Compact(parts), "&")
	if s.tooLong {
		sign = ""
	}
	n.doc.signatures[key] = sign
	return sign
}

type signer struct {
	doc     *document
	notes   bool
	b       strings.Builder
	stack   []*jsontree.Value // the references on the current path
	tooLong bool
}

const maxSignature = 1 << 18

// Keywords by the form of their values. All others have a plain value.
var (
	holdSchema  = words("items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contains", "propertyNames", "not", "if", "then", "else", "contentSchema")
	holdSchemas = words("properties", "patternProperties", "dependentSchemas", "dependencies")
	holdList    = words("allOf", "anyOf", "oneOf", "prefixItems", "items")
	// noted are annotations, which do not affect validity.
	noted = words("title", "description", "examples", "example", "default", "deprecated", "readOnly", "writeOnly")
	// ignored are keywords that do not affect values, or are handled elsewhere.
	ignored = words("$defs", "definitions", "$comment", "$schema", "$id", "$anchor", "$vocabulary", "$dynamicAnchor", "$recursiveAnchor")
)

func words(list ...string) map[string]bool {
	m := map[string]bool{}
	for _, w := range list {
		m[w] = true
	}
	return m
}

func (s *signer) schema(v *jsontree.Value) {
	switch {
	case s.b.Len() > maxSignature:
		s.tooLong = true
		return
	case v.Kind != jsontree.Object:
		v.AppendCanonical(&s.b)
		return
	}
	s.b.WriteByte('{')
	for _, m := range jsontree.Sorted(v) {
		if ignored[m.Name] || !s.notes && (noted[m.Name] || strings.HasPrefix(m.Name, "x-") && m.Name != headerKeyword) {
			continue
		}
		s.b.WriteString(strconv.Quote(m.Name) + ":")
		s.keyword(m.Name, m.Value)
		s.b.WriteByte(',')
	}
	s.b.WriteByte('}')
}

func (s *signer) keyword(name string, v *jsontree.Value) {
	switch {
	case name == "$ref" && v.Kind == jsontree.Text:
		s.reference(v)
	case name == "$dynamicRef" || name == "$recursiveRef":
		s.b.WriteString(v.Canonical() + s.doc.root.Canonical())
	case holdList[name] && v.Kind == jsontree.Array:
		for _, item := range v.Items {
			s.schema(item)
			s.b.WriteByte(',')
		}
	case holdSchemas[name] && v.Kind == jsontree.Object:
		for _, m := range jsontree.Sorted(v) {
			s.b.WriteString(strconv.Quote(m.Name) + ":")
			s.schema(m.Value)
			s.b.WriteByte(',')
		}
	case holdSchema[name]:
		s.schema(v)
	default:
		v.AppendCanonical(&s.b)
	}
}

func (s *signer) reference(ref *jsontree.Value) {
	target := s.doc.target(ref.Text)
	if target == nil {
		s.b.WriteString(strconv.Quote(ref.Text))
		if strings.HasPrefix(ref.Text, "#") {
			// It refers to an unknown position in this document, so any part of it may have
			// changed.
			s.doc.root.AppendCanonical(&s.b)
		}
		return
	}
	if i := slices.Index(s.stack, target); i >= 0 {
		fmt.Fprintf(&s.b, "^%d", len(s.stack)-i)
		return
	}
	s.stack = append(s.stack, target)
	s.schema(target)
	s.stack = s.stack[:len(s.stack)-1]
}
