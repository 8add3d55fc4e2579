package protofile

import (
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// firstInvalid is the first number that no field can have, except extensions of a MessageSet.
const firstInvalid = 1 << 29

// withoutSets returns a file in which every MessageSet, the predecessor of extensions, is a message
// with extensions, and the names of those messages. Package protodesc refuses a whole file for one
// of them, and the other messages of the file have nothing to do with it. Extensions with numbers
// that only a MessageSet can have are left out.
func withoutSets(fd *descriptorpb.FileDescriptorProto) (*descriptorpb.FileDescriptorProto, map[protoreflect.FullName]bool) {
	sets := map[protoreflect.FullName]bool{}
	eachMessage(fd, func(name protoreflect.FullName, m *descriptorpb.DescriptorProto) {
		if m.GetOptions().GetMessageSetWireFormat() {
			sets[name] = true
		}
	})
	tooLarge := func(x *descriptorpb.FieldDescriptorProto) bool { return x.GetNumber() >= firstInvalid }
	if len(sets) == 0 && !hasExtension(fd, tooLarge) {
		return fd, nil
	}
	fd = proto.CloneOf(fd)
	fd.Extension = slices.DeleteFunc(fd.Extension, tooLarge)
	eachMessage(fd, func(name protoreflect.FullName, m *descriptorpb.DescriptorProto) {
		m.Extension = slices.DeleteFunc(m.Extension, tooLarge)
		if !sets[name] {
			return
		}
		m.Options.MessageSetWireFormat = nil
		m.ExtensionRange = slices.DeleteFunc(m.ExtensionRange, func(r *descriptorpb.DescriptorProto_ExtensionRange) bool {
			return r.GetStart() >= firstInvalid
		})
		for _, r := range m.ExtensionRange {
			r.End = proto.Int32(min(r.GetEnd(), firstInvalid))
		}
	})
	return fd, sets
}

func hasExtension(fd *descriptorpb.FileDescriptorProto, is func(*descriptorpb.FieldDescriptorProto) bool) bool {
	found := slices.ContainsFunc(fd.GetExtension(), is)
	eachMessage(fd, func(_ protoreflect.FullName, m *descriptorpb.DescriptorProto) {
		found = found || slices.ContainsFunc(m.GetExtension(), is)
	})
	return found
}

// eachMessage calls a function for the messages of a file, also those inside others.
func eachMessage(fd *descriptorpb.FileDescriptorProto, do func(protoreflect.FullName, *descriptorpb.DescriptorProto)) {
	var each func(in protoreflect.FullName, list []*descriptorpb.DescriptorProto)
	each = func(in protoreflect.FullName, list []*descriptorpb.DescriptorProto) {
		for _, m := range list {
			name := in.Append(protoreflect.Name(m.GetName()))
			do(name, m)
			each(name, m.GetNestedType())
		}
	}
	each(protoreflect.FullName(fd.GetPackage()), fd.GetMessageType())
}
