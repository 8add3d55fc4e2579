// Package protofile reads the descriptors of protobuf messages from the source of generated Go
// files, without running code of the user.
//
// protoc-gen-go writes the descriptor of a .proto file into the Go file as a string or a list of
// bytes. A [Finder] reads it there, in the files that the go command lists for a package, and
// resolves its imports through the imports of the same Go file. Two packages of one program may
// contain a file with the same path (google/protobuf/timestamp.proto of google.golang.org/protobuf
// and of gogo), so no table of paths is kept beyond a package.
//
// A message is found from its Go type by the index in its method ProtoReflect, and the tags of the
// Go struct are compared with the fields of the descriptor. Comments come from the Go code, or from
// a file of descriptors that protoc or buf wrote ([ReadSet]), which precedes the Go code.
package protofile
