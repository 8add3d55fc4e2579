package protofile

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// Set contains the descriptors of a file that protoc or buf wrote. It is safe for concurrent use.
type Set struct {
	name  string
	files []protoreflect.FileDescriptor // imports precede their importers
	sets  map[protoreflect.FullName]bool
}

// writeSet is the hint for a file that does not contain descriptors as they are needed.
const writeSet = "write it by buf build -o FILE.binpb, or by protoc --include_imports --include_source_info --descriptor_set_out=FILE.binpb"

// ReadSet reads a FileDescriptorSet with all imports of its files. Their order does not matter.
// Errors are of type [*Error] and have the file as their position.
func ReadSet(name string) (*Set, error) {
	at := token.Position{Filename: name}
	data, err := regularfile.Read(name)
	if err != nil {
		return nil, problemOf(err, at, writeSet, "read descriptors")
	}
	parsed := new(descriptorpb.FileDescriptorSet)
	if err := proto.Unmarshal(data, parsed); err != nil {
		return nil, problemOf(err, at, writeSet, "the file is not a set of descriptors (FileDescriptorSet)")
	}
	if len(parsed.GetFile()) == 0 || len(parsed.ProtoReflect().GetUnknown()) > 0 {
		return nil, problemf(at, writeSet, "the file is not a set of descriptors (FileDescriptorSet)")
	}
	b := &setBuilder{at: at, parsed: map[string]*descriptorpb.FileDescriptorProto{}, built: new(protoregistry.Files), sets: map[protoreflect.FullName]bool{}}
	for _, fd := range parsed.GetFile() {
		switch err := checkFile(fd); {
		case err != nil && fd.GetName() == "":
			return nil, problemf(at, writeSet, "the file is not a set of descriptors (FileDescriptorSet)")
		case err != nil:
			return nil, problemOf(err, at, editionHint, "the set of descriptors cannot be used")
		case b.parsed[fd.GetName()] != nil:
			return nil, problemf(at, writeSet, "the set of descriptors has %s twice", fd.GetName())
		}
		b.parsed[fd.GetName()] = fd
	}
	for _, fd := range parsed.GetFile() {
		if err := b.build(fd, nil); err != nil {
			return nil, err
		}
	}
	return &Set{name: name, files: b.files, sets: b.sets}, nil
}

// setBuilder makes the files of a set, imports first.
type setBuilder struct {
	at     token.Position
	parsed map[string]*descriptorpb.FileDescriptorProto
	built  *protoregistry.Files
	sets   map[protoreflect.FullName]bool
	files  []protoreflect.FileDescriptor
}

// build makes a file that the files in chain import, each the next one.
func (b *setBuilder) build(fd *descriptorpb.FileDescriptorProto, chain []string) error {
	if _, err := b.built.FindFileByPath(fd.GetName()); err == nil {
		return nil
	}
	if slices.Contains(chain, fd.GetName()) {
		return problemf(b.at, writeSet, "the set of descriptors is damaged: %s imports itself", fd.GetName())
	}
	chain = append(chain, fd.GetName())
	for _, path := range fd.GetDependency() {
		imp := b.parsed[path]
		if imp == nil {
			return problemf(b.at, writeSet, "the set of descriptors lacks %s, which %s imports", path, fd.GetName())
		}
		if err := b.build(imp, chain); err != nil {
			return err
		}
	}
	for _, path := range fd.GetOptionDependency() {
		if imp := b.parsed[path]; imp != nil { // options need not be read
			if err := b.build(imp, chain); err != nil {
				return err
			}
		}
	}
	supported, sets := withoutSets(fd)
	maps.Copy(b.sets, sets)
	desc, err := protodesc.NewFile(supported, b.built)
	if err == nil {
		err = b.built.RegisterFile(desc)
	}
	if err != nil {
		return problemOf(err, b.at, writeSet, "the set of descriptors is damaged: %s", fd.GetName())
	}
	b.files = append(b.files, desc)
	return nil
}

// Files returns the descriptors of all files in the set.
func (s *Set) Files() []protoreflect.FileDescriptor { return slices.Clone(s.files) }

// file returns the file whose Go code names its variables by a prefix, or nil. Of several such
// files path decides, which is the path in the Go code, or "".
func (s *Set) file(prefix, path string) (protoreflect.FileDescriptor, *Error) {
	var found []protoreflect.FileDescriptor
	for _, fd := range s.files {
		if variablePrefix(fd.Path()) == prefix && (path == "" || fd.Path() == path) {
			found = append(found, fd)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, problemf(token.Position{Filename: s.name}, "remove one of them",
		"the set of descriptors has %s and %s, and the Go code does not tell them apart", found[0].Path(), found[1].Path())
}

// variablePrefix returns the prefix by which protoc-gen-go names the variables of a file.
func variablePrefix(path string) string {
	return "file_" + strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, path)
}

// Prefer makes the finder take descriptors and comments from a set, where it has the .proto file of
// a Go type. It must be called before the first message is requested.
func (f *Finder) Prefer(set *Set) { f.set = set }

// preferred returns the file of a set for a Go type, compared with the Go code, or nil.
func (f *Finder) preferred(p *goPackage, decl *goType) (*source, *Error) {
	if f.set == nil {
		return nil, nil
	}
	path, at := "", decl.position()
	if s := p.source(decl.prefix); s != nil {
		// Without a readable descriptor the set is the only one.
		if fd, err := s.decode(); err == nil {
			path = fd.GetName()
		}
	}
	desc, err := f.set.file(decl.prefix, path)
	if err != nil || desc == nil {
		return nil, err
	}
	key := setKey{p, desc}
	if s := f.fromSet[key]; s != nil {
		return s, s.err
	}
	s := &source{pkg: p, fset: decl.fset, pos: decl.namePos(), prefix: decl.prefix, state: built, desc: desc, sets: f.set.sets}
	s.messages, s.enums = flatten(desc)
	if e := s.checkGo(); e != nil {
		e.Hint = fmt.Sprintf("%s and the Go code come from one .proto file, in two versions: make both again", f.set.name)
		s.err = e.about(token.Position{Filename: f.set.name}, "the descriptors")
		if !e.Pos.IsValid() {
			e.Pos = at
		}
	}
	f.fromSet[key] = s
	f.byDesc[desc] = s
	return s, s.err
}

// setKey is a file of a set with the Go package that has its code.
type setKey struct {
	pkg  *goPackage
	desc protoreflect.FileDescriptor
}
