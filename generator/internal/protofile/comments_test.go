package protofile_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgen/mcpgen/generator/internal/protofile"
)

// declarations returns the messages, fields, oneofs, enumerations and values of a file.
func declarations(fd protoreflect.FileDescriptor) []protoreflect.Descriptor {
	var all []protoreflect.Descriptor
	enums := func(list protoreflect.EnumDescriptors) {
		for i := range list.Len() {
			all = append(all, list.Get(i))
			for j := range list.Get(i).Values().Len() {
				all = append(all, list.Get(i).Values().Get(j))
			}
		}
	}
	var messages func(protoreflect.MessageDescriptors)
	messages = func(list protoreflect.MessageDescriptors) {
		for i := range list.Len() {
			m := list.Get(i)
			all = append(all, m)
			for j := range m.Fields().Len() {
				all = append(all, m.Fields().Get(j))
			}
			for j := range m.Oneofs().Len() {
				all = append(all, m.Oneofs().Get(j))
			}
			enums(m.Enums())
			messages(m.Messages())
		}
	}
	enums(fd.Enums())
	messages(fd.Messages())
	return all
}

// plain removes the space behind // from a comment of the compiler.
func plain(text string) string {
	return strings.TrimSpace(strings.ReplaceAll("\n"+text, "\n ", "\n"))
}

// TestComments compares the comments in Go code with the comments that the compiler read.
func TestComments(t *testing.T) {
	_, compiled := set(t)
	for _, v := range variants {
		t.Run(v, func(t *testing.T) {
			pkg := shop(t, v)
			find := protofile.New(pkg)
			found := 0
			files, err := find.Files(pkg.Types)
			if err != nil {
				t.Fatal(err)
			}
			for _, fd := range files {
				for _, d := range declarations(fd) {
					original, err := compiled.FindDescriptorByName(d.FullName())
					if err != nil {
						t.Fatal(err)
					}
					at := original.ParentFile().SourceLocations().ByDescriptor(original)
					want := plain(at.LeadingComments)
					field, _ := d.(protoreflect.FieldDescriptor)
					hidden := field != nil && (field.ContainingOneof() == nil || field.ContainingOneof().IsSynthetic())
					if want == "" && !(v == "opaque" && hidden) {
						want = plain(at.TrailingComments)
					}
					if got := find.Comment(d); got != want {
						t.Errorf("%s: got %q, want %q", d.FullName(), got, want)
					}
					if want != "" {
						found++
					}
				}
			}
			if found < 12 {
				t.Errorf("only %d declarations have a comment", found)
			}
		})
	}
}
