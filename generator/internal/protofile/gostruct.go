package protofile

import (
	"go/ast"
	"go/token"
	"reflect"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// goField is a field of a generated struct, or of the wrapper of a member of a oneof.
type goField struct {
	field   *ast.Field
	name    string // in Go
	kind    string // as the tag spells it: varint, bytes, group ...
	number  protoreflect.FieldNumber
	label   string // opt, req or rep
	proto   string // name in the .proto file
	wrapper string // the type that contains it, for a member of a oneof
}

// goFields returns the fields of a message's struct that have a number, and the struct fields of
// its oneofs by the name of the oneof.
func (p *goPackage) goFields(t *goType) (fields []goField, oneofs map[string]*ast.Field) {
	oneofs = map[string]*ast.Field{}
	for _, f := range fieldsOf(t.spec) {
		tag := tagOf(f)
		if field, ok := readTag(f, tag.Get("protobuf")); ok {
			fields = append(fields, field)
		}
		oneof, ok := tag.Lookup("protobuf_oneof")
		marker, isName := f.Type.(*ast.Ident)
		if !ok || !isName {
			continue
		}
		oneofs[oneof] = f
		for _, name := range p.members[marker.Name] {
			wrapper := p.types[name]
			if wrapper == nil || wrapper.spec == nil {
				continue
			}
			for _, member := range fieldsOf(wrapper.spec) {
				if field, ok := readTag(member, tagOf(member).Get("protobuf")); ok {
					field.wrapper = name
					fields = append(fields, field)
				}
			}
		}
	}
	return fields, oneofs
}

func fieldsOf(spec *ast.TypeSpec) []*ast.Field {
	if spec == nil {
		return nil
	}
	if st, ok := spec.Type.(*ast.StructType); ok {
		return st.Fields.List
	}
	return nil
}

func tagOf(f *ast.Field) reflect.StructTag {
	if f.Tag == nil || len(f.Names) != 1 {
		return ""
	}
	text, _ := strconv.Unquote(f.Tag.Value)
	return reflect.StructTag(text)
}

// readTag reads a tag such as "bytes,1,opt,name=title,proto3".
func readTag(f *ast.Field, tag string) (goField, bool) {
	parts := strings.Split(tag, ",")
	if len(parts) < 3 {
		return goField{}, false
	}
	number, err := strconv.ParseInt(parts[1], 10, 32)
	if err != nil {
		return goField{}, false
	}
	field := goField{field: f, name: f.Names[0].Name, kind: parts[0], number: protoreflect.FieldNumber(number), label: parts[2]}
	for _, part := range parts[3:] {
		if name, ok := strings.CutPrefix(part, "name="); ok {
			field.proto = name
		}
	}
	return field, true
}

// tagKind returns the kind of a field as a tag spells it.
func tagKind(fd protoreflect.FieldDescriptor) string {
	switch fd.Kind() {
	case protoreflect.BoolKind, protoreflect.EnumKind, protoreflect.Int32Kind, protoreflect.Uint32Kind,
		protoreflect.Int64Kind, protoreflect.Uint64Kind:
		return "varint"
	case protoreflect.Sint32Kind:
		return "zigzag32"
	case protoreflect.Sint64Kind:
		return "zigzag64"
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return "fixed32"
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return "fixed64"
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return "bytes"
	case protoreflect.GroupKind:
		return "group"
	}
	return ""
}

func tagLabel(fd protoreflect.FieldDescriptor) string {
	switch fd.Cardinality() {
	case protoreflect.Required:
		return "req"
	case protoreflect.Repeated:
		return "rep"
	case protoreflect.Optional:
	}
	return "opt"
}

// agrees reports whether a field of Go and one of a descriptor are the same.
func (f *goField) agrees(fd protoreflect.FieldDescriptor) bool {
	named := f.proto == string(fd.Name()) || fd.Kind() == protoreflect.GroupKind && f.proto == string(fd.Message().Name())
	return named && f.number == fd.Number() && f.kind == tagKind(fd) && f.label == tagLabel(fd)
}

// position returns the place of the field.
func (f *goField) position(fset *token.FileSet) token.Position {
	return fset.PositionFor(f.field.Pos(), false)
}

// sameName reports whether a Go name was made from the name of a declaration in a .proto file.
// protoc-gen-go changes the case of letters, drops or adds dots and underscores, and writes X for
// an underscore at the beginning.
func sameName(goName string, full, pkg protoreflect.FullName) bool {
	var want strings.Builder
	for part := range strings.SplitSeq(inFile(full, pkg), ".") {
		if rest, ok := strings.CutPrefix(part, "_"); ok {
			part = "x" + rest
		}
		want.WriteString(folded(part))
	}
	return folded(goName) == want.String()
}

// inFile returns a full name without the package of its file.
func inFile(full, pkg protoreflect.FullName) string {
	if pkg == "" {
		return string(full)
	}
	return strings.TrimPrefix(string(full), string(pkg)+".")
}

func folded(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
