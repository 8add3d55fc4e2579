package protofile

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// goPackage contains the declarations of a package's generated files.
type goPackage struct {
	node    *node
	sources []*source
	types   map[string]*goType
	// members contains the types that hold one member of a oneof, by the name of its interface.
	members map[string][]string
	// constants contains the values of enumerations, by the Go name of the type.
	constants map[string][]constant
}

// source is one descriptor in a Go file.
type source struct {
	pkg     *goPackage
	fset    *token.FileSet
	imports []*ast.ImportSpec
	pos     token.Pos
	prefix  string // file_shop_proto, by which the Go file names its variables; "" if gzipped
	raw     ast.Expr
	gzipped bool // written by an old generator

	parsed   *descriptorpb.FileDescriptorProto // nil until decoded
	state    buildState
	desc     protoreflect.FileDescriptor
	files    map[string]*source // the imports, by the path in the file
	imported []*source          // the imports, with those that they import publicly
	names    map[protoreflect.FullName]protoreflect.Descriptor
	messages []protoreflect.MessageDescriptor  // by the index in Go
	sets     map[protoreflect.FullName]bool    // the messages that are MessageSets
	enums    []protoreflect.EnumDescriptor     // by the index in Go
	goTypes  map[protoreflect.FullName]*goType // nil until requested
	err      *Error
}

// buildState is the progress of making a file descriptor.
type buildState int

const (
	untouched buildState = iota
	building
	built
)

// goType is a declared type.
type goType struct {
	fset *token.FileSet
	file *ast.File
	spec *ast.TypeSpec
	doc  *ast.CommentGroup
	// prefix and index name the descriptor of a message or enumeration, as in
	// file_shop_proto_msgTypes[3].
	prefix string
	index  int
	enum   bool
}

// position returns the place of the type's name, or the zero Position for a type of another file.
func (t *goType) position() token.Position {
	if t.spec == nil {
		return token.Position{}
	}
	return t.fset.PositionFor(t.namePos(), false)
}

// namePos is like position, for the file set of the type.
func (t *goType) namePos() token.Pos {
	if t.spec == nil {
		return token.NoPos
	}
	return t.spec.Name.Pos()
}

// constant is a value of an enumeration.
type constant struct {
	name  string
	value string
	doc   *ast.CommentGroup
	trail *ast.CommentGroup
}

// rawName matches the declaration of a descriptor, oldName the gzipped one of golang/protobuf
// before version 1.4 and of gogo.
var (
	rawName = regexp.MustCompile(`^(file_\w+)_rawDesc$`)
	oldName = regexp.MustCompile(`^fileDescriptor(_?[0-9a-f]{16}|[0-9]+|_\w+)$`)
)

func newGoPackage(n *node) *goPackage {
	return &goPackage{node: n, types: map[string]*goType{}, members: map[string][]string{}, constants: map[string][]constant{}}
}

// at returns the place of the descriptor.
func (s *source) at() token.Position { return s.fset.PositionFor(s.pos, false) }

// add adds the declarations of a file.
func (p *goPackage) add(fset *token.FileSet, f *ast.File) {
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			p.addMethod(decl)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					t := p.typeOf(spec.Name.Name)
					t.fset, t.file, t.spec, t.doc = fset, f, spec, spec.Doc
					if t.doc == nil && !decl.Lparen.IsValid() {
						t.doc = decl.Doc
					}
				case *ast.ValueSpec:
					p.addValue(fset, f, spec)
				}
			}
		}
	}
}

func (p *goPackage) typeOf(name string) *goType {
	if p.types[name] == nil {
		p.types[name] = &goType{index: -1}
	}
	return p.types[name]
}

func (p *goPackage) addValue(fset *token.FileSet, f *ast.File, spec *ast.ValueSpec) {
	if len(spec.Names) != 1 || len(spec.Values) != 1 {
		return
	}
	name := spec.Names[0]
	if id, ok := spec.Type.(*ast.Ident); ok {
		p.constants[id.Name] = append(p.constants[id.Name], constant{
			name: name.Name, value: numberIn(spec.Values[0]), doc: spec.Doc, trail: spec.Comment,
		})
		return
	}
	s := &source{pkg: p, fset: fset, imports: f.Imports, pos: name.Pos(), raw: spec.Values[0]}
	if m := rawName.FindStringSubmatch(name.Name); m != nil {
		s.prefix = m[1]
	} else if s.gzipped = oldName.MatchString(name.Name); !s.gzipped {
		return
	}
	p.sources = append(p.sources, s)
}

// numberIn returns the text of a number with its sign, or "".
func numberIn(x ast.Expr) string {
	sign := ""
	if minus, ok := x.(*ast.UnaryExpr); ok && minus.Op == token.SUB {
		sign, x = "-", minus.X
	}
	if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.INT {
		return sign + lit.Value
	}
	return ""
}

// addMethod notes what the methods of generated types name: the index of a message in ProtoReflect,
// the index of an enumeration in Descriptor, and the oneof of a wrapper in its marker method.
func (p *goPackage) addMethod(fn *ast.FuncDecl) {
	if fn.Recv == nil || len(fn.Recv.List) != 1 || fn.Body == nil {
		return
	}
	recv := fn.Recv.List[0].Type
	star, pointer := recv.(*ast.StarExpr)
	if pointer {
		recv = star.X
	}
	id, ok := recv.(*ast.Ident)
	if !ok {
		return
	}
	switch {
	case pointer && fn.Name.Name == "ProtoReflect":
		p.note(id.Name, fn.Body, "_msgTypes")
	case !pointer && fn.Name.Name == "Descriptor":
		p.note(id.Name, fn.Body, "_enumTypes")
	case pointer && strings.HasPrefix(fn.Name.Name, "is") && len(fn.Body.List) == 0:
		p.members[fn.Name.Name] = append(p.members[fn.Name.Name], id.Name)
	}
}

// note stores the first file_NAME_msgTypes[INDEX] in a body.
func (p *goPackage) note(name string, body *ast.BlockStmt, suffix string) {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		x, ok := n.(*ast.IndexExpr)
		if !ok || found {
			return !found
		}
		list, ok := x.X.(*ast.Ident)
		if !ok {
			return true
		}
		prefix, ok := strings.CutSuffix(list.Name, suffix)
		index, err := strconv.Atoi(numberIn(x.Index))
		if !ok || err != nil || index < 0 {
			return true
		}
		t := p.typeOf(name)
		t.prefix, t.index, t.enum, found = prefix, index, suffix == "_enumTypes", true
		return false
	})
}

// source returns the descriptor whose variables have a prefix, or nil.
func (p *goPackage) source(prefix string) *source {
	for _, s := range p.sources {
		if !s.gzipped && s.prefix == prefix {
			return s
		}
	}
	return nil
}
