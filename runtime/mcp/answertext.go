package mcp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// isObjectText reports whether an answer is an object, as all results are.
func isObjectText(value json.RawMessage) error {
	if !jsonobject.Is(value) {
		return errors.New("it must be an object")
	}
	return nil
}

// memberText returns a member that must be a string.
func memberText(object []byte, name string) (string, error) {
	text, ok := jsonrpc.String(jsonobject.Member(object, name))
	if !ok {
		return "", fmt.Errorf("%s must be a string", name)
	}
	return text, nil
}
