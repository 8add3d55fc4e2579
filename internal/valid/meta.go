package valid

import (
	"fmt"
	"strings"
)

// reservedKeys are the keys of metadata that the specification defines (basic, _meta).
var reservedKeys = map[string]bool{
	"progressToken": true,
	"io.modelcontextprotocol/protocolVersion":    true,
	"io.modelcontextprotocol/clientInfo":         true,
	"io.modelcontextprotocol/clientCapabilities": true,
	"io.modelcontextprotocol/logLevel":           true,
	"io.modelcontextprotocol/serverInfo":         true,
	"io.modelcontextprotocol/subscriptionId":     true,
	"io.modelcontextprotocol/related-task":       true,

	"io.modelcontextprotocol/model-immediate-response": true,
}

// MetaKey returns the fault of a metadata key, or nil: invalid syntax, or a key that belongs to the
// protocol. A key with a reserved prefix also needs an extension; see [ReservedPrefix].
func MetaKey(key string) *Fault {
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		prefix, name = "", key
	}
	switch {
	case prefixed && !IsMetaPrefix(prefix):
		return &Fault{
			fmt.Sprintf("the _meta key %q has a wrong prefix", key),
			"it must be labels of letters, digits and hyphens, joined by dots, such as com.example",
		}
	case !IsMetaName(name):
		return &Fault{
			fmt.Sprintf("the _meta key %q has a wrong name", key),
			"it must begin and end with a letter or digit, and have only those and . _ - between",
		}
	case reservedKeys[key]:
		return &Fault{fmt.Sprintf("the _meta key %q belongs to the protocol", key), "leave it out"}
	}
	return nil
}

// IsMetaPrefix reports whether a prefix is a series of labels.
func IsMetaPrefix(prefix string) bool {
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

// IsMetaName reports whether a name is valid after a prefix, or without one.
func IsMetaName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isAlphanumeric(c) && (i == 0 || i == len(name)-1 || strings.IndexByte("-_.", c) < 0) {
			return false
		}
	}
	return true
}

// ReservedPrefix returns the prefix of a key if the specification reserves it by its second label,
// as from revision 2025-11-25 on. Only servers that declare an extension with the prefix may use
// such keys.
func ReservedPrefix(key string) (prefix string, reserved bool) {
	prefix, _, prefixed := strings.Cut(key, "/")
	_, rest, _ := strings.Cut(prefix, ".")
	second, _, _ := strings.Cut(rest, ".")
	return prefix, prefixed && IsReservedLabel(second)
}

// IsReservedLabel reports whether a label belongs to the protocol.
func IsReservedLabel(label string) bool {
	return strings.EqualFold(label, "modelcontextprotocol") || strings.EqualFold(label, "mcp")
}

// IsTraceKey reports whether the value of a key is a string in the form of W3C Trace Context or
// Baggage.
func IsTraceKey(key string) bool {
	return key == "traceparent" || key == "tracestate" || key == "baggage"
}

// IsTraceField reports whether a text is valid for the header field that a trace key names; see
// [IsTraceKey].
func IsTraceField(key, text string) bool {
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

// isTraceParent reports whether a text consists of version, trace, parent and flags. Later versions
// may have more fields.
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
