package protofile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// maxGunzipped limits a descriptor that an old generator compressed. The largest one of Google's
// APIs has 3 MB.
const maxGunzipped = 64 << 20

// decode reads the descriptor in the Go file.
func (s *source) decode() (*descriptorpb.FileDescriptorProto, *Error) {
	if s.parsed != nil || s.err != nil {
		return s.parsed, s.err
	}
	data, err := bytesOf(s.raw)
	if err != nil {
		pos := s.at()
		if lit, ok := errors.AsType[*literalError](err); ok {
			pos = s.fset.PositionFor(lit.at, false)
		}
		s.err = problemOf(err, pos, regenerate, "the descriptor in the generated Go file is damaged")
		return nil, s.err
	}
	if s.gzipped {
		if data, err = gunzip(data); err != nil {
			s.err = problemOf(err, s.at(), regenerate, "the gzipped descriptor in the generated Go file is damaged")
			return nil, s.err
		}
	}
	fd := new(descriptorpb.FileDescriptorProto)
	if err := proto.Unmarshal(data, fd); err != nil {
		s.err = problemOf(err, s.at(), regenerate, "the descriptor in the generated Go file is damaged")
		return nil, s.err
	}
	if err := checkFile(fd); err != nil {
		s.err = problemOf(err, s.at(), editionHint, "the descriptor in the generated Go file cannot be used")
		return nil, s.err
	}
	s.parsed = fd
	return fd, nil
}

// gunzip decompresses at most maxGunzipped bytes.
func gunzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxGunzipped+1))
	if err == nil && len(text) > maxGunzipped {
		err = fmt.Errorf("it has more than %d bytes", maxGunzipped)
	}
	return text, err
}

// editionHint is the hint for a file that checkFile refuses.
const editionHint = "generate the Go code again from a file of proto2, proto3 or one of these editions"

// checkFile refuses descriptors that protodesc does not check itself. For some files with a name of
// its own tests it panics if the edition is unknown.
func checkFile(fd *descriptorpb.FileDescriptorProto) error {
	if fd.GetName() == "" {
		return errors.New("it names no .proto file")
	}
	oldest, newest := descriptorpb.Edition_EDITION_2023, descriptorpb.Edition_EDITION_2024
	if e := fd.GetEdition(); fd.GetSyntax() == "editions" && (e < oldest || e > newest) {
		return fmt.Errorf("%s is of edition %s, and 2023 and 2024 are supported", fd.GetName(), e)
	}
	return nil
}

// resolver resolves the imports of one file.
type resolver struct {
	files map[string]*source // the direct imports by path
	all   []*source          // the direct imports, and those that they import publicly
}

func (r resolver) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if s := r.files[path]; s != nil {
		return s.desc, nil
	}
	return nil, protoregistry.NotFound
}

func (r resolver) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	for _, s := range r.all {
		if d := s.names[name]; d != nil {
			return d, nil
		}
	}
	return nil, protoregistry.NotFound
}

// build makes the file descriptor, and before it the file descriptors of its imports.
func (f *Finder) build(s *source) *Error {
	switch s.state {
	case built:
		return s.err
	case building:
		return problemf(s.at(), regenerate, "the descriptor in the generated Go file is damaged: %s imports itself", s.parsed.GetName())
	case untouched:
	}
	fd, err := s.decode()
	if err == nil {
		s.state = building
		err = f.resolve(s, fd)
	}
	s.state, s.err = built, err
	return err
}

func (f *Finder) resolve(s *source, fd *descriptorpb.FileDescriptorProto) *Error {
	r := resolver{files: map[string]*source{}}
	seen := map[*source]bool{}
	var public func(*source)
	public = func(imp *source) {
		if seen[imp] {
			return
		}
		seen[imp] = true
		r.all = append(r.all, imp)
		for _, i := range imp.parsed.GetPublicDependency() {
			if next := imp.files[imp.parsed.GetDependency()[i]]; next != nil {
				public(next)
			}
		}
	}
	for _, path := range fd.GetDependency() {
		imp, err := f.importOf(s, path)
		if err != nil {
			return err
		}
		r.files[path] = imp
	}
	for _, path := range fd.GetOptionDependency() {
		// These are only for options, and protoc-gen-go writes no Go import for some of them.
		if imp, err := f.importOf(s, path); err == nil {
			r.files[path] = imp
		}
	}
	for _, path := range slices.Concat(fd.GetDependency(), fd.GetOptionDependency()) {
		if imp := r.files[path]; imp != nil {
			public(imp)
		}
	}
	supported, sets := withoutSets(fd)
	s.sets = sets
	desc, err := protodesc.NewFile(supported, r)
	if err != nil {
		return problemOf(err, s.at(), regenerate, "the descriptor in the generated Go file is damaged")
	}
	s.desc, s.imported, s.files = desc, r.all, r.files
	s.messages, s.enums = flatten(desc)
	s.names = make(map[protoreflect.FullName]protoreflect.Descriptor, len(s.messages)+len(s.enums))
	for _, d := range s.messages {
		s.names[d.FullName()] = d
	}
	for _, d := range s.enums {
		s.names[d.FullName()] = d
	}
	f.byDesc[desc] = s
	if s.gzipped {
		return nil
	}
	if err := s.checkGo(); err != nil {
		return err
	}
	return s.checkImported()
}

// importOf returns the file that a .proto file imports, built: in the same Go package, or in a
// package that the Go file imports. The directory in which protoc ran decides how a path begins,
// and Go programs do not depend on it. So without a file of that path a file counts whose path is
// the end of the other one.
func (f *Finder) importOf(s *source, path string) (*source, *Error) {
	var candidates []*source
	packages, err := f.packagesOf(s)
	if err != nil {
		return nil, err
	}
	for _, fits := range []func(string) bool{
		func(name string) bool { return name == path },
		func(name string) bool { return strings.HasSuffix(path, "/"+name) || strings.HasSuffix(name, "/"+path) },
	} {
		for i, p := range packages {
			found, err := p.named(fits)
			if err != nil {
				return nil, err
			}
			for _, c := range found {
				if c != s || c.parsed.GetName() == path {
					candidates = append(candidates, c)
				}
			}
			if i == 0 && len(candidates) > 0 {
				break // its own package precedes the others
			}
		}
		if len(candidates) > 0 {
			break
		}
	}
	if len(candidates) > 1 {
		// A file of gogo imports files of gogo.
		candidates = slices.DeleteFunc(candidates, func(c *source) bool { return c.gzipped != s.gzipped })
	}
	switch {
	case len(candidates) == 0:
		return nil, problemf(s.at(), "generate the Go code again: protoc-gen-go imports a Go package for each import",
			"%s imports %s, and no package that the generated Go file imports has its descriptor", s.parsed.GetName(), path)
	case len(candidates) > 1:
		e := problemf(s.at(), "let the Go file import one of them",
			"%s imports %s, and two packages that the generated Go file imports have its descriptor", s.parsed.GetName(), path)
		for _, c := range candidates {
			e.relate(c.at(), "in package "+c.pkg.node.path)
		}
		return nil, e
	}
	if err := f.build(candidates[0]); err != nil {
		return nil, err
	}
	return candidates[0], nil
}

// packagesOf returns the package of a file, and then those that its Go file imports.
func (f *Finder) packagesOf(s *source) ([]*goPackage, *Error) {
	packages := []*goPackage{s.pkg}
	for _, spec := range s.imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		n := f.graph.imported(s.pkg.node, path)
		if n == nil || n == s.pkg.node {
			continue
		}
		p, err := n.files()
		if err != nil {
			return nil, problemOf(err, s.at(), "", "read package %s", n.path)
		}
		if len(p.sources) > 0 && !slices.Contains(packages, p) {
			packages = append(packages, p)
		}
	}
	return packages, nil
}

// named returns the descriptors in the package whose path fits.
func (p *goPackage) named(fits func(path string) bool) ([]*source, *Error) {
	var found []*source
	for _, s := range p.sources {
		fd, err := s.decode()
		if err != nil {
			return nil, err
		}
		if fits(fd.GetName()) {
			found = append(found, s)
		}
	}
	return found, nil
}
