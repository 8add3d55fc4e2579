package protofile

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// twoVersions is the hint for Go code and a descriptor that were made from different files.
const twoVersions = "both come from one .proto file, in two versions: generate the Go code again"

// checkGo compares a file with the Go types of its messages and enumerations.
func (s *source) checkGo() *Error {
	path := s.desc.Path()
	messages, enums := make([]string, len(s.messages)), make([]string, len(s.enums))
	for _, name := range slices.Sorted(maps.Keys(s.pkg.types)) {
		t := s.pkg.types[name]
		if t.prefix != s.prefix || t.spec == nil {
			continue
		}
		names, what := messages, "message"
		if t.enum {
			names, what = enums, "enumeration"
		}
		if t.index >= len(names) {
			return problemf(t.position(), twoVersions, "type %s has no %s in the descriptor of %s", name, what, path)
		}
		if first := names[t.index]; first != "" {
			return problemf(t.position(), twoVersions, "types %s and %s are both %s in the descriptor of %s", first, name, descriptorAt(s, t).FullName(), path)
		}
		names[t.index] = name
	}
	for i, m := range s.messages {
		if m.IsMapEntry() {
			continue
		}
		t, err := s.counterpart(messages[i], m)
		if err == nil {
			err = s.pkg.checkFields(t, m)
		}
		if err != nil {
			return err
		}
	}
	for i, e := range s.enums {
		_, err := s.counterpart(enums[i], e)
		if err == nil {
			err = s.pkg.checkValues(enums[i], e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// descriptorAt returns the message or enumeration that the Go code of a type names.
func descriptorAt(s *source, t *goType) protoreflect.Descriptor {
	if t.enum {
		return s.enums[t.index]
	}
	return s.messages[t.index]
}

// counterpart returns the Go type of a message or enumeration.
func (s *source) counterpart(name string, d protoreflect.Descriptor) (*goType, *Error) {
	if name == "" {
		return nil, problemf(s.at(), twoVersions, "the descriptor of %s has %s, and the Go code has no type for it", s.desc.Path(), d.FullName())
	}
	t := s.pkg.types[name]
	if !sameName(name, d.FullName(), s.desc.Package()) {
		return nil, problemf(t.position(), twoVersions, "type %s is %s in the descriptor of %s", name, d.FullName(), s.desc.Path())
	}
	return t, nil
}

// checkFields compares the fields of a struct with the fields of its message.
func (p *goPackage) checkFields(t *goType, m protoreflect.MessageDescriptor) *Error {
	name := t.spec.Name.Name
	fields, _ := p.goFields(t)
	seen := map[protoreflect.FieldNumber]bool{}
	for _, f := range fields {
		fd := m.Fields().ByNumber(f.number)
		switch {
		case fd == nil:
			return problemf(f.position(t.fset), twoVersions, "field %s of type %s has number %d, and the descriptor of %s has no field with it",
				f.name, name, f.number, m.FullName())
		case !f.agrees(fd):
			return problemf(f.position(t.fset), twoVersions, "field %s of type %s is %s, and field %d of %s in the descriptor is %s",
				f.name, name, describe(f.label, f.kind, f.proto), f.number, m.FullName(), describe(tagLabel(fd), tagKind(fd), string(fd.Name())))
		}
		seen[f.number] = true
	}
	for i := range m.Fields().Len() {
		if fd := m.Fields().Get(i); !seen[fd.Number()] {
			return problemf(t.position(), twoVersions, "the descriptor of %s has field %s (number %d), and type %s lacks it",
				m.FullName(), fd.Name(), fd.Number(), name)
		}
	}
	return nil
}

func describe(label, kind, name string) string {
	return fmt.Sprintf("%s (%s, %s)", cmp.Or(name, "without a name"), label, kind)
}

// checkValues compares the constants of a type with the values of its enumeration.
func (p *goPackage) checkValues(name string, e protoreflect.EnumDescriptor) *Error {
	t := p.types[name]
	seen := map[protoreflect.EnumNumber]bool{}
	for _, c := range p.constants[name] {
		number, err := strconv.ParseInt(c.value, 0, 32)
		if err != nil {
			continue // a constant that another tool has added
		}
		if e.Values().ByNumber(protoreflect.EnumNumber(number)) == nil {
			return problemf(t.position(), twoVersions, "constant %s of type %s is %d, and %s in the descriptor has no such value",
				c.name, name, number, e.FullName())
		}
		seen[protoreflect.EnumNumber(number)] = true
	}
	for i := range e.Values().Len() {
		if v := e.Values().Get(i); !seen[v.Number()] {
			return problemf(t.position(), twoVersions, "the descriptor of %s has value %s (%d), and type %s has no constant for it",
				e.FullName(), v.Name(), v.Number(), name)
		}
	}
	return nil
}

// checkImported refuses fields with a message or enumeration of a file whose generated code is too
// old for the reflection that protojson needs.
func (s *source) checkImported() *Error {
	for _, m := range s.messages {
		for i := range m.Fields().Len() {
			fd := m.Fields().Get(i)
			var parent protoreflect.FileDescriptor
			switch {
			case fd.Message() != nil:
				parent = fd.Message().ParentFile()
			case fd.Enum() != nil:
				parent = fd.Enum().ParentFile()
			}
			for _, imp := range s.imported {
				if parent == imp.desc && imp.gzipped {
					return imp.tooOld().about(s.at(), fmt.Sprintf("field %s refers to it", fd.FullName()))
				}
			}
		}
	}
	return nil
}

// tooOld is the error for code of a generator without reflection.
func (s *source) tooOld() *Error {
	return problemf(s.at(), "generate the package with google.golang.org/protobuf/cmd/protoc-gen-go, 1.31 or newer",
		"package %s has gzipped descriptors, which golang/protobuf before version 1.4 and gogo write: they lack the reflection that protojson needs",
		s.pkg.node.path)
}

// about adds a related place and returns the error.
func (e *Error) about(pos token.Position, message string) *Error {
	e.relate(pos, message)
	return e
}
