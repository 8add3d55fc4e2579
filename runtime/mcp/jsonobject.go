package mcp

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// given returns a member of a JSON object that was found valid, nil if it is missing or null.
func given(object []byte, key string) json.RawMessage {
	if value := member(object, key); !isNull(value) {
		return value
	}
	return nil
}

func isNull(value []byte) bool { return string(value) == "null" }

// member returns a member of a JSON object that was found valid.
func member(object []byte, key string) json.RawMessage {
	var found json.RawMessage
	jsonrpc.Members(object, func(name, value []byte) bool {
		if string(name) == key {
			found = value
		}
		return found == nil
	})
	return found
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// comma separates from what has been written since start.
func comma(b []byte, start int) []byte {
	if len(b) > start {
		return append(b, ',')
	}
	return b
}

// appendText writes a member after others, unless the text is empty.
func appendText(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	return wire.AppendString(b, text)
}
