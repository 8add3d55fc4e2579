package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Meta is metadata of a result or a content block (basic, _meta). Your own keys begin with a
// reversed domain name and a slash: com.example/trace. Values are JSON.
//
// A key with invalid syntax, or one that the specification reserves, is not sent: a result with
// one becomes an error, and the registration of a feature with one panics. Keys below a reserved
// prefix, such as io.modelcontextprotocol, are for servers that declare an extension with that
// prefix (see [WithExtension]).
type Meta map[string]json.RawMessage

// metaProblems is the key of the list of problems of the arguments of a failed call, as objects
// with path, rule and message.
const metaProblems = "io.github.mcpgen/problems"

// reservedMeta are the keys that the specification defines. The values of a trace have a syntax of
// their own.
var reservedMeta = map[string]bool{
	"progressToken":                   true,
	protocol.MetaVersion:              true,
	protocol.MetaClientInfo:           true,
	protocol.MetaCapabilities:         true,
	protocol.MetaLogLevel:             true,
	protocol.MetaServerInfo:           true,
	protocol.MetaSubscription:         true,
	protocol.MetaRelatedTask:          true,
	protocol.MetaModelImmediateAnswer: true,
}

// check returns an error for a key that authors cannot write, or a value that is not JSON
// (basic, _meta). Keys below a reserved prefix need an extension with that prefix.
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
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		prefix, name = "", key
	}
	switch {
	case prefixed && !isMetaPrefix(prefix):
		return fmt.Errorf("the _meta key %q has a wrong prefix: it must be labels of letters, digits and hyphens, joined by dots, such as com.example", key)
	case !isMetaName(name):
		return fmt.Errorf("the _meta key %q has a wrong name: it must begin and end with a letter or digit, and have only those and . _ - between", key)
	case reservedMeta[key]:
		return fmt.Errorf("the _meta key %q belongs to the protocol: leave it out", key)
	case prefixed && isReservedPrefix(prefix):
		for extension := range declared {
			if of, _, _ := strings.Cut(extension, "/"); of == prefix {
				return nil
			}
		}
		return fmt.Errorf("the _meta key %q has a prefix that the specification reserves: use your own domain, such as com.example/%s, or declare the extension that has the key", key, name)
	}
	return nil
}

// isMetaPrefix reports whether a prefix is a series of labels.
func isMetaPrefix(prefix string) bool {
	for label := range strings.SplitSeq(prefix, ".") {
		if label == "" || !isLetter(label[0]) || !isAlphanumeric(label[len(label)-1]) {
			return false
		}
		for i := range len(label) {
			if c := label[i]; c != '-' && !isAlphanumeric(c) {
				return false
			}
		}
	}
	return true
}

// isMetaName reports whether a name is valid after a prefix, or without one.
func isMetaName(name string) bool {
	if name == "" {
		return true
	}
	for i := range len(name) {
		if c := name[i]; !isAlphanumeric(c) && (i == 0 || i == len(name)-1 || strings.IndexByte("-_.", c) < 0) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isAlphanumeric(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' }

// isReservedPrefix reports whether a prefix is reserved by its second label, as from revision
// 2025-11-25 on.
func isReservedPrefix(prefix string) bool {
	_, rest, _ := strings.Cut(prefix, ".")
	second, _, _ := strings.Cut(rest, ".")
	return isReservedLabel(second)
}

// wasReservedPrefix reports whether a prefix is reserved in revision 2025-06-18: by
// any label but the last one.
func wasReservedPrefix(prefix string) bool {
	labels := strings.Split(prefix, ".")
	return slices.ContainsFunc(labels[:len(labels)-1], isReservedLabel)
}

func isReservedLabel(label string) bool {
	return strings.EqualFold(label, "modelcontextprotocol") || strings.EqualFold(label, "mcp")
}

// checkMetaValue returns an error for a value that is not JSON, or invalid for its key.
func checkMetaValue(key string, value json.RawMessage) error {
	if err := wire.Valid(value, 0); err != nil {
		return fmt.Errorf("the value of the _meta key %q: %w", key, err)
	}
	switch key {
	case "traceparent", "tracestate", "baggage":
		text, ok := jsonrpc.String(value)
		if !ok || !isTraceField(key, text) {
			return fmt.Errorf("the value of the _meta key %q does not have the form of W3C Trace Context or Baggage", key)
		}
	}
	return nil
}

// isTraceField reports whether a text is a header field of W3C Trace Context or
// Baggage.
func isTraceField(key, text string) bool {
	if key == "traceparent" {
		return isTraceParent(text)
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f {
			return false
		}
	}
	for member := range strings.SplitSeq(text, ",") {
		name, _, ok := strings.Cut(strings.TrimSpace(member), "=")
		if strings.TrimSpace(member) != "" && (!ok || name == "") {
			return false
		}
	}
	return true
}

// isTraceParent reads version, trace, parent and flags. Later versions may have more.
func isTraceParent(text string) bool {
	parts := strings.Split(text, "-")
	if len(parts) < 4 || parts[0] == "ff" || parts[0] == "00" && len(parts) > 4 {
		return false
	}
	for i, size := range [...]int{2, 32, 16, 2} {
		zero := true
		for k := range len(parts[i]) {
			c := parts[i][k]
			if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
				return false
			}
			zero = zero && c == '0'
		}
		if len(parts[i]) != size || zero && (size == 32 || size == 16) {
			return false
		}
	}
	return true
}

// appendMeta writes the members of m in order of their keys. With more set, other members precede
// them. Keys that only the revision reserves are left out.
func (r *rendering) appendMeta(b []byte, m Meta, more bool) []byte {
	if len(m) == 0 {
		return b
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if r.server != nil { // else it has been checked at registration
			if err := checkMetaKey(key, r.server.extensions.settings); err != nil {
				r.fail(err)
				continue
			}
			if err := checkMetaValue(key, m[key]); err != nil {
				r.fail(err)
				continue
			}
		}
		prefix, _, prefixed := strings.Cut(key, "/")
		if prefixed && r.revision.Fields.ForwardPrefixes && !isReservedPrefix(prefix) && wasReservedPrefix(prefix) {
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
