package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Meta is metadata beside a result or a content block (basic, _meta). Keys of
// your own begin with a reversed domain name and a slash: com.example/trace.
// Values are JSON.
type Meta map[string]json.RawMessage

// metaProblems is the key under which a failed call carries the list of what is
// wrong with its arguments, as objects with path, rule and message.
const metaProblems = "io.github.mcpgen/problems"

// appendMeta writes the members of m in order of their keys. With more set,
// others stand before.
func (r *rendering) appendMeta(b []byte, m Meta, more bool) []byte {
	if len(m) == 0 {
		return b
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		value, err := compact(m[key])
		if err != nil {
			r.fail(fmt.Errorf("write _meta %q: %w", key, err))
			continue
		}
		if more {
			b = append(b, ',')
		}
		more = true
		b = wire.AppendString(b, key)
		b = append(b, ':')
		b = append(b, value...)
	}
	return b
}

// compact checks JSON from outside and removes what could break the framing.
func compact(value json.RawMessage) (json.RawMessage, error) {
	if err := wire.Valid(value, 0); err != nil {
		return nil, err
	}
	if !slices.Contains(value, '\n') && !slices.Contains(value, '\r') {
		return value, nil
	}
	return wire.AppendCompact(nil, value), nil
}
