package mcphttp

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/link"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Header fields that repeat what is in the body, for whoever routes requests
// without reading bodies (2026-07-28, streamable HTTP, request metadata). Keys are
// canonical.
const (
	methodHeader = "Mcp-Method"
	nameHeader   = "Mcp-Name"
	paramHeader  = "Mcp-Param-" // and the name that the tool's schema gives
)

// checkMirrors compares the header fields of a request with its body: those that
// every request has, and those of the arguments of the tool that it calls. Other
// messages pass.
func checkMirrors(h http.Header, m *jsonrpc.Message, params []link.HeaderParam) *jsonrpc.Error {
	if err := checkRequestMirrors(h, m); err != nil {
		return err
	}
	return checkParamMirrors(h, m, params)
}

// checkRequestMirrors compares Mcp-Method and Mcp-Name. That a request has no name
// where it should is not found here.
func checkRequestMirrors(h http.Header, m *jsonrpc.Message) *jsonrpc.Error {
	if m.Kind != jsonrpc.Request {
		return nil
	}
	method := mirror{header: methodHeader, values: h[methodHeader], body: "method", text: string(m.Method), kind: stringValue}
	if err := method.check(); err != nil {
		return err
	}
	var member string
	switch string(m.Method) {
	case "tools/call", "prompts/get":
		member = "name"
	case "resources/read":
		member = "uri"
	default:
		return nil
	}
	name := mirror{header: nameHeader, values: h[nameHeader], body: "params." + member, encoded: true}
	name.read(m.Params.Get(member))
	return name.check()
}

// checkParamMirrors compares the fields of arguments. The arguments may not have
// been checked yet: what is wrong with them comes before what is wrong with a
// header field, and what is wrong with them but matches is found later.
func checkParamMirrors(h http.Header, m *jsonrpc.Message, params []link.HeaderParam) *jsonrpc.Error {
	if m.Kind != jsonrpc.Request || len(params) == 0 {
		return nil
	}
	arguments := m.Params.Get("arguments")
	if len(arguments) > 0 && arguments[0] != '{' {
		return nil // the server refuses them
	}
	for i := range params {
		p := &params[i]
		c := mirror{header: p.Header, values: h[p.Header], encoded: true, path: p.Path}
		c.read(valueAt(arguments, p.Path))
		err := c.check()
		if err == nil {
			continue
		}
		if broken := m.Params.Check(0); broken != nil {
			return broken
		}
		return err
	}
	return nil
}

// valueAt returns the value of a property, nil where there is none.
func valueAt(object []byte, path []string) []byte {
	for _, name := range path {
		var found []byte
		jsonrpc.Members(object, func(have, value []byte) bool {
			if string(have) != name {
				return true
			}
			found = value
			return false
		})
		object = found
	}
	return object
}

// valueKind is what a body has to compare with.
type valueKind byte

const (
	noValue valueKind = iota // absent, or null
	stringValue
	numberValue
	wordValue  // true or false
	otherValue // an object or an array
)

// mirror compares one header field with the member of the body that it repeats.
type mirror struct {
	header  string
	values  []string
	encoded bool // the field may have a sentinel

	body string   // the member, for messages
	path []string // instead of body, of an argument
	kind valueKind
	text string // of the string, or the JSON text of other values
}

// read takes the value of the member.
func (c *mirror) read(value []byte) {
	switch {
	case len(value) == 0 || string(value) == "null":
		return
	case value[0] == '"':
		c.kind = stringValue
		c.text, _ = jsonrpc.String(value)
		return
	case value[0] == '{', value[0] == '[':
		c.kind = otherValue
		return
	case value[0] == 't', value[0] == 'f':
		c.kind = wordValue
	default:
		c.kind = numberValue
	}
	c.text = string(value)
}

func (c *mirror) check() *jsonrpc.Error {
	switch len(c.values) {
	case 0:
		switch c.kind {
		case noValue:
			return nil
		case otherValue:
			return c.mismatch("is missing, and %s is nothing that it could repeat", c.member())
		}
		return c.mismatch("is missing: it must repeat %s, which is %s", c.member(), clip(c.text))
	case 1:
	default:
		return c.mismatch("is there %d times: it must be there once", len(c.values))
	}
	value, ok := strings.Trim(c.values[0], " \t"), true
	if c.encoded {
		value, ok = decodeHeader(value)
	}
	switch {
	case !ok:
		return c.mismatch("is malformed: want visible ASCII, or padded base64 of UTF-8 between %s and %s", sentinelPrefix, sentinelSuffix)
	case c.kind == noValue:
		return c.mismatch("is %s, but there is no %s", clip(value), c.member())
	case c.kind == otherValue:
		return c.mismatch("is %s, but %s is an object or an array", clip(value), c.member())
	case value == c.text, c.kind == numberValue && sameNumber(value, c.text):
		return nil
	}
	return c.mismatch("is %s, but %s is %s", clip(value), c.member(), clip(c.text))
}

func (c *mirror) member() string {
	if c.body != "" {
		return c.body
	}
	return "params.arguments." + strings.Join(c.path, ".")
}

func (c *mirror) mismatch(format string, args ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: protocol.CodeHeaderMismatch, Message: "header " + c.header + " " + fmt.Sprintf(format, args...)}
}

// longestEcho is how many bytes of a value a message repeats.
const longestEcho = 64

func clip(s string) string {
	if len(s) > longestEcho {
		return strconv.Quote(s[:longestEcho]) + "..."
	}
	return strconv.Quote(s)
}

// sameNumber reports whether two texts are JSON numbers of the same value, without
// rounding either.
func sameNumber(a, b string) bool {
	x, ok := parseDecimal(a)
	if !ok {
		return false
	}
	y, ok := parseDecimal(b)
	return ok && x == y
}

// decimal is a number as digits × 10^exponent, in one way only: the digits neither
// begin nor end with a zero, and zero has none.
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

// parseDecimal reads a number as JSON spells it (RFC 8259, section 6).
func parseDecimal(s string) (d decimal, ok bool) {
	s, d.negative = strings.CutPrefix(s, "-")
	mantissa := s
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exponent, err := strconv.ParseInt(s[i+1:], 10, 32)
		if err != nil {
			return decimal{}, false
		}
		mantissa, d.exponent = s[:i], exponent
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	switch {
	case !isDigits(whole), whole[0] == '0' && len(whole) > 1, point && !isDigits(fraction):
		return decimal{}, false
	}
	d.exponent -= int64(len(fraction))
	d.digits = strings.TrimRight(whole+fraction, "0")
	d.exponent += int64(len(whole) + len(fraction) - len(d.digits))
	d.digits = strings.TrimLeft(d.digits, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
