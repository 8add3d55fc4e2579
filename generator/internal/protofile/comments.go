package protofile

import (
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Comment returns the comment of a message, field, oneof, enumeration or value that the finder
// returned, as plain text: the comment above the declaration, or else the one behind it. It is
// taken from the set of descriptors, if that has the source's comments, and otherwise from the Go
// code, without the sentences that protoc-gen-go adds. Code of the opaque API has the comments
// above fields on its builders, and none behind them. Comment returns "" for other declarations.
func (f *Finder) Comment(d protoreflect.Descriptor) string {
	at := d.ParentFile().SourceLocations().ByDescriptor(d)
	for _, text := range []string{at.LeadingComments, at.TrailingComments} {
		if text = unindented(text); text != "" {
			return text
		}
	}
	s := f.byDesc[d.ParentFile()]
	if s == nil || s.gzipped || s.err != nil {
		return ""
	}
	switch d := d.(type) {
	case protoreflect.MessageDescriptor, protoreflect.EnumDescriptor:
		if t := s.typeFor(d); t != nil {
			return commentText(t.doc, nil)
		}
	case protoreflect.EnumValueDescriptor:
		return s.valueComment(d)
	case protoreflect.FieldDescriptor:
		return s.fieldComment(d)
	case protoreflect.OneofDescriptor:
		return s.oneofComment(d)
	}
	return ""
}

// unindented removes the space behind // from each line, and blank lines at both ends.
func unindented(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(strings.TrimPrefix(line, " "), " \t\r\n"))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// typeFor returns the Go type of a message or enumeration, or nil for the entry of a map.
func (s *source) typeFor(d protoreflect.Descriptor) *goType {
	if s.goTypes == nil {
		s.goTypes = map[protoreflect.FullName]*goType{}
		for _, t := range s.pkg.types {
			if t.spec != nil && t.prefix == s.prefix && t.index >= 0 {
				s.goTypes[descriptorAt(s, t).FullName()] = t
			}
		}
	}
	return s.goTypes[d.FullName()]
}

// valueComment returns the comment of the constant for a value of an enumeration.
func (s *source) valueComment(d protoreflect.EnumValueDescriptor) string {
	t := s.typeFor(d.Parent())
	if t == nil {
		return ""
	}
	var fits []constant
	for _, c := range s.pkg.constants[t.spec.Name.Name] {
		if n, err := strconv.ParseInt(c.value, 0, 32); err == nil && protoreflect.EnumNumber(n) == d.Number() {
			fits = append(fits, c)
		}
	}
	for _, c := range fits {
		// Of two names for one number the Go name ends in the right one.
		if len(fits) == 1 || strings.HasSuffix(c.name, "_"+string(d.Name())) {
			return commentText(c.doc, c.trail)
		}
	}
	return ""
}

// fieldComment returns the comment of a field or a member of a oneof.
func (s *source) fieldComment(d protoreflect.FieldDescriptor) string {
	t := s.typeFor(d.Parent())
	if t == nil {
		return ""
	}
	fields, _ := s.pkg.goFields(t)
	for _, field := range fields {
		if field.number != d.Number() {
			continue
		}
		if text := commentText(field.field.Doc, field.field.Comment); text != "" {
			return text
		}
		name := strings.TrimPrefix(field.name, hiddenPrefix)
		if f := s.builderField(t, name); f != nil {
			return commentText(f.Doc, f.Comment)
		}
	}
	return ""
}

// hiddenPrefix begins the names of fields in the opaque API.
const hiddenPrefix = "xxx_hidden_"

// builderField returns a field of the builder of a message in the hybrid or opaque API, or nil.
func (s *source) builderField(t *goType, name string) *ast.Field {
	builder := s.pkg.types[t.spec.Name.Name+"_builder"]
	if builder == nil {
		return nil
	}
	// A builder has no methods that a name could equal, so its names lack the _ that avoids that.
	for _, name := range []string{name, strings.TrimSuffix(name, "_")} {
		for _, f := range fieldsOf(builder.spec) {
			if len(f.Names) == 1 && f.Names[0].Name == name {
				return f
			}
		}
	}
	return nil
}

// oneofComment returns the comment of a oneof. A builder has it apart from the fields, as the last
// comment before the one that begins the oneof's fields.
func (s *source) oneofComment(d protoreflect.OneofDescriptor) string {
	t := s.typeFor(d.Parent())
	if t == nil || d.IsSynthetic() {
		return ""
	}
	_, oneofs := s.pkg.goFields(t)
	f := oneofs[string(d.Name())]
	if f == nil {
		return ""
	}
	if text := commentText(f.Doc, f.Comment); text != "" {
		return text
	}
	builder := s.pkg.types[t.spec.Name.Name+"_builder"]
	if builder == nil || builder.spec == nil {
		return ""
	}
	last := builder.spec.Type.Pos()
	var before *ast.CommentGroup
	for _, g := range builder.file.Comments {
		if g.Pos() < builder.spec.Pos() || g.End() > builder.spec.End() {
			continue
		}
		if slices.Contains(strings.Split(g.Text(), "\n"), "Fields of oneof "+f.Names[0].Name+":") {
			for _, field := range fieldsOf(builder.spec) {
				if field.End() < g.Pos() {
					last = field.End()
				}
			}
			if before != nil && before.Pos() > last {
				return commentText(before, nil)
			}
			return ""
		}
		before = g
	}
	return ""
}

// added matches what protoc-gen-go adds to the end of a comment.
var added = regexp.MustCompile(`(?s)(^|\n\s*\n)(Deprecated: Marked as deprecated in \S+\.|` +
	`Types that are (assignable|valid to be assigned) to \w+:\n.*)$`)

// builderOneof matches the comments that begin and end the members of a oneof in a builder.
var builderOneof = regexp.MustCompile(`(?m)^(Fields of oneof \w+:|-- end of \w+)$`)

// commentText returns the text of the comment above a declaration, or else behind it.
func commentText(above, behind *ast.CommentGroup) string {
	for _, g := range []*ast.CommentGroup{above, behind} {
		if g == nil {
			continue
		}
		text := strings.TrimSpace(builderOneof.ReplaceAllString(g.Text(), ""))
		if text = strings.TrimSpace(added.ReplaceAllString(text, "")); text != "" {
			return text
		}
	}
	return ""
}
