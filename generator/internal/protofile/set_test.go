package protofile_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/protofile"
)

// written writes a message to a file and returns its name.
func written(t *testing.T, m proto.Message) string {
	t.Helper()
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return writtenText(t, string(data))
}

func writtenText(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "set.binpb")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// fileIn returns a file of a set.
func fileIn(t *testing.T, s *descriptorpb.FileDescriptorSet, name string) *descriptorpb.FileDescriptorProto {
	t.Helper()
	for _, fd := range s.File {
		if fd.GetName() == name {
			return fd
		}
	}
	t.Fatalf("the set has no %s", name)
	return nil
}

// TestReadSet checks that a set is read in any order of its files, and the errors for other files.
func TestReadSet(t *testing.T) {
	s, _ := set(t)
	for i, j := 0, len(s.File)-1; i < j; i, j = i+1, j-1 {
		s.File[i], s.File[j] = s.File[j], s.File[i]
	}
	read, err := protofile.ReadSet(written(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(read.Files()); got != len(s.File) {
		t.Errorf("%d files of %d", got, len(s.File))
	}

	without := proto.Clone(s).(*descriptorpb.FileDescriptorSet)
	fileIn(t, without, "common/money.proto").Name = proto.String("common/other.proto")
	twice := proto.Clone(s).(*descriptorpb.FileDescriptorSet)
	twice.File = append(twice.File, twice.File[0])
	cycle := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{
		{Name: proto.String("a.proto"), Dependency: []string{"b.proto"}}, {Name: proto.String("b.proto"), Dependency: []string{"a.proto"}},
	}}
	edition := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{
		{Name: proto.String("a.proto"), Syntax: proto.String("editions"), Edition: descriptorpb.Edition_EDITION_99999_TEST_ONLY.Enum()},
	}}
	invalid := proto.Clone(s).(*descriptorpb.FileDescriptorSet)
	fileIn(t, invalid, "shop/shop.proto").MessageType[0].Field[0].Number = proto.Int32(0)
	const noSet = "the file is not a set of descriptors (FileDescriptorSet)"
	for _, test := range []struct{ name, file, want string }{
		{"absent", filepath.Join(t.TempDir(), "none"), "read descriptors: "},
		{"text", writtenText(t, "syntax = \"proto3\";\n"), noSet},
		{"JSON", writtenText(t, "{}"), noSet},
		{"empty", writtenText(t, ""), noSet},
		{"one file", written(t, fileIn(t, s, "shop/shop.proto")), noSet},
		{"another message", written(t, &pluginpb.CodeGeneratorRequest{ProtoFile: s.File}), noSet},
		{"without imports", written(t, without), "the set of descriptors lacks common/money.proto, which common/all.proto imports"},
		{"twice", written(t, twice), "the set of descriptors has " + twice.File[0].GetName() + " twice"},
		{"cycle", written(t, cycle), "the set of descriptors is damaged: a.proto imports itself"},
		{"edition", written(t, edition), "the set of descriptors cannot be used: a.proto is of edition EDITION_99999_TEST_ONLY, and 2023 and 2024 are supported"},
		{"invalid", written(t, invalid), "the set of descriptors is damaged: shop/shop.proto: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := protofile.ReadSet(test.file)
			e, ok := errors.AsType[*protofile.Error](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if !strings.HasPrefix(e.Message, test.want) || e.Pos.Filename != test.file || e.Hint == "" {
				t.Errorf("got %s (%v, hint %q), want %s", e.Message, e.Pos, e.Hint, test.want)
			}
		})
	}
}

// TestPrefer takes descriptors and comments from a set, also for Go code without a descriptor.
func TestPrefer(t *testing.T) {
	read, err := protofile.ReadSet("testdata/shop.binpb")
	if err != nil {
		t.Fatal(err)
	}
	_, compiled := set(t)
	dir := copied(t, "opaque", []string{"a", "b"}, func(folder, _, text string) string {
		if folder == "b" {
			return strings.ReplaceAll(text, "_rawDesc = \"\" +\n", "_nothing = \"\" +\n")
		}
		return text
	})
	for _, folder := range []string{"a", "b"} {
		pkg := loaded(t, load.Config{Dir: dir, Patterns: []string{"./" + folder + "/shop"}, Env: trimmed()})[0]
		find := protofile.New(pkg)
		find.Prefer(read)
		for _, name := range []string{"Item", "Old", "Modern", "Item_Part"} {
			md, err := find.Message(typeIn(t, pkg, name))
			if err != nil {
				t.Fatal(err)
			}
			checkFiles(t, withoutInfo(t, md.ParentFile()), compiled)
			if name == "Item" {
				// Behind a field, which the Go code of the opaque API does not have.
				if text := find.Comment(md.Fields().ByName("stock")); text != "How many there are." {
					t.Errorf("the comment of stock is %q", text)
				}
			}
		}
	}
}

// TestPreferDisagrees refuses a set of another version than the Go code.
func TestPreferDisagrees(t *testing.T) {
	s, _ := set(t)
	for _, m := range fileIn(t, s, "shop/shop.proto").MessageType {
		if m.GetName() == "FindRequest" {
			m.Field[0].Name, m.Field[0].JsonName = proto.String("text"), proto.String("text")
		}
	}
	name := written(t, s)
	read, err := protofile.ReadSet(name)
	if err != nil {
		t.Fatal(err)
	}
	pkg := shop(t, "v1_36_11")
	find := protofile.New(pkg)
	find.Prefer(read)
	for range 2 {
		_, err = find.Message(typeIn(t, pkg, "Item"))
		checkError(t, err, "v1_36_11/shop/shop.pb.go",
			"field Query of type FindRequest is query (opt, bytes), and field 1 of fixture.shop.FindRequest in the descriptor is text (opt, bytes)")
		if e, _ := errors.AsType[*protofile.Error](err); !strings.HasPrefix(e.Hint, name) || len(e.Related) != 1 || e.Related[0].Pos.Filename != name {
			t.Errorf("hint %s, related %v", e.Hint, e.Related)
		}
	}
	// Another file of the set agrees.
	if _, err := find.Message(typeIn(t, pkg, "Old")); err != nil {
		t.Error(err)
	}
}

// TestMessageSet reads a file with a MessageSet, whose other messages have nothing to do with it.
func TestMessageSet(t *testing.T) {
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("a.proto"), Package: proto.String("a"),
		MessageType: []*descriptorpb.DescriptorProto{
			{
				Name:    proto.String("Old"),
				Options: &descriptorpb.MessageOptions{MessageSetWireFormat: proto.Bool(true)},
				ExtensionRange: []*descriptorpb.DescriptorProto_ExtensionRange{
					{Start: proto.Int32(4), End: proto.Int32(math.MaxInt32)},
				},
			},
			{
				Name: proto.String("New"),
				Field: []*descriptorpb.FieldDescriptorProto{{
					Name: proto.String("old"), Number: proto.Int32(1), TypeName: proto.String(".a.Old"),
					Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(),
				}},
			},
		},
	}
	for _, number := range []int32{100, math.MaxInt32 - 1} {
		file.Extension = append(file.Extension, &descriptorpb.FieldDescriptorProto{
			Name: proto.String(fmt.Sprint("x", number)), Number: proto.Int32(number), Extendee: proto.String(".a.Old"), TypeName: proto.String(".a.New"),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(),
		})
	}
	read, err := protofile.ReadSet(written(t, &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}}))
	if err != nil {
		t.Fatal(err)
	}
	fd := read.Files()[0]
	if n := fd.Messages().ByName("Old").ExtensionRanges().Len(); n != 1 || fd.Extensions().Len() != 1 || fd.Messages().ByName("New").Fields().Len() != 1 {
		t.Errorf("%d ranges, %d extensions", n, fd.Extensions().Len())
	}
	if !file.MessageType[0].Options.GetMessageSetWireFormat() {
		t.Error("the file itself was changed")
	}
}
