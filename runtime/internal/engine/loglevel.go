package engine

import (
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// noLevel is above all levels, so that no message is sent.
const noLevel = 127

// ReadLevel reads the name of a level.
func ReadLevel(value []byte) (int8, bool) {
	name, ok := jsonrpc.Bytes(value)
	for i, level := range protocol.Levels {
		if ok && string(name) == level {
			return int8(i), true
		}
	}
	return 0, false
}

// UnknownLevel returns the error for a level that the protocol does not define.
func UnknownLevel(where string) *jsonrpc.Error {
	text := where + " must be one of"
	for i, level := range protocol.Levels {
		if i > 0 {
			text += ","
		}
		text += " " + level
	}
	return InvalidParams(text)
}
