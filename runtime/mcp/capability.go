package mcp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// CapabilityError means that the client lacks a capability that the call needs. The functions that
// ask the client return it; handlers return it if [Call.Can] returns false. From revision
// 2026-07-28 on it is a JSON-RPC error; before, the model reads its text.
type CapabilityError struct {
	Capability Capability
	Others     []Capability // further missing capabilities
}

func (e *CapabilityError) all() []Capability {
	return append([]Capability{e.Capability}, e.Others...)
}

// Error names the capabilities.
func (e *CapabilityError) Error() string {
	var names []string
	for _, c := range e.all() {
		names = append(names, string(c))
	}
	if len(names) == 1 {
		return "the client lacks the capability " + names[0]
	}
	return "the client lacks the capabilities " + strings.Join(names, ", ")
}

// data returns the data of the JSON-RPC error: {"requiredCapabilities":
// {"elicitation":{"url":{}}}}.
func (e *CapabilityError) data() json.RawMessage {
	parts := map[string][]string{}
	for _, c := range e.all() {
		name, part, found := strings.Cut(string(c), ".")
		if parts[name] == nil {
			parts[name] = []string{}
		}
		if found && !slices.Contains(parts[name], part) {
			parts[name] = append(parts[name], part)
		}
	}
	b := []byte(`{"requiredCapabilities":{`)
	for i, name := range slices.Sorted(maps.Keys(parts)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, name)
		b = append(b, ":{"...)
		for k, part := range parts[name] {
			if k > 0 {
				b = append(b, ',')
			}
			b = wire.AppendString(b, part)
			b = append(b, ":{}"...)
		}
		b = append(b, '}')
	}
	return append(b, "}}"...)
}

// requires returns an error if the client lacks one of the capabilities.
func (x *exchange) requires(capabilities ...Capability) error {
	var missing []Capability
	for _, capability := range capabilities {
		if !x.call.Can(capability) {
			missing = append(missing, capability)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return lacking(missing)
}

// lacking returns the error for capabilities that a client lacks, each named once.
func lacking(missing []Capability) *CapabilityError {
	var once []Capability
	for _, capability := range missing {
		if !slices.Contains(once, capability) {
			once = append(once, capability)
		}
	}
	return &CapabilityError{Capability: once[0], Others: once[1:]}
}
