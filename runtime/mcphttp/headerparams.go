package mcphttp

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// checkHeaders compares the header fields of a request with its body: the fields of every request,
// and the fields for the arguments of the called tool. Other messages pass.
func checkHeaders(h http.Header, m *jsonrpc.Message, params []toolschema.HeaderParam) *jsonrpc.Error {
	if m.Kind != jsonrpc.Request {
		return nil
	}
	if err := checkRequestHeaders(h, m); err != nil {
		return err
	}
	return checkParamHeaders(h, m, params)
}

// checkRequestHeaders compares Mcp-Method and Mcp-Name. A request that lacks its name passes here.
func checkRequestHeaders(h http.Header, m *jsonrpc.Message) *jsonrpc.Error {
	method := headerCheck{header: httpfield.Method, values: h[httpfield.Method], body: "method"}
	method.want = httpfield.Value{Kind: httpfield.String, Text: string(m.Method)}
	if err := method.check(); err != nil {
		return err
	}
	member := httpfield.NameMember(string(m.Method))
	if member == "" {
		return nil
	}
	name := headerCheck{header: httpfield.Name, values: h[httpfield.Name], body: "params." + member, encoded: true}
	name.want = httpfield.ValueOf(m.Params.Get(member))
	return name.check()
}

// checkParamHeaders compares the fields of arguments, which may not have been validated yet.
// Malformed params are reported before a header mismatch. An invalid argument that matches its
// header is reported later, by the server.
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

// checkForwardedHeaders compares the fields of arguments of a tool that another tool calls. The
// client has not listed that tool, so fields may be missing; the fields that are present must
// match.
func checkForwardedHeaders(h http.Header, m *jsonrpc.Message, params []toolschema.HeaderParam, arguments []byte) *jsonrpc.Error {
	if len(params) == 0 {
		return nil
	}
	return checkArguments(h, m, params, arguments, false)
}

// checkArguments compares the fields of arguments.
func checkArguments(h http.Header, m *jsonrpc.Message, params []toolschema.HeaderParam, arguments []byte, required bool) *jsonrpc.Error {
	values := httpfield.ParamValues(arguments, params)
	for i := range params {
		p := &params[i]
		if !required && len(h[p.Header]) == 0 {
			continue
		}
		c := headerCheck{header: p.Header, values: h[p.Header], encoded: true, path: p.Path, want: httpfield.ValueOf(values[i])}
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

// headerCheck compares one header field with the member of the body that it repeats.
type headerCheck struct {
	header  string
	values  []string
	encoded bool // the field may be base64

	body string   // name of the member, for messages
	path []string // used instead of body: path of the argument
	want httpfield.Value
}

func (c *headerCheck) check() *jsonrpc.Error {
	switch len(c.values) {
	case 0:
		switch c.want.Kind {
		case httpfield.Absent:
			return nil
		case httpfield.Other:
			return c.mismatch("is missing, and %s cannot be repeated in a header", c.member())
		}
		return c.mismatch("is missing: it must repeat %s, which is %s", c.member(), httpfield.Quote(c.want.Text))
	case 1:
	default:
		return c.mismatch("occurs %d times: it must occur once", len(c.values))
	}
	value, ok := httpfield.Trim(c.values[0]), true
	if c.encoded {
		value, ok = httpfield.Decode(value)
	}
	switch {
	case !ok:
		return c.mismatch("is malformed: want visible ASCII, or padded base64 of UTF-8 between %s and %s", httpfield.Base64Prefix, httpfield.Base64Suffix)
	case c.want.Kind == httpfield.Absent:
		return c.mismatch("is %s, but there is no %s", httpfield.Quote(value), c.member())
	case c.want.Kind == httpfield.Other:
		return c.mismatch("is %s, but %s is an object or an array", httpfield.Quote(value), c.member())
	case value == c.want.Text, c.want.Kind == httpfield.Literal && httpfield.SameNumber(value, c.want.Text):
		return nil
	}
	return c.mismatch("is %s, but %s is %s", httpfield.Quote(value), c.member(), httpfield.Quote(c.want.Text))
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
