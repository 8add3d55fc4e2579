package contract

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// document is the schema in which references are resolved.
type document struct {
	root *value
	// legacy is set for drafts before 2019-09, where $ref hides the keywords beside it.
	legacy bool
	// rebased is set if an inner schema has an $id, which changes the base of
	// references; they are not followed then.
	rebased bool

	ids      map[*value]int
	stripped map[string]*value
	made     map[string]*value
	schemas  map[string]*schema

	signatures map[string]string
}

func newDocument(root *value) *document {
	d := &document{root: root, ids: map[*value]int{}, stripped: map[string]*value{}, made: map[string]*value{}, schemas: map[string]*schema{}, signatures: map[string]string{}}
	for _, draft := range []string{"draft-03", "draft-04", "draft-06", "draft-07"} {
		d.legacy = d.legacy || strings.Contains(root.str("$schema"), draft)
	}
	for _, m := range root.members {
		d.rebased = d.rebased || hasID(m.value)
	}
	return d
}

// hasID reports whether a schema inside v has an $id. A property of that name does not
// count: its value is an object.
func hasID(v *value) bool {
	return v.get("$id").is(text) ||
		slices.ContainsFunc(v.items, hasID) || slices.ContainsFunc(v.members, func(m member) bool { return hasID(m.value) })
}

// node is a position in a schema: a value is valid there if it is valid under each of
// its schemas. Without any, every value is valid.
type node struct {
	doc *document
	all []*value
}

func (d *document) node(all ...*value) node { return node{doc: d, all: all} }

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

// key is equal for nodes with the same schemas.
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

// strip returns v without some members, always the same pointer for the same arguments.
func (d *document) strip(v *value, names ...string) *value {
	rest := v.without(names...)
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

// only returns the schema with one keyword, always the same pointer for the same
// arguments.
func (d *document) only(keyword string, v *value) *value {
	key := keyword + " " + v.canonical()
	if d.made[key] == nil {
		d.made[key] = &value{kind: object, members: []member{{keyword, v}}}
	}
	return d.made[key]
}

// target returns the schema of a reference, nil if it is unknown: in another document,
// at an anchor, or missing.
func (d *document) target(ref string) *value {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || d.rebased {
		return nil
	}
	if unescaped, err := url.PathUnescape(pointer); err == nil {
		pointer = unescaped
	}
	at := d.root
	if pointer == "" {
		return at
	}
	if pointer[0] != '/' {
		return nil
	}
	for step := range strings.SplitSeq(pointer[1:], "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		if at.kind == array {
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at.items) {
				return nil
			}
			at = at.items[i]
		} else if at = at.get(step); at == nil {
			return nil
		}
	}
	if at.kind != object && at.kind != boolean {
		return nil
	}
	return at
}

// parts returns the schemas of the node, with allOf and $ref replaced by their schemas.
// A remaining $ref could not be resolved.
func (n node) parts() []*value {
	var all []*value
	seen := map[*value]bool{}
	var add func(v *value)
	add = func(v *value) {
		if seen[v] {
			return
		}
		seen[v] = true
		own, ref := v, (*value)(nil)
		if r := v.get("$ref"); r.is(text) {
			if ref = n.doc.target(r.text); ref != nil {
				own = n.doc.strip(own, "$ref")
				if n.doc.legacy {
					add(ref)
					return
				}
			}
		}
		parts := v.get("allOf")
		if parts.is(array) {
			own = n.doc.strip(own, "allOf")
		}
		if !slices.Contains(all, own) && (own.kind != object || len(own.members) > 0) {
			all = append(all, own)
		}
		if ref != nil {
			add(ref)
		}
		if parts.is(array) {
			for _, p := range parts.items {
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

// signature is equal for nodes with the same keywords, independent of the names of
// definitions; "" if it would be too long. With notes, it includes annotations.
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
	stack   []*value // the references on the current path
	tooLong bool
}

const maxSignature = 1 << 18

// Keywords by the form of their values. All others have a plain value.
var (
	holdSchema  = words("items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contains", "propertyNames", "not", "if", "then", "else", "contentSchema")
	holdSchemas = words("properties", "patternProperties", "dependentSchemas", "dependencies")
	holdList    = words("allOf", "anyOf", "oneOf", "prefixItems", "items")
	// noted are annotations, which have no effect on validity.
	noted = words("title", "description", "examples", "example", "default", "deprecated", "readOnly", "writeOnly")
	// ignored have no effect on values, or are handled elsewhere.
	ignored = words("$defs", "definitions", "$comment", "$schema", "$id", "$anchor", "$vocabulary", "$dynamicAnchor", "$recursiveAnchor")
)

func words(list ...string) map[string]bool {
	m := map[string]bool{}
	for _, w := range list {
		m[w] = true
	}
	return m
}

func (s *signer) schema(v *value) {
	switch {
	case s.b.Len() > maxSignature:
		s.tooLong = true
		return
	case v.kind != object:
		v.appendCanonical(&s.b)
		return
	}
	s.b.WriteByte('{')
	for _, m := range sortedMembers(v) {
		if ignored[m.name] || !s.notes && (noted[m.name] || strings.HasPrefix(m.name, "x-") && m.name != headerKeyword) {
			continue
		}
		s.b.WriteString(strconv.Quote(m.name) + ":")
		s.keyword(m.name, m.value)
		s.b.WriteByte(',')
	}
	s.b.WriteByte('}')
}

func (s *signer) keyword(name string, v *value) {
	switch {
	case name == "$ref" && v.kind == text:
		s.reference(v)
	case name == "$dynamicRef" || name == "$recursiveRef":
		s.b.WriteString(v.canonical() + s.doc.root.canonical())
	case holdList[name] && v.kind == array:
		for _, item := range v.items {
			s.schema(item)
			s.b.WriteByte(',')
		}
	case holdSchemas[name] && v.kind == object:
		for _, m := range sortedMembers(v) {
			s.b.WriteString(strconv.Quote(m.name) + ":")
			s.schema(m.value)
			s.b.WriteByte(',')
		}
	case holdSchema[name]:
		s.schema(v)
	default:
		v.appendCanonical(&s.b)
	}
}

func (s *signer) reference(ref *value) {
	target := s.doc.target(ref.text)
	if target == nil {
		s.b.WriteString(strconv.Quote(ref.text))
		if strings.HasPrefix(ref.text, "#") {
			// It refers to an unknown position in this document, so any part of it may
			// have changed.
			s.doc.root.appendCanonical(&s.b)
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
