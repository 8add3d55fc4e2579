package protofile

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Option returns the value of an extension in the options of a file, message, field, service or
// other declaration, such as google.api.field_behavior, which is a list of numbers. The extension
// is declared in the declaration's file, or in a file that it imports; if it is not, or if the
// option is not set, Option returns false. An error means that the bytes of the option are damaged.
func Option(d protoreflect.Descriptor, name protoreflect.FullName) (protoreflect.Value, bool, error) {
	v, ok, err := optionIn(visible(d.ParentFile()), d, name)
	if err != nil {
		return v, false, fmt.Errorf("read option %s of %s: %w", name, d.FullName(), err)
	}
	return v, ok, nil
}

// visible returns a file and the files whose declarations it can use: its imports, with those that
// they import publicly, and its imports for options.
func visible(fd protoreflect.FileDescriptor) []protoreflect.FileDescriptor {
	files := []protoreflect.FileDescriptor{fd}
	seen := map[string]bool{fd.Path(): true}
	var add func(imports protoreflect.FileImports, all bool)
	add = func(imports protoreflect.FileImports, all bool) {
		for i := range imports.Len() {
			imp := imports.Get(i)
			if (all || imp.IsPublic) && !seen[imp.Path()] {
				seen[imp.Path()] = true
				files = append(files, imp.FileDescriptor)
				add(imp.Imports(), false)
			}
		}
	}
	add(fd.Imports(), true)
	if options, ok := fd.(interface {
		OptionImports() protoreflect.FileImports
	}); ok {
		add(options.OptionImports(), true)
	}
	return files
}

// optionIn looks for an extension in files, and reads it from the options of a declaration.
func optionIn(files []protoreflect.FileDescriptor, d protoreflect.Descriptor, name protoreflect.FullName) (protoreflect.Value, bool, error) {
	var none protoreflect.Value
	xd := extensionIn(files, name)
	options := d.Options().ProtoReflect()
	if xd == nil || !options.IsValid() || xd.ContainingMessage().FullName() != options.Descriptor().FullName() {
		return none, false, nil
	}
	data, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(options.Interface())
	if err != nil {
		return none, false, err
	}
	xt := dynamicpb.NewExtensionType(xd)
	read := options.New()
	// Only this extension is read, so that a damaged one elsewhere does not matter.
	err = proto.UnmarshalOptions{AllowPartial: true, Resolver: only{xt}}.Unmarshal(data, read.Interface())
	if err != nil || !read.Has(xt.TypeDescriptor()) {
		return none, false, err
	}
	return read.Get(xt.TypeDescriptor()), true, nil
}

// extensionIn returns an extension that one of the files declares, or nil.
func extensionIn(files []protoreflect.FileDescriptor, name protoreflect.FullName) protoreflect.ExtensionDescriptor {
	for _, fd := range files {
		if xd := fd.Extensions().ByName(name.Name()); xd != nil && xd.FullName() == name {
			return xd
		}
		messages, _ := flatten(fd)
		for _, m := range messages {
			if xd := m.Extensions().ByName(name.Name()); xd != nil && xd.FullName() == name {
				return xd
			}
		}
	}
	return nil
}

// only resolves one extension.
type only struct{ protoreflect.ExtensionType }

func (o only) FindExtensionByName(name protoreflect.FullName) (protoreflect.ExtensionType, error) {
	if name == o.TypeDescriptor().FullName() {
		return o.ExtensionType, nil
	}
	return nil, protoregistry.NotFound
}

func (o only) FindExtensionByNumber(in protoreflect.FullName, n protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	if in == o.TypeDescriptor().ContainingMessage().FullName() && n == o.TypeDescriptor().Number() {
		return o.ExtensionType, nil
	}
	return nil, protoregistry.NotFound
}
