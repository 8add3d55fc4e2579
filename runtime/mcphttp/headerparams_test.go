package mcphttp

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// mirrored are the parameter headers of the tool in these tests.
var mirrored = []toolschema.HeaderParam{
	{Header: "Mcp-Param-Region", Path: []string{"region"}, Kind: toolschema.StringParam},
	{Header: "Mcp-Param-Count", Path: []string{"count"}, Kind: toolschema.IntegerParam},
	{Header: "Mcp-Param-Dry-Run", Path: []string{"dry"}, Kind: toolschema.BooleanParam},
	{Header: "Mcp-Param-Zone", Path: []string{"where", "zone"}, Kind: toolschema.StringParam},
}

func parse(t testing.TB, text string) *jsonrpc.Message {
	t.Helper()
	m := new(jsonrpc.Message)
	if err := (jsonrpc.Parser{Deferred: "arguments"}).Parse([]byte(text), m); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m
}

// fields returns a header with pairs of names and values.
func fields(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func TestMethodAndNameMirrors(t *testing.T) {
	const (
		list  = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		call  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search"}}`
		read  = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a%20b","name":"x"}}`
		get   = `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"gr\u00fc\u00dfen"}}`
		blank = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":" a "}}`
	)
	for _, test := range []struct {
		name, body string
		header     http.Header
		message    string // "" passes
	}{
		{"method", list, fields("Mcp-Method", "tools/list"), ""},
		{"method, name of any case", list, fields("mcp-METHOD", "tools/list"), ""},
		{"method, blanks around it", list, fields("Mcp-Method", " tools/list\t"), ""},
		{"method, name not wanted", list, fields("Mcp-Method", "tools/list", "Mcp-Name", "x"), ""},
		{"no method", list, nil, `header Mcp-Method is missing: it must repeat method, which is "tools/list"`},
		{"another method", list, fields("Mcp-Method", "tools/call"), `header Mcp-Method is "tools/call", but method is "tools/list"`},
		{"method of another case", list, fields("Mcp-Method", "TOOLS/LIST"), `header Mcp-Method is "TOOLS/LIST", but method is "tools/list"`},
		{"empty method", list, fields("Mcp-Method", ""), `header Mcp-Method is "", but method is "tools/list"`},
		{"method encoded", list, fields("Mcp-Method", "=?base64?dG9vbHMvbGlzdA==?="),
			`header Mcp-Method is "=?base64?dG9vbHMvbGlzdA==?=", but method is "tools/list"`},
		{"method twice", list, fields("Mcp-Method", "tools/list", "Mcp-Method", "tools/list"),
			`header Mcp-Method occurs 2 times: it must occur once`},
		{"method and another in one", list, fields("Mcp-Method", "tools/list, tools/call"),
			`header Mcp-Method is "tools/list, tools/call", but method is "tools/list"`},

		{"tool", call, fields("Mcp-Method", "tools/call", "Mcp-Name", "search"), ""},
		{"tool, blanks around it", call, fields("Mcp-Method", "tools/call", "Mcp-Name", "  search  "), ""},
		{"tool, encoded though it need not", call, fields("Mcp-Method", "tools/call", "Mcp-Name", "=?base64?c2VhcmNo?="), ""},
		{"no tool", call, fields("Mcp-Method", "tools/call"), `header Mcp-Name is missing: it must repeat params.name, which is "search"`},
		{"another tool", call, fields("Mcp-Method", "tools/call", "Mcp-Name", "find"), `header Mcp-Name is "find", but params.name is "search"`},
		{"tool of another case", call, fields("Mcp-Method", "tools/call", "Mcp-Name", "Search"), `header Mcp-Name is "Search", but params.name is "search"`},
		{"tool twice", call, fields("Mcp-Method", "tools/call", "Mcp-Name", "search", "Mcp-Name", "find"),
			`header Mcp-Name occurs 2 times: it must occur once`},
		{"tool, malformed", call, fields("Mcp-Method", "tools/call", "Mcp-Name", "=?base64?c2VhcmNo=?="),
			`header Mcp-Name is malformed: want visible ASCII, or padded base64 of UTF-8 between =?base64? and ?=`},
		{"tool of blanks", blank, fields("Mcp-Method", "tools/call", "Mcp-Name", "=?base64?IGEg?="), ""},
		{"tool of blanks, lost on the way", blank, fields("Mcp-Method", "tools/call", "Mcp-Name", " a "), `header Mcp-Name is "a", but params.name is " a "`},
		{"resource", read, fields("Mcp-Method", "resources/read", "Mcp-Name", "file:///a%20b"), ""},
		{"resource by another member", read, fields("Mcp-Method", "resources/read", "Mcp-Name", "x"), `header Mcp-Name is "x", but params.uri is "file:///a%20b"`},
		{"resource, decoded", read, fields("Mcp-Method", "resources/read", "Mcp-Name", "file:///a b"), `header Mcp-Name is "file:///a b", but params.uri is "file:///a%20b"`},
		{"prompt", get, fields("Mcp-Method", "prompts/get", "Mcp-Name", "=?base64?Z3LDvMOfZW4=?="), ""},
		{"prompt, not encoded", get, fields("Mcp-Method", "prompts/get", "Mcp-Name", "gr\u00fc\u00dfen"),
			`header Mcp-Name is malformed: want visible ASCII, or padded base64 of UTF-8 between =?base64? and ?=`},

		// These requests are invalid for other reasons, which are reported later.
		{"neither", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, fields("Mcp-Method", "tools/call"), ""},
		{"null", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":null}}`, fields("Mcp-Method", "tools/call"), ""},
		{"number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`, fields("Mcp-Method", "tools/call", "Mcp-Name", "5"), ""},
		{"params of another kind", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["search"]}`, fields("Mcp-Method", "tools/call"), ""},
		{"only in the header", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, fields("Mcp-Method", "tools/call", "Mcp-Name", "search"),
			`header Mcp-Name is "search", but there is no params.name`},
		{"object", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":{}}}`, fields("Mcp-Method", "tools/call", "Mcp-Name", "search"),
			`header Mcp-Name is "search", but params.name is an object or an array`},

		{"notification", `{"jsonrpc":"2.0","method":"tools/list"}`, nil, ""},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkMismatch(t, checkHeaders(test.header, parse(t, test.body), nil), test.message)
		})
	}
}

func checkMismatch(t *testing.T, err *jsonrpc.Error, message string) {
	t.Helper()
	switch {
	case message == "" && err != nil:
		t.Fatal(err)
	case message != "" && (err == nil || err.Message != message || err.Code != protocol.CodeHeaderMismatch):
		t.Fatalf("%v\nwant %s", err, message)
	}
}

func TestParamMirrors(t *testing.T) {
	spec.Holds(t, "S141", "S142", "S143", "S144", "S145", "S146", "S147", "S148", "S151")
	const malformed = `header Mcp-Param-Region is malformed: want visible ASCII, or padded base64 of UTF-8 between =?base64? and ?=`
	long := strings.Repeat("r", 5000)
	for _, test := range []struct {
		name, arguments string
		header          http.Header
		message         string
	}{
		{"none", `{}`, nil, ""},
		{"no arguments", ``, nil, ""},
		{"null arguments", `null`, nil, ""},
		{"string", `{"region":"eu"}`, fields("Mcp-Param-Region", "eu"), ""},
		{"string, name of any case", `{"region":"eu"}`, fields("MCP-PARAM-REGION", "eu"), ""},
		{"string, escaped in the body", `{"re\u0067ion":"\u0065u"}`, fields("Mcp-Param-Region", "eu"), ""},
		{"string, encoded", `{"region":"Hello"}`, fields("Mcp-Param-Region", "=?base64?SGVsbG8=?="), ""},
		{"string that looks encoded", `{"region":"SGVsbG8="}`, fields("Mcp-Param-Region", "SGVsbG8="), ""},
		{"string that begins as if encoded", `{"region":"=?base64?SGVsbG8="}`, fields("Mcp-Param-Region", "=?base64?SGVsbG8="), ""},
		{"no padding", `{"region":"Hello"}`, fields("Mcp-Param-Region", "=?base64?SGVsbG8?="), malformed},
		{"not base64", `{"region":"Hello"}`, fields("Mcp-Param-Region", "=?base64?SGVs!!!bG8=?="), malformed},
		{"bits that are not used", `{"region":"Hello"}`, fields("Mcp-Param-Region", "=?base64?SGVsbG9=?="), malformed},
		{"not UTF-8", `{"region":"\u00ff"}`, fields("Mcp-Param-Region", "=?base64?/w==?="), malformed},
		{"line feed", `{"region":"a\nb"}`, fields("Mcp-Param-Region", "=?base64?YQpi?="), ""},
		{"blanks around it", `{"region":"eu"}`, fields("Mcp-Param-Region", "  eu \t"), ""},
		{"blanks of the value", `{"region":" a "}`, fields("Mcp-Param-Region", "=?base64?IGEg?="), ""},
		{"blanks of the value, lost on the way", `{"region":" a "}`, fields("Mcp-Param-Region", " a "),
			`header Mcp-Param-Region is "a", but params.arguments.region is " a "`},
		{"string that looks encoded, encoded", `{"region":"=?base64?literal?="}`, fields("Mcp-Param-Region", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="), ""},
		{"string that looks encoded, not encoded", `{"region":"=?base64?SGVsbG8=?="}`, fields("Mcp-Param-Region", "=?base64?SGVsbG8=?="),
			`header Mcp-Param-Region is "Hello", but params.arguments.region is "=?base64?SGVsbG8=?="`},
		{"not ASCII", `{"region":"caf\u00e9"}`, fields("Mcp-Param-Region", "caf\u00e9"), malformed},
		{"empty string", `{"region":""}`, fields("Mcp-Param-Region", ""), ""},
		{"empty string, no header", `{"region":""}`, nil, `header Mcp-Param-Region is missing: it must repeat params.arguments.region, which is ""`},
		{"another string", `{"region":"eu"}`, fields("Mcp-Param-Region", "us"), `header Mcp-Param-Region is "us", but params.arguments.region is "eu"`},
		{"another case", `{"region":"eu"}`, fields("Mcp-Param-Region", "EU"), `header Mcp-Param-Region is "EU", but params.arguments.region is "eu"`},
		{"no header", `{"region":"eu"}`, nil, `header Mcp-Param-Region is missing: it must repeat params.arguments.region, which is "eu"`},
		{"not in the body", `{}`, fields("Mcp-Param-Region", "eu"), `header Mcp-Param-Region is "eu", but there is no params.arguments.region`},
		{"null in the body", `{"region":null}`, fields("Mcp-Param-Region", "null"), `header Mcp-Param-Region is "null", but there is no params.arguments.region`},
		{"null in the body, no header", `{"region":null}`, nil, ""},
		{"twice", `{"region":"eu"}`, fields("Mcp-Param-Region", "eu", "Mcp-Param-Region", "eu"), `header Mcp-Param-Region occurs 2 times: it must occur once`},
		{"nothing repeats it", `{"other":"eu"}`, fields("Mcp-Param-Other", "us", "Mcp-Param-", "x"), ""},
		{"name of another case in the body", `{"Region":"eu"}`, nil, ""},

		{"integer", `{"count":42}`, fields("Mcp-Param-Count", "42"), ""},
		{"integer, encoded", `{"count":42}`, fields("Mcp-Param-Count", "=?base64?NDI=?="), ""},
		{"negative", `{"count":-7}`, fields("Mcp-Param-Count", "-7"), ""},
		{"with a fraction", `{"count":42}`, fields("Mcp-Param-Count", "42.0"), ""},
		{"with a fraction in the body", `{"count":42.0}`, fields("Mcp-Param-Count", "42"), ""},
		{"with an exponent", `{"count":42}`, fields("Mcp-Param-Count", "4.2e1"), ""},
		{"with an exponent in the body", `{"count":42E+1}`, fields("Mcp-Param-Count", "420"), ""},
		{"zero", `{"count":0}`, fields("Mcp-Param-Count", "-0"), ""},
		{"zero, and no number", `{"count":0}`, fields("Mcp-Param-Count", "zero"), `header Mcp-Param-Count is "zero", but params.arguments.count is "0"`},
		{"zero, and nothing", `{"count":0}`, fields("Mcp-Param-Count", ""), `header Mcp-Param-Count is "", but params.arguments.count is "0"`},
		{"large", `{"count":9007199254740993}`, fields("Mcp-Param-Count", "9007199254740993"), ""},
		{"another one", `{"count":42}`, fields("Mcp-Param-Count", "43"), `header Mcp-Param-Count is "43", but params.arguments.count is "42"`},
		{"that rounds to it", `{"count":9007199254740993}`, fields("Mcp-Param-Count", "9007199254740992"),
			`header Mcp-Param-Count is "9007199254740992", but params.arguments.count is "9007199254740993"`},
		{"almost it", `{"count":42}`, fields("Mcp-Param-Count", "42.000000000000000000001"),
			`header Mcp-Param-Count is "42.000000000000000000001", but params.arguments.count is "42"`},
		{"zeros in front", `{"count":42}`, fields("Mcp-Param-Count", "042"), `header Mcp-Param-Count is "042", but params.arguments.count is "42"`},
		{"plus", `{"count":42}`, fields("Mcp-Param-Count", "+42"), `header Mcp-Param-Count is "+42", but params.arguments.count is "42"`},
		{"hexadecimal", `{"count":42}`, fields("Mcp-Param-Count", "0x2a"), `header Mcp-Param-Count is "0x2a", but params.arguments.count is "42"`},
		{"word", `{"count":42}`, fields("Mcp-Param-Count", "NaN"), `header Mcp-Param-Count is "NaN", but params.arguments.count is "42"`},
		{"huge exponent", `{"count":42}`, fields("Mcp-Param-Count", "1e999999999999"), `header Mcp-Param-Count is "1e999999999999", but params.arguments.count is "42"`},
		{"integer as a string", `{"count":"42"}`, fields("Mcp-Param-Count", "42"), ""},
		{"integer as a string, with a fraction", `{"count":"42"}`, fields("Mcp-Param-Count", "42.0"),
			`header Mcp-Param-Count is "42.0", but params.arguments.count is "42"`},

		{"true", `{"dry":true}`, fields("Mcp-Param-Dry-Run", "true"), ""},
		{"false", `{"dry":false}`, fields("Mcp-Param-Dry-Run", "false"), ""},
		{"true of another case", `{"dry":true}`, fields("Mcp-Param-Dry-Run", "True"), `header Mcp-Param-Dry-Run is "True", but params.arguments.dry is "true"`},
		{"false, no header", `{"dry":false}`, nil, `header Mcp-Param-Dry-Run is missing: it must repeat params.arguments.dry, which is "false"`},
		{"1 for true", `{"dry":true}`, fields("Mcp-Param-Dry-Run", "1"), `header Mcp-Param-Dry-Run is "1", but params.arguments.dry is "true"`},

		{"inside", `{"where":{"zone":"a"}}`, fields("Mcp-Param-Zone", "a"), ""},
		{"inside, blanks", "{ \"x\" : [{\"zone\":1}] , \"where\" :\n{ \"zone\"\t: \"a\" } }", fields("Mcp-Param-Zone", "a"), ""},
		{"inside, another one", `{"where":{"zone":"a"}}`, fields("Mcp-Param-Zone", "b"), `header Mcp-Param-Zone is "b", but params.arguments.where.zone is "a"`},
		{"inside nothing", `{"where":null}`, nil, ""},
		{"inside a string", `{"where":"zone"}`, nil, ""},
		{"inside an array", `{"where":[{"zone":"a"}]}`, nil, ""},
		{"not inside", `{"zone":"a"}`, fields("Mcp-Param-Zone", "a"), `header Mcp-Param-Zone is "a", but there is no params.arguments.where.zone`},

		{"object", `{"region":{}}`, fields("Mcp-Param-Region", "{}"), `header Mcp-Param-Region is "{}", but params.arguments.region is an object or an array`},
		{"array, no header", `{"region":["eu"]}`, nil, `header Mcp-Param-Region is missing, and params.arguments.region cannot be repeated in a header`},
		{"arguments are a string", `"region"`, nil, ""},
		{"several", `{"region":"eu","count":1,"dry":false,"where":{"zone":"a"}}`,
			fields("Mcp-Param-Region", "eu", "Mcp-Param-Count", "1", "Mcp-Param-Dry-Run", "false", "Mcp-Param-Zone", "a"), ""},
		{"long ones are cut", `{"region":"` + long + `"}`, fields("Mcp-Param-Region", "x"+long),
			`header Mcp-Param-Region is "x` + long[:63] + `"..., but params.arguments.region is "` + long[:64] + `"...`},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkMismatch(t, checkHeaders(withCall(test.header), parse(t, callOf(test.arguments)), mirrored), test.message)
		})
	}
}

// callOf returns a call with these arguments.
func callOf(arguments string) string {
	if arguments != "" {
		arguments = `,"arguments":` + arguments
	}
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"` + arguments + `}}`
}

// withCall adds the header fields of callOf.
func withCall(h http.Header) http.Header {
	if h == nil {
		h = http.Header{}
	}
	h.Set("Mcp-Method", "tools/call")
	h.Set("Mcp-Name", "t")
	return h
}

// Arguments that are not valid JSON are reported as invalid, whatever the header fields are.
func TestParamMirrorsOfMalformedArguments(t *testing.T) {
	for _, test := range []struct {
		arguments string
		code      int
	}{
		{`{"region":eu}`, jsonrpc.CodeParse},
		{`{"region":"eu" "count":1}`, jsonrpc.CodeParse},
		{`{"region":"\q"}`, jsonrpc.CodeParse},
		{`{"region":"\u12"}`, jsonrpc.CodeParse},
		{`{"region":"\ud800"}`, jsonrpc.CodeParse},
		{`{"region":"x","region":"y"}`, jsonrpc.CodeInvalidParams},
		{`{"region":}`, jsonrpc.CodeParse},
		{`{"region"}`, jsonrpc.CodeParse},
		{`{region:"eu"}`, jsonrpc.CodeParse},
	} {
		err := checkHeaders(withCall(fields("Mcp-Param-Region", "us")), parse(t, callOf(test.arguments)), mirrored)
		if err == nil || err.Code != test.code {
			t.Errorf("%s: %v, want code %d", test.arguments, err, test.code)
		}
	}
}

// Header fields as clients write them pass, and a single change of them does not.
func TestParamMirrorsOfRandomArguments(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "eu", " eu", "\u4e16", "=?base64?eu?=", "line\nline", "true", "42", "null", "\""}
	for range 2000 {
		arguments := map[string]any{}
		h := http.Header{}
		if random.IntN(2) == 0 {
			text := texts[random.IntN(len(texts))]
			arguments["region"] = text
			h.Set("Mcp-Param-Region", httpfield.Encode(text))
		}
		if random.IntN(2) == 0 {
			n := random.Int64N(1<<54) - 1<<53
			arguments["count"] = n
			h.Set("Mcp-Param-Count", fmt.Sprint(n))
		}
		if random.IntN(2) == 0 {
			arguments["dry"] = random.IntN(2) == 0
			h.Set("Mcp-Param-Dry-Run", fmt.Sprint(arguments["dry"]))
		}
		if random.IntN(2) == 0 {
			text := texts[random.IntN(len(texts))]
			arguments["where"] = map[string]any{"zone": text, "region": "no"}
			h.Set("Mcp-Param-Zone", httpfield.Encode(text))
		}
		text, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		body := callOf(string(text))
		if err := checkHeaders(withCall(h), parse(t, body), mirrored); err != nil {
			t.Fatalf("%s with %v: %v", body, h, err)
		}
		p := mirrored[random.IntN(len(mirrored))]
		was, there := h[p.Header]
		switch {
		case !there:
			h.Set(p.Header, "x")
		case random.IntN(2) == 0:
			h.Del(p.Header)
		default:
			value, _ := httpfield.Decode(was[0])
			h.Set(p.Header, httpfield.Encode(value+"1"))
		}
		if err := checkHeaders(h, parse(t, body), mirrored); err == nil || err.Code != protocol.CodeHeaderMismatch {
			t.Fatalf("%s with %v: %v", body, h, err)
		}
	}
}

// FuzzMirror compares the check with the arguments as encoding/json decodes them.
func FuzzMirror(f *testing.F) {
	for _, arguments := range []string{
		`{}`, `{"region":"eu"}`, `{"region":"\u0065u"}`, `{"region":null}`, `{"count":42.0}`, `{"count":9007199254740993}`, `{"count":1e400}`,
		`{"dry":true}`, `{"where":{"zone":"a"}}`, `{"where":[{"zone":"a"}]}`, `{"region":{"region":1}}`, `{"region":"\ud800"}`, `{"re`, `[]`, `"x"`,
		`{"region":"eu","region":"us"}`, `{"region":tru}`, `{"count":-}`,
	} {
		for _, value := range []string{"", "eu", "42", "true", "a", "=?base64?ZXU=?=", "9007199254740992", "1e400"} {
			f.Add(arguments, value)
		}
	}
	f.Add(`{"dry":rue}`, "rue")
	f.Fuzz(func(t *testing.T, arguments, value string) {
		m := new(jsonrpc.Message)
		if (jsonrpc.Parser{Deferred: "arguments"}).Parse([]byte(callOf(arguments)), m) != nil {
			return
		}
		valid := strings.HasPrefix(string(m.Params.Get("arguments")), "{") && wire.Valid([]byte(arguments), 0) == nil
		for i, p := range mirrored {
			err := checkHeaders(withCall(http.Header{p.Header: {value}}), m, mirrored[i:i+1])
			if err != nil && (err.Message == "" || !utf8.ValidString(err.Message)) {
				t.Fatalf("%q: %v", arguments, err)
			}
			if err == nil && valid {
				checkSame(t, arguments, value, p.Path)
			}
		}
	})
}

// checkSame checks that a header field contains the value at a path of valid arguments.
func checkSame(t *testing.T, arguments, value string, path []string) {
	decoder := json.NewDecoder(strings.NewReader(arguments))
	decoder.UseNumber()
	var at any
	if err := decoder.Decode(&at); err != nil {
		t.Fatalf("%q with %q passes, and is no JSON: %v", arguments, value, err)
	}
	if _, ok := at.(map[string]any); !ok {
		return // the server reports the error
	}
	for _, name := range path {
		object, ok := at.(map[string]any)
		if !ok {
			t.Fatalf("%q with %q passes, and has no %v", arguments, value, path)
		}
		at = object[name]
	}
	text, _ := httpfield.Decode(value)
	switch v := at.(type) {
	case string:
		if v == text {
			return
		}
	case bool:
		if strconv.FormatBool(v) == text {
			return
		}
	case json.Number:
		if len(v) > 40 || len(text) > 40 || strings.ContainsAny(text+string(v), "eE") {
			return // too large for the comparison
		}
		a, ok := new(big.Rat).SetString(string(v))
		b, also := new(big.Rat).SetString(text)
		if ok && also && a.Cmp(b) == 0 {
			return
		}
	}
	t.Fatalf("%q with %q passes", arguments, value)
}

func TestMirrorsAllocations(t *testing.T) {
	h := withCall(fields("Mcp-Param-Region", "eu"))
	m := parse(t, callOf(`{"region":"eu"}`))
	if n := testing.AllocsPerRun(100, func() {
		if err := checkHeaders(h, m, mirrored); err != nil {
			t.Fatal(err)
		}
	}); n > 4 {
		t.Errorf("%v allocations", n)
	}
}
