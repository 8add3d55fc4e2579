package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Meta is metadata of a result or a content block (basic, _meta). Keys of applications begin with a
// reversed domain name and a slash: com.example/trace. Values are JSON.
//
// A key with invalid syntax, or one that the specification reserves, is not sent: a result with one
// becomes an error, and the registration of a feature with one panics. Keys below a reserved
// prefix, such as io.modelcontextprotocol, are for servers that declare an extension with that
// prefix (see [WithExtension]).
type Meta map[string]json.RawMessage

// metaProblems is the key of the list of problems of the arguments of a failed call, as objects
// with path, rule and message.
const metaProblems = "io.github.mcpgen/problems"

// check returns an error for a key that authors cannot write, or a value that is not JSON (basic,
// _meta). Keys below a reserved prefix need an extension with that prefix.
func (m Meta) check(declared map[string]json.RawMessage) error {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if err := checkMetaKey(key, declared); err != nil {
			return err
		}
		if err := checkMetaValue(key, m[key]); err != nil {
			return err
		}
	}
	return nil
}

func checkMetaKey(key string, declared map[string]json.RawMessage) error {
	if fault := valid.MetaKey(key); fault != nil {
		return fault
	}
	prefix, reserved := valid.ReservedPrefix(key)
	if !reserved {
		return nil
	}
	for extension := range declared {
		if of, _, _ := strings.Cut(extension, "/"); of == prefix {
			return nil
		}
	}
	return fmt.Errorf("the _meta key %q has a prefix that the specification reserves: use your own domain, such as com.example/%s, or declare the extension that has the key", key, key[len(prefix)+1:])
}

// wasReservedPrefix reports whether a prefix is reserved in revision 2025-06-18: by any label but
// the last one.
func wasReservedPrefix(prefix string) bool {
	labels := strings.Split(prefix, ".")
	return slices.ContainsFunc(labels[:len(labels)-1], valid.IsReservedLabel)
}

// checkMetaValue returns an error for a value that is not JSON, or invalid for its key.
func checkMetaValue(key string, value json.RawMessage) error {
	if err := wire.Valid(value, 0); err != nil {
		return fmt.Errorf("the value of the _meta key %q: %w", key, err)
	}
	if valid.IsTraceKey(key) {
		if text, ok := jsonrpc.String(value); !ok || !valid.IsTraceField(key, text) {
			return fmt.Errorf("the value of the _meta key %q does not have the form of W3C Trace Context or Baggage", key)
		}
	}
	return nil
}

// appendMeta writes the members of m in order of their keys. With more set, other members precede
// them. Keys that only the revision reserves are left out.
func (r *rendering) appendMeta(b []byte, m Meta, more bool) []byte {
	if len(m) == 0 {
		return b
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if r.by != nil { // else it has been checked at registration
			if err := checkMetaKey(key, r.by.declared); err != nil {
				r.fail(err)
				continue
			}
			if err := checkMetaValue(key, m[key]); err != nil {
				r.fail(err)
				continue
			}
		}
		if prefix, reserved := valid.ReservedPrefix(key); !reserved && r.revision.Fields.ForwardPrefixes && len(prefix) < len(key) && wasReservedPrefix(prefix) {
			continue
		}
		if more {
			b = append(b, ',')
		}
		more = true
		b = wire.AppendString(b, key)
		b = append(b, ':')
		b = wire.AppendCompact(b, m[key])
	}
	return b
}

// compact checks JSON from outside and removes line breaks, which would break the framing.
func compact(value json.RawMessage) (json.RawMessage, error) {
	if err := wire.Valid(value, 0); err != nil {
		return nil, err
	}
	if !slices.Contains(value, '\n') && !slices.Contains(value, '\r') {
		return value, nil
	}
	return wire.AppendCompact(nil, value), nil
}
