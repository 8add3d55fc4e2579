package mcptest

import (
	"encoding/json"
	"errors"
)

// The shapes below are for the examples of the specification: package mcpclient has no types for
// them.

// wireError is the JSON form of an error.
type wireError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// root is the JSON form of a root.
type root struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// inputRequest is a request of the server inside a result.
type inputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// roundResult is a result that requires input (basic/patterns/mrtr).
type roundResult struct {
	Type     string                  `json:"resultType"`
	Requests map[string]inputRequest `json:"inputRequests,omitempty"`
	State    json.RawMessage         `json:"requestState,omitempty"`
}

// inputRequired reads a result that requires input.
func inputRequired(raw json.RawMessage) (*roundResult, error) {
	var r roundResult
	if err := read(raw, &r); err != nil {
		return nil, err
	}
	if r.Type != "input_required" {
		return nil, errors.New("the result requires no input")
	}
	return &r, nil
}
