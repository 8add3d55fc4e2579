package protofile

import "google.golang.org/protobuf/reflect/protoreflect"

// declarations is a file or a message.
type declarations interface {
	Messages() protoreflect.MessageDescriptors
	Enums() protoreflect.EnumDescriptors
}

// flatten returns the messages and enumerations of a file in the order by which generated Go code
// numbers them: those of one level, and then those inside each message of the level.
func flatten(fd protoreflect.FileDescriptor) (messages []protoreflect.MessageDescriptor, enums []protoreflect.EnumDescriptor) {
	var visit func(declarations)
	visit = func(in declarations) {
		for i := range in.Enums().Len() {
			enums = append(enums, in.Enums().Get(i))
		}
		inner := in.Messages()
		for i := range inner.Len() {
			messages = append(messages, inner.Get(i))
		}
		for i := range inner.Len() {
			visit(inner.Get(i))
		}
	}
	visit(fd)
	return messages, enums
}
