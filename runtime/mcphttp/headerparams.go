package mcphttp

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Header fields that repeat parts of the body, for proxies that route requests without
// reading bodies (2026-07-28, streamable HTTP, request metadata). Keys are canonical.
const (
	methodHeader = "Mcp-Method"
	nameHeader   = "Mcp-Name"
	paramHeader  = "Mcp-Param-" // followed by the name that the tool's schema gives
)

// checkHeaders compares the header fields of a request with its body: the fields that
// every request has, and those of the arguments of the tool that it calls. Other
// messages pass.
func checkHeaders(h http.Header, m *jsonrpc.Message, params []toolschema.HeaderParam) *jsonrpc.Error {
	if m.Kind != jsonrpc.Request {
		return nil
	}
	if err := checkRequestHeaders(h, m); err != nil {
		return err
	}
	return checkParamHeaders(h, m, params)
}

// checkRequestHeaders compares Mcp-Method and Mcp-Name. A request that lacks its name
// passes here.
func checkRequestHeaders(h http.Header, m *jsonrpc.Message) *jsonrpc.Error {
	method := headerCheck{header: methodHeader, values: h[methodHeader], body: "method", text: string(m.Method), kind: stringValue}
	if err := method.check(); err != nil {
		return err
	}
	member := nameMember(string(m.Method))
	if member == "" {
		return nil
	}
	name := headerCheck{header: nameHeader, values: h[nameHeader], body: "params." + member, encoded: true}
	name.read(m.Params.Get(member))
	return name.check()
}

// nameMember returns the member of params that Mcp-Name repeats, "" for methods without it.
func nameMember(method string) string {
	switch method {
	case "tools/call", "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		return "taskId"
	}
	return ""
}

// checkParamHeaders compares the fields of arguments, which may not have been validated
// yet. Malformed params are reported before a header mismatch. An invalid argument that
// matches its header is reported later, by the server.
func checkParamHeaders(h http.Header, m *jsonrpc.Message, params []toolschema.HeaderParam) *jsonrpc.Error {
	if len(params) == 0 {
		return nil
	}
	arguments := m.Params.Get("arguments")
	if len(arguments) > 0 && arguments[0] != '{' {
		return nil // the server reports the error
	}
	return checkArguments(h, m, params, arguments, true)
}

// checkForwardedHeaders compares the fields of arguments of a tool that another tool calls. The client
// has not listed that tool, so fields may be missing; those that there are must match.
func checkForwardedHeaders(h http.Header, m *jsonrpc.Message, params []toolschema.HeaderParam, arguments []byte) *jsonrpc.Error {
	if len(params) == 0 {
		return nil
	}
	return checkArguments(h, m, params, arguments, false)
}

// checkArguments compares the fields of arguments.
func checkArguments(h http.Header, m *jsonrpc.Message, params []toolschema.HeaderParam, arguments []byte, required bool) *jsonrpc.Error {
	values := paramValues(arguments, params)
	for i := range params {
		p := &params[i]
		if !required && len(h[p.Header]) == 0 {
			continue
		}
		c := headerCheck{header: p.Header, values: h[p.Header], encoded: true, path: p.Path}
		c.read(values[i])
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

// paramValues returns the value of each param, nil where one is absent.
func paramValues(arguments []byte, params []toolschema.HeaderParam) [][]byte {
	values := make([][]byte, len(params))
	all := make([]int, len(params))
	for i := range all {
		all[i] = i
	}
	findValues(arguments, params, 0, all, values)
	return values
}

// findValues sets the values of those params whose indexes are given, nil where one is
// absent. It reads an object once for all of them, since arguments may be megabytes and
// params dozens. The object is at the given depth of their paths.
func findValues(object []byte, params []toolschema.HeaderParam, depth int, indexes []int, values [][]byte) {
	jsonrpc.Members(object, func(member, value []byte) bool {
		var inner []int
		indexes = slices.DeleteFunc(indexes, func(i int) bool {
			path := params[i].Path
			switch {
			case string(member) != path[depth]:
				return false
			case depth == len(path)-1:
				values[i] = value
			default:
				inner = append(inner, i)
			}
			return true // of equal names the first one counts
		})
		if len(inner) > 0 {
			findValues(value, params, depth+1, inner, values)
		}
		return len(indexes) > 0
	})
}

// valueKind is the kind of value in the body.
type valueKind byte

const (
	noValue valueKind = iota // absent, or null
	stringValue
	numberValue
	boolValue  // true or false
	otherValue // an object or an array
)

// headerCheck compares one header field with the member of the body that it repeats.
type headerCheck struct {
	header  string
	values  []string
	encoded bool // the field may be base64

	body string   // name of the member, for messages
	path []string // in the place of body: path of the argument
	kind valueKind
	text string // of a string; of other values the JSON text
}

// read sets kind and text from the member's value.
func (c *headerCheck) read(value []byte) {
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
		c.kind = boolValue
	default:
		c.kind = numberValue
	}
	c.text = string(value)
}

func (c *headerCheck) check() *jsonrpc.Error {
	switch len(c.values) {
	case 0:
		switch c.kind {
		case noValue:
			return nil
		case otherValue:
			return c.mismatch("is missing, and %s cannot be repeated in a header", c.member())
		}
		return c.mismatch("is missing: it must repeat %s, which is %s", c.member(), clip(c.text))
	case 1:
	default:
		return c.mismatch("occurs %d times: it must occur once", len(c.values))
	}
	value, ok := strings.Trim(c.values[0], " \t"), true
	if c.encoded {
		value, ok = decodeHeader(value)
	}
	switch {
	case !ok:
		return c.mismatch("is malformed: want visible ASCII, or padded base64 of UTF-8 between %s and %s", base64Prefix, base64Suffix)
	case c.kind == noValue:
		return c.mismatch("is %s, but there is no %s", clip(value), c.member())
	case c.kind == otherValue:
		return c.mismatch("is %s, but %s is an object or an array", clip(value), c.member())
	case value == c.text, c.kind == numberValue && sameNumber(value, c.text):
		return nil
	}
	return c.mismatch("is %s, but %s is %s", clip(value), c.member(), clip(c.text))
}

func (c *headerCheck) member() string {
	if c.body != "" {
		return c.body
	}
	return "params.arguments." + strings.Join(c.path, ".")
}

func (c *headerCheck) mismatch(format string, args ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: protocol.CodeHeaderMismatch, Message: "header " + c.header + " " + fmt.Sprintf(format, args...)}
}

// maxQuoted is how many bytes of a value a message repeats.
const maxQuoted = 64

func clip(s string) string {
	if len(s) > maxQuoted {
		return strconv.Quote(s[:maxQuoted]) + "..."
	}
	return strconv.Quote(s)
}

// sameNumber reports whether two texts are JSON numbers of the same value. It compares
// without rounding.
func sameNumber(a, b string) bool {
	x, ok := parseDecimal(a)
	if !ok {
		return false
	}
	y, ok := parseDecimal(b)
	return ok && x == y
}

// decimal is digits × 10^exponent in normal form: digits have no zero at either end,
// and zero has no digits.
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

// parseDecimal parses a JSON number (RFC 8259, section 6).
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
