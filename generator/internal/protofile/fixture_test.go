package protofile_test

import (
	"context"
	"go/types"
	"os"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgen/mcpgen/generator/internal/load"
)

const module = "github.com/mcpgen/mcpgen/generator/internal/protofile/testdata/"

// variants are the folders in testdata that oracle/fixtures writes.
var variants = []string{"v1_31", "v1_34", "v1_36_3", "v1_36_4", "v1_36_6", "v1_36_11", "hybrid", "opaque"}

// loaded loads packages in a directory.
func loaded(t *testing.T, cfg load.Config) []*load.Package {
	t.Helper()
	pkgs, diags, err := load.Load(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range diags.All() {
		t.Log(d.Text())
	}
	return pkgs
}

// shops loads the packages shop of all variants once.
var shops = sync.OnceValues(func() (map[string]*load.Package, error) {
	var patterns []string
	for _, v := range variants {
		patterns = append(patterns, "./testdata/"+v+"/shop")
	}
	pkgs, _, err := load.Load(context.Background(), load.Config{Patterns: patterns})
	found := map[string]*load.Package{}
	for _, p := range pkgs {
		found[strings.TrimSuffix(strings.TrimPrefix(p.Path, module), "/shop")] = p
	}
	return found, err
})

// shop returns the package shop of a variant, loaded as source.
func shop(t *testing.T, variant string) *load.Package {
	t.Helper()
	pkgs, err := shops()
	if err != nil {
		t.Fatal(err)
	}
	if pkgs[variant] == nil {
		t.Fatalf("no package of %s", variant)
	}
	return pkgs[variant]
}

// typeIn returns a type that a loaded package declares.
func typeIn(t *testing.T, pkg *load.Package, name string) types.Type {
	t.Helper()
	obj := pkg.Types.Scope().Lookup(name)
	if obj == nil {
		t.Fatalf("package %s has no %s", pkg.Path, name)
	}
	return obj.Type()
}

// set reads the descriptors that the compiler made of testdata/proto.
func set(t *testing.T) (*descriptorpb.FileDescriptorSet, *protoregistry.Files) {
	t.Helper()
	data, err := os.ReadFile("testdata/shop.binpb")
	if err != nil {
		t.Fatal(err)
	}
	s := new(descriptorpb.FileDescriptorSet)
	if err := proto.Unmarshal(data, s); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, files
}

// checkFiles compares the file of a descriptor, and the files that it imports, with the files that
// the compiler made.
func checkFiles(t *testing.T, got protoreflect.FileDescriptor, want *protoregistry.Files) {
	t.Helper()
	compiled, err := want.FindFileByPath(got.Path())
	if err != nil {
		t.Fatal(err)
	}
	a, b := protodesc.ToFileDescriptorProto(got), protodesc.ToFileDescriptorProto(compiled)
	b.SourceCodeInfo = nil
	if got.Package() == "google.protobuf" {
		// Options such as the C++ namespace differ between releases of protobuf.
		a.Options, b.Options = nil, nil
	}
	if !proto.Equal(a, b) && got.Path() != "google/protobuf/descriptor.proto" {
		t.Errorf("%s differs from the compiler's", got.Path())
	}
	for i := range got.Imports().Len() {
		checkFiles(t, got.Imports().Get(i).FileDescriptor, want)
	}
}

// withoutInfo returns a file without the information about its source.
func withoutInfo(t *testing.T, fd protoreflect.FileDescriptor) protoreflect.FileDescriptor {
	t.Helper()
	parsed := protodesc.ToFileDescriptorProto(fd)
	parsed.SourceCodeInfo = nil
	imports := new(protoregistry.Files)
	var add func(protoreflect.FileImports)
	add = func(list protoreflect.FileImports) {
		for i := range list.Len() {
			imp := list.Get(i)
			if _, err := imports.FindFileByPath(imp.Path()); err == nil {
				continue
			}
			add(imp.Imports())
			if err := imports.RegisterFile(withoutInfo(t, imp.FileDescriptor)); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(fd.Imports())
	out, err := protodesc.NewFile(parsed, imports)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
