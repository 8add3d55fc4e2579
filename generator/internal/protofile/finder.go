package protofile

import (
	"go/token"
	"go/types"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgen/mcpgen/generator/internal/load"
)

// Finder finds the descriptors of messages in a set, or in the Go files of the packages of one Load
// and of all packages that these import. It reads each package once, when a message of it is
// requested. It is not safe for concurrent use.
type Finder struct {
	graph  *graph
	byDesc map[protoreflect.FileDescriptor]*source
	set    *Set // precedes the Go code; may be nil
	// fromSet contains the files of the set that were compared with Go code.
	fromSet map[setKey]*source
	// used contains the Go types of the requested messages, by published name.
	used map[protoreflect.FullName]*types.TypeName
}

// New returns the finder for packages of one Load.
func New(pkgs ...*load.Package) *Finder {
	return &Finder{
		graph:  newGraph(pkgs),
		byDesc: map[protoreflect.FileDescriptor]*source{}, fromSet: map[setKey]*source{},
		used: map[protoreflect.FullName]*types.TypeName{},
	}
}

// IsMessage reports whether a type, or the type that it points to, has the method ProtoReflect, as
// generated messages of every API have.
func IsMessage(t types.Type) bool {
	obj := objectOf(t)
	if obj == nil || types.IsInterface(obj.Type()) {
		return false
	}
	m, _, _ := types.LookupFieldOrMethod(obj.Type(), true, obj.Pkg(), "ProtoReflect")
	_, ok := m.(*types.Func)
	return ok
}

// objectOf returns the declaration of a named type or of the type that a pointer to it has, or nil.
func objectOf(t types.Type) *types.TypeName {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil
	}
	return named.Obj()
}

// Message returns the descriptor of a generated struct, or of the struct that a pointer points to.
// Descriptors of one file are the same for all its messages. Errors are of type [*Error].
func (f *Finder) Message(t types.Type) (protoreflect.MessageDescriptor, error) {
	obj := objectOf(t)
	if obj == nil {
		return nil, problemf(token.Position{}, "", "type %s is not a generated message", t)
	}
	s, decl, err := f.declared(obj)
	if err != nil {
		return nil, err
	}
	md := s.messages[decl.index]
	if s.sets[md.FullName()] {
		return nil, problemf(decl.position(), "put a message with fields in its place",
			"message %s is a MessageSet, which has no JSON form", md.FullName())
	}
	if first := f.used[md.FullName()]; first != nil && first != obj {
		e := problemf(decl.position(), "a program can contain one of them: give the .proto files different packages",
			"types %s.%s and %s.%s are both generated from a message %s", first.Pkg().Path(), first.Name(), obj.Pkg().Path(), obj.Name(), md.FullName())
		if _, other, err := f.declared(first); err == nil {
			e.relate(other.position(), "the other one")
		}
		return nil, e
	}
	f.used[md.FullName()] = obj
	return md, nil
}

// declared returns the built file of a message, and its Go type.
func (f *Finder) declared(obj *types.TypeName) (*source, *goType, error) {
	n := f.graph.nodes[obj.Pkg().Path()]
	if n == nil {
		return nil, nil, problemf(token.Position{}, "", "package %s of type %s is not among the loaded ones", obj.Pkg().Path(), obj.Name())
	}
	p, err := n.files()
	if err != nil {
		return nil, nil, err
	}
	decl := p.types[obj.Name()]
	if decl == nil || decl.index < 0 || decl.enum {
		return nil, nil, p.without(obj, decl)
	}
	s, problem := f.preferred(p, decl)
	if problem != nil {
		return nil, nil, problem
	}
	if s != nil {
		return s, decl, nil
	}
	if s = p.source(decl.prefix); s == nil {
		return nil, nil, problemf(decl.position(), regenerate, "the descriptor of type %s is missing: no constant or variable %s_rawDesc", obj.Name(), decl.prefix)
	}
	if err := f.build(s); err != nil {
		return nil, nil, err
	}
	return s, decl, nil
}

// without returns the reason why a type has no descriptor.
func (p *goPackage) without(obj *types.TypeName, decl *goType) *Error {
	for _, s := range p.sources {
		if s.gzipped {
			return s.tooOld()
		}
	}
	pos := token.Position{}
	if decl != nil && decl.spec != nil {
		pos = decl.position()
	}
	return problemf(pos, regenerate,
		"the descriptor of type %s is missing: package %s has no file of protoc-gen-go that declares the type", obj.Name(), p.node.path)
}

// Files returns the descriptors of all .proto files whose Go code is in a package, in order of the
// Go files. Errors are of type [*Error].
func (f *Finder) Files(pkg *types.Package) ([]protoreflect.FileDescriptor, error) {
	n := f.graph.nodes[pkg.Path()]
	if n == nil {
		return nil, problemf(token.Position{}, "", "package %s is not among the loaded ones", pkg.Path())
	}
	p, err := n.files()
	if err != nil {
		return nil, err
	}
	var files []protoreflect.FileDescriptor
	for _, s := range p.sources {
		if s.gzipped {
			return nil, s.tooOld()
		}
		if err := f.build(s); err != nil {
			return nil, err
		}
		files = append(files, s.desc)
	}
	return files, nil
}
