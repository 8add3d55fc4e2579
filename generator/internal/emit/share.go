package emit

import (
	"go/types"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// minShared is the minimum size, in bytes, of an object that gets a separate constant if it occurs
// more than once in the schemas of a file. The schemas that contain it are joined with it at
// compile time.
const minShared = 200

// sharing finds the objects that the schemas of a file share. It compares texts, not types: one use
// of a type may have another description.
type sharing struct {
	pkg    *types.Package
	known  map[string]*sharedText
	stems  map[string]bool
	labels []*sharedText // in the order in which they were found
}

// sharedText is an object of at least minShared bytes.
type sharedText struct {
	text    string
	label   string // for the name of its constant
	named   bool   // label is the name of a type
	uses    int    // number of uses in roots and in other texts; each text counts once
	name    string // of the constant; "" if the text is used once
	printed bool
}

func newSharing(pkg *types.Package) *sharing {
	return &sharing{pkg: pkg, known: map[string]*sharedText{}, stems: map[string]bool{}}
}

// count records the objects of a schema. t is the plan that the text was rendered from, or nil, and
// label a name for its constant.
func (s *sharing) count(text string, t *model.Type, label string) {
	t = baseType(t)
	named := t != nil && t.Name != ""
	if named {
		label = codec.Camel(t.Name)
	}
	switch {
	case len(text) <= minShared:
		return
	case text[0] == '[':
		for _, e := range splitJSON(text) {
			s.count(e, t, label)
		}
		return
	case text[0] != '{':
		return
	}
	known := s.known[text]
	if known == nil {
		known = &sharedText{text: text, label: label, named: named}
		s.known[text] = known
		s.labels = append(s.labels, known)
	}
	if known.uses++; known.uses > 1 {
		if named && !known.named {
			known.label, known.named = label, true
		}
		return
	}
	for _, m := range splitJSON(text) {
		key, value := cutMember(m)
		switch key {
		case "properties":
			s.countMap(value, label+"Properties", label, fieldTypes(t))
		case "$defs":
			s.countMap(value, label+"Defs", "", nil)
		case "items", "additionalProperties":
			s.count(value, elemType(t), label+"Item")
		case "anyOf":
			s.count(value, t, label)
		default:
			s.count(value, nil, label+codec.Camel(key))
		}
	}
}

// countMap records an object whose members are schemas.
func (s *sharing) countMap(text, label, member string, fields map[string]*model.Type) {
	if len(text) <= minShared {
		return
	}
	known := s.known[text]
	if known == nil {
		known = &sharedText{text: text, label: label}
		s.known[text] = known
		s.labels = append(s.labels, known)
	}
	if known.uses++; known.uses > 1 {
		return
	}
	for _, m := range splitJSON(text) {
		key, value := cutMember(m)
		s.count(value, fields[key], member+codec.Camel(key))
	}
}

// name names the constants for the texts that occur more than once.
func (s *sharing) name() {
	for _, k := range s.labels {
		if k.uses < 2 {
			continue
		}
		stem := k.label
		for i := 2; s.stems[stem] || s.pkg != nil && s.pkg.Scope().Lookup("mcpSchema"+stem) != nil; i++ {
			stem = k.label + strconv.Itoa(i)
		}
		s.stems[stem] = true
		k.name = "mcpSchema" + stem
	}
}

// reference marks the name of a constant in a text that is otherwise JSON, which cannot contain
// this character.
const reference = "\x00"

// compose returns a value's text with references to constants, and appends those to used. If inside
// is set, the value itself is not replaced.
func (s *sharing) compose(text string, inside bool, used *[]*sharedText) string {
	if len(text) <= minShared || text[0] != '{' && text[0] != '[' {
		return text
	}
	if k := s.known[text]; !inside && k != nil && k.name != "" {
		*used = append(*used, k)
		return reference + k.name + reference
	}
	var b strings.Builder
	b.WriteByte(text[0])
	for i, m := range splitJSON(text) {
		if i > 0 {
			b.WriteByte(',')
		}
		if text[0] == '{' {
			end := stringEnd(m, 0) + 1
			b.WriteString(m[:end])
			m = m[end:]
		}
		b.WriteString(s.compose(m, false, used))
	}
	b.WriteByte(text[len(text)-1])
	return b.String()
}

// cutMember cuts "name":value. Names in schemas contain no escapes that matter here.
func cutMember(m string) (key, value string) {
	end := stringEnd(m, 0)
	return m[1 : end-1], m[min(end+1, len(m)):]
}

// baseType returns the plan of the value behind pointers, flags and conversions.
func baseType(t *model.Type) *model.Type {
	for t != nil && (t.Kind == model.Pointer || t.Kind == model.Flagged || t.Kind == model.Converted) {
		t = t.Elem
	}
	return t
}

func elemType(t *model.Type) *model.Type {
	if t == nil {
		return nil
	}
	return t.Elem
}

func fieldTypes(t *model.Type) map[string]*model.Type {
	fields := map[string]*model.Type{}
	if t != nil {
		for _, f := range t.Fields {
			fields[f.Name] = f.Type
		}
	}
	return fields
}
