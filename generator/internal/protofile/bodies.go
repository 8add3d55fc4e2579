package protofile

import "bytes"

// readMethods are the beginnings of the methods whose bodies are read.
var readMethods = [][]byte{[]byte(") ProtoReflect() "), []byte(") Descriptor() "), []byte(") is")}

// withoutBodies returns a formatted Go file without the functions that are not read, which are most
// of a generated file. Lines keep their numbers. If the file is not formatted as gofmt does, it is
// returned as it is.
func withoutBodies(src []byte) []byte {
	out := make([]byte, 0, len(src))
	inside := false
	for line := range bytes.Lines(src) {
		text := bytes.TrimRight(line, "\r\n")
		begins := bytes.HasPrefix(text, []byte("func "))
		switch {
		case inside && bytes.Equal(text, []byte("}")):
			inside = false
		case inside:
			if begins || declares(text) {
				return src
			}
		case begins && !isRead(text):
			inside = !bytes.HasSuffix(text, []byte("}"))
		default:
			out = append(out, line...)
			continue
		}
		out = append(out, '\n')
	}
	if inside {
		return src
	}
	return out
}

// declares reports whether a line begins another declaration of a formatted file.
func declares(line []byte) bool {
	for _, word := range []string{"type ", "const ", "var ", "//"} {
		if bytes.HasPrefix(line, []byte(word)) {
			return true
		}
	}
	return false
}

func isRead(line []byte) bool {
	for _, name := range readMethods {
		if bytes.Contains(line, name) {
			return true
		}
	}
	return false
}
