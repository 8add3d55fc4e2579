package oracle

import (
	"bytes"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/protofile"
)

// loaded returns the package with its finder, and all packages that it imports.
func loaded(t *testing.T) (*load.Package, *protofile.Finder, []*types.Package) {
	t.Helper()
	pkgs, _, err := load.Load(t.Context(), load.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var roots []*packages.Package
	for _, p := range pkgs[0].Imports {
		roots = append(roots, p)
	}
	var imported []*types.Package
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.Types != nil {
			imported = append(imported, p.Types)
		}
	})
	return pkgs[0], protofile.New(pkgs...), imported
}

// comparable returns a file with the extensions of its options as bytes.
func comparable(t *testing.T, fd protoreflect.FileDescriptor) *descriptorpb.FileDescriptorProto {
	t.Helper()
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(protodesc.ToFileDescriptorProto(fd))
	if err != nil {
		t.Fatal(err)
	}
	out := new(descriptorpb.FileDescriptorProto)
	if err := (proto.UnmarshalOptions{Resolver: new(protoregistry.Types)}).Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFiles compares every file with the one that its package registers.
func TestFiles(t *testing.T) {
	_, find, imported := loaded(t)
	read := map[string]bool{}
	for _, pkg := range imported {
		files, err := find.Files(pkg)
		if err != nil {
			t.Errorf("%s: %v", pkg.Path(), err)
			continue
		}
		for _, fd := range files {
			registered, err := protoregistry.GlobalFiles.FindFileByPath(fd.Path())
			if err != nil {
				t.Errorf("%s: %v", fd.Path(), err)
				continue
			}
			ours, theirs := comparable(t, fd), comparable(t, registered)
			for i := range registered.Imports().Len() {
				// Programs do not find a file by another path than its own, and use its Go types.
				if imp := registered.Imports().Get(i); imp.IsPlaceholder() && strings.HasSuffix(imp.Path(), "/"+ours.Dependency[i]) {
					theirs.Dependency[i] = ours.Dependency[i]
				}
			}
			if !proto.Equal(ours, theirs) {
				t.Errorf("%s of package %s differs from the registered one", fd.Path(), pkg.Path())
			}
			if read[fd.Path()] {
				t.Errorf("%s is in two packages", fd.Path())
			}
			read[fd.Path()] = true
		}
	}
	protoregistry.GlobalFiles.RangeFiles(func(fd protoreflect.FileDescriptor) bool {
		if !read[fd.Path()] {
			t.Errorf("%s is registered, and was found in no package", fd.Path())
		}
		return true
	})
	if len(read) < 50 {
		t.Errorf("only %d files", len(read))
	}
	t.Logf("%d files", len(read))
}

// TestMessages compares the message of each Go type with the message that the type registers.
func TestMessages(t *testing.T) {
	root, find, imported := loaded(t)
	registered := map[string]protoreflect.FullName{}
	protoregistry.GlobalTypes.RangeMessages(func(m protoreflect.MessageType) bool {
		goType := reflect.TypeOf(m.Zero().Interface()).Elem()
		registered[goType.PkgPath()+"."+goType.Name()] = m.Descriptor().FullName()
		return true
	})
	found := 0
	for _, pkg := range imported {
		if files, err := find.Files(pkg); err != nil || len(files) == 0 {
			continue
		}
		if err := root.Complete(pkg); err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || obj.IsAlias() || !protofile.IsMessage(obj.Type()) {
				continue
			}
			md, err := find.Message(types.NewPointer(obj.Type()))
			if err != nil {
				t.Errorf("%s.%s: %v", pkg.Path(), name, err)
				continue
			}
			if want := registered[pkg.Path()+"."+name]; md.FullName() != want {
				t.Errorf("type %s.%s is %s, and registers %s", pkg.Path(), name, md.FullName(), want)
			}
			found++
		}
	}
	if found != len(registered) {
		t.Errorf("%d messages are registered, and %d were found", len(registered), found)
	}
	t.Logf("%d messages", found)
}

// declarations returns the files' messages, fields, values, services and methods by name.
func declarations(fd protoreflect.FileDescriptor) map[protoreflect.FullName]protoreflect.Descriptor {
	all := map[protoreflect.FullName]protoreflect.Descriptor{}
	enums := func(list protoreflect.EnumDescriptors) {
		for i := range list.Len() {
			all[list.Get(i).FullName()] = list.Get(i)
			for j := range list.Get(i).Values().Len() {
				all[list.Get(i).Values().Get(j).FullName()] = list.Get(i).Values().Get(j)
			}
		}
	}
	var messages func(protoreflect.MessageDescriptors)
	messages = func(list protoreflect.MessageDescriptors) {
		for i := range list.Len() {
			m := list.Get(i)
			all[m.FullName()] = m
			for j := range m.Fields().Len() {
				all[m.Fields().Get(j).FullName()] = m.Fields().Get(j)
			}
			enums(m.Enums())
			messages(m.Messages())
		}
	}
	enums(fd.Enums())
	messages(fd.Messages())
	for i := range fd.Services().Len() {
		service := fd.Services().Get(i)
		all[service.FullName()] = service
		for j := range service.Methods().Len() {
			all[service.Methods().Get(j).FullName()] = service.Methods().Get(j)
		}
	}
	return all
}

// written returns an option with its value as bytes.
func written(t *testing.T, xd protoreflect.ExtensionDescriptor, v protoreflect.Value) []byte {
	t.Helper()
	if xd.IsList() {
		var out []byte
		for i := range v.List().Len() {
			out = append(out, writtenOne(t, xd, v.List().Get(i))...)
		}
		return out
	}
	return writtenOne(t, xd, v)
}

func writtenOne(t *testing.T, xd protoreflect.ExtensionDescriptor, v protoreflect.Value) []byte {
	t.Helper()
	if xd.Message() == nil {
		return []byte(v.String() + ";")
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(v.Message().Interface())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestOptions compares every option of an extension with the one that the program decodes.
func TestOptions(t *testing.T) {
	_, find, imported := loaded(t)
	extensions := map[protoreflect.FullName][]protoreflect.ExtensionType{}
	protoregistry.GlobalTypes.RangeExtensions(func(xt protoreflect.ExtensionType) bool {
		name := xt.TypeDescriptor().ContainingMessage().FullName()
		if strings.HasSuffix(string(name), "Options") {
			extensions[name] = append(extensions[name], xt)
		}
		return true
	})
	set := 0
	for _, pkg := range imported {
		files, err := find.Files(pkg)
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range files {
			registered, err := protoregistry.GlobalFiles.FindFileByPath(fd.Path())
			if err != nil {
				t.Fatal(err)
			}
			ours := declarations(fd)
			for name, theirs := range declarations(registered) {
				options := theirs.Options().ProtoReflect()
				for _, xt := range extensions[options.Descriptor().FullName()] {
					xd := xt.TypeDescriptor()
					has := options.IsValid() && options.Has(xd)
					v, ok, err := protofile.Option(ours[name], xd.FullName())
					if err != nil || ok != has {
						t.Errorf("option %s of %s: found %v, set %v: %v", xd.FullName(), name, ok, has, err)
						continue
					}
					if has && !bytes.Equal(written(t, xd, v), written(t, xd, options.Get(xd))) {
						t.Errorf("option %s of %s is %v, want %v", xd.FullName(), name, v, options.Get(xd))
					}
					if has {
						set++
					}
				}
			}
		}
	}
	if set < 50 {
		t.Errorf("only %d options are set", set)
	}
	t.Logf("%d options", set)
}

// TestReadable reads the messages by which protobuf tests itself, of every syntax and API. Programs
// cannot import them, so only Go code and descriptors are compared, as for every message.
func TestReadable(t *testing.T) {
	pkgs, _, err := load.Load(t.Context(), load.Config{Patterns: testPackages})
	if err != nil {
		t.Fatal(err)
	}
	find := protofile.New(pkgs...)
	messages, sets := 0, 0
	for _, pkg := range pkgs {
		if _, err := find.Files(pkg.Types); err != nil {
			t.Errorf("%s: %v", pkg.Path, err)
			continue
		}
		for _, name := range pkg.Types.Scope().Names() {
			obj, ok := pkg.Types.Scope().Lookup(name).(*types.TypeName)
			if !ok || obj.IsAlias() || !protofile.IsMessage(obj.Type()) {
				continue
			}
			messages++
			switch _, err := find.Message(obj.Type()); {
			case err == nil:
			case strings.HasSuffix(err.Error(), " is a MessageSet, which has no JSON form"):
				sets++
			default:
				t.Errorf("%s.%s: %v", pkg.Path, name, err)
			}
		}
	}
	if messages < 800 || sets != 13 {
		t.Errorf("%d messages, and %d of them are a MessageSet", messages, sets)
	}
	t.Logf("%d packages, %d messages", len(pkgs), messages)
}
