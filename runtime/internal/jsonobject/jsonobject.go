// Package jsonobject reads and writes members of JSON objects in their text.
package jsonobject

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Given returns a member of a JSON object that was found valid, or nil if it is missing or null.
func Given(object []byte, key string) json.RawMessage {
	if value := Member(object, key); !IsNull(value) {
		return value
	}
	return nil
}

// IsNull reports whether a value is null.
func IsNull(value []byte) bool { return string(value) == "null" }

// Member returns a member of a JSON object that was found valid.
func Member(object []byte, key string) json.RawMessage {
	var found json.RawMessage
	jsonrpc.Members(object, func(name, value []byte) bool {
		if string(name) == key {
			found = value
		}
		return found == nil
	})
	return found
}

// Is reports whether a value that was found valid is an object.
func Is(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// Comma appends a comma if text has been written since start.
func Comma(b []byte, start int) []byte {
	if len(b) > start {
		return append(b, ',')
	}
	return b
}

// AppendText writes a member after others, unless the text is empty.
func AppendText(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	return wire.AppendString(b, text)
}
