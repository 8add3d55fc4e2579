package mcphttp_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func sentinel(text string) string {
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
}

// Mcp-Method repeats the method of every request. Field names are case-insensitive, values are not.
func TestMethodHeader(t *testing.T) {
	spec.Holds(t, "S139", "S145", "S150", "S152")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		list := rpc{method: "tools/list", id: `"l"`}
		for _, value := range []string{"tools/list", "  tools/list\t"} {
			s.do(list.post("Mcp-Method: " + value)).wantResult(`"l"`)
		}
		for _, field := range []string{
			"-Mcp-Method", "Mcp-Method: ", "Mcp-Method: TOOLS/LIST", "Mcp-Method: tools/call", "Mcp-Method: tools/list, tools/list",
			"Mcp-Method: " + sentinel("tools/list"), "Mcp-Method: tools list",
		} {
			e := s.do(list.post(field)).wantError(400, -32020, `"l"`)
			if !strings.Contains(e.Message, "Mcp-Method") {
				t.Errorf("%q does not name the field", e.Message)
			}
		}
		s.do(list.post("Mcp-Method: tools/list", "Mcp-Method: tools/call")).wantError(400, -32020, `"l"`)
		// Sessions do not have these fields.
		s.open(revisionD).do(list.legacy(), "Mcp-Method: tools/call", "Mcp-Name: nothing").wantResult(`"l"`)
	})
}

// The case of field names does not matter, even on a connection that preserves it.
func TestCaseOfFieldNames(t *testing.T) {
	spec.Holds(t, "S149")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		for _, spell := range []func(string) string{strings.ToLower, strings.ToUpper} {
			r := call("mirror", `{"region":"eu"}`).post("Mcp-Param-Region: eu").build(t.Context(), t)
			spelt := http.Header{}
			for name, values := range r.Header {
				spelt[spell(name)] = values
			}
			r.Header = spelt
			resp, err := s.client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			a := &response{t: t}
			a.consume(resp)
			a.wantResult("1")
		}
	})
}

// Mcp-Name repeats the name or URI of the request. Values that a field cannot carry are encoded.
func TestNameHeader(t *testing.T) {
	spec.Holds(t, "S139", "S140", "S141", "S142", "S145", "S150")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		requests := map[string]rpc{
			"echo":        call("echo", "{}"),
			"greet":       {method: "prompts/get", params: `"name":"greet"`},
			"test://text": {method: "resources/read", params: `"uri":"test://text"`},
		}
		for name, r := range requests {
			for _, value := range []string{name, "  " + name + " ", sentinel(name)} {
				s.do(r.post("Mcp-Name: " + value)).wantResult("1")
			}
			for _, field := range []string{
				"-Mcp-Name", "Mcp-Name: ", "Mcp-Name: no-such", "Mcp-Name: " + strings.ToUpper(name), "Mcp-Name: " + sentinel(" "+name),
				"Mcp-Name: " + strings.TrimSuffix(sentinel(name), "?="), "Mcp-Name: =?BASE64?" + sentinel(name)[9:],
				"Mcp-Name: " + name + ", " + name,
			} {
				e := s.do(r.post(field)).wantError(400, -32020, "1")
				if !strings.Contains(e.Message, "Mcp-Name") {
					t.Errorf("%q does not name the field", e.Message)
				}
			}
		}
		// The name of an unknown feature can be repeated as well.
		s.do(call("no-such", "{}").post()).wantError(200, -32602, "1")
		s.do(call("日本", "{}").post("Mcp-Name: "+sentinel("日本"))).wantError(200, -32602, "1")
		s.do(call("日本", "{}").post("Mcp-Name: 日本")).wantError(400, -32020, "1")
		// Other methods have no Mcp-Name, and ignore it.
		s.do(rpc{method: "tools/list"}.post("Mcp-Name: anything")).wantResult("1")
	})
}

// Arguments that the schema marks are repeated in header fields.
func TestParamHeader(t *testing.T) {
	spec.Holds(t, "S141", "S142", "S143", "S144", "S145", "S146", "S147", "S148", "S150", "S151")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		for _, c := range []struct {
			arguments string
			fields    []string
			ok        bool
		}{
			{`{}`, nil, true},
			{`{"region":null,"count":null,"dry":null,"where":null}`, nil, true},
			{`{"region":"eu"}`, []string{"Region: eu"}, true},
			{`{"region":"eu"}`, []string{"Region:   eu \t"}, true},
			{`{"region":"eu"}`, []string{"Region: " + sentinel("eu")}, true},
			{`{"region":"eu"}`, nil, false},
			{`{"region":"eu"}`, []string{"Region: EU"}, false},
			{`{"region":"eu"}`, []string{"Region: eu", "Region: us"}, false},
			{`{}`, []string{"Region: eu"}, false},
			{`{"region":null}`, []string{"Region: null"}, false},
			{`{"region":""}`, []string{"Region: "}, true},
			{`{"region":" padded "}`, []string{"Region: " + sentinel(" padded ")}, true},
			{`{"region":" padded "}`, []string{"Region:  padded "}, false},
			{`{"region":"Grüße, 世界"}`, []string{"Region: " + sentinel("Grüße, 世界")}, true},
			{`{"region":"Grüße"}`, []string{"Region: Grüße"}, false},
			{`{"region":"a\nb"}`, []string{"Region: " + sentinel("a\nb")}, true},
			{`{"region":"Hello"}`, []string{"Region: =?base64?SGVsbG8=?="}, true},
			{`{"region":"Hello"}`, []string{"Region: =?base64?SGVsbG8?="}, false},
			{`{"region":"Hello"}`, []string{"Region: =?base64?SGVs!!!bG8=?="}, false},
			{`{"region":"Hello"}`, []string{"Region: =?base64?SGVsbG9=?="}, false}, // unused bits are set
			{`{"region":"SGVsbG8="}`, []string{"Region: SGVsbG8="}, true},
			{`{"region":"=?base64?SGVsbG8="}`, []string{"Region: =?base64?SGVsbG8="}, true},
			{`{"region":"=?base64?literal?="}`, []string{"Region: =?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="}, true},
			{`{"region":"=?base64?SGVsbG8=?="}`, []string{"Region: =?base64?SGVsbG8=?="}, false},
			{`{"region":"ÿ"}`, []string{"Region: =?base64?/w==?="}, false}, // not UTF-8
			{`{"count":42}`, []string{"Count: 42"}, true},
			{`{"count":42}`, []string{"Count: 42.0"}, true},
			{`{"count":42.0}`, []string{"Count: 42"}, true},
			{`{"count":4.2e1}`, []string{"Count: 42"}, true},
			{`{"count":-7}`, []string{"Count: -7"}, true},
			{`{"count":42}`, []string{"Count: " + sentinel("42")}, true},
			{`{"count":42}`, []string{"Count: 43"}, false},
			{`{"count":42}`, []string{"Count: forty-two"}, false},
			{`{"count":9007199254740993}`, []string{"Count: 9007199254740992"}, false},
			{`{"dry":true}`, []string{"Dry-Run: true"}, true},
			{`{"dry":false}`, []string{"Dry-Run: false"}, true},
			{`{"dry":true}`, []string{"Dry-Run: True"}, false},
			{`{"dry":true}`, []string{"Dry-Run: 1"}, false},
			{`{"dry":false}`, nil, false},
			{`{"where":{"zone":"b"}}`, []string{"Zone: b"}, true},
			{`{"where":{"zone":"b"}}`, nil, false},
			{`{"where":{}}`, []string{"Zone: b"}, false},
			{`{"zone":"b"}`, nil, true}, // elsewhere the mark does not apply
			{`{"region":"eu","count":1,"dry":true,"where":{"zone":"b"}}`, []string{"Region: eu", "Count: 1", "Dry-Run: true", "Zone: b"}, true},
			{`{}`, []string{"Other: not of the schema"}, true},
		} {
			var fields []string
			for _, f := range c.fields {
				fields = append(fields, "Mcp-Param-"+f)
			}
			a := s.do(call("mirror", c.arguments).post(fields...))
			if !c.ok {
				a.wantError(400, -32020, "1")
			} else if got := textOf(t, a.wantResult("1")); got != c.arguments {
				a.fail("the arguments are %s", got)
			}
		}
		// The fields are not checked in sessions, nor for other tools.
		s.open(revisionD).do(call("mirror", `{"region":"eu"}`).legacy(), "Mcp-Param-Region: us").wantResult("1")
		s.do(call("echo", `{"region":"eu"}`).post("Mcp-Param-Region: us")).wantResult("1")
	})
}

// An argument with a header field can have values that are known when features are registered: the
// field is compared with the argument, and the argument with the values, as in generated code.
func TestParamHeaderOfChoices(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		regions := mcpimpl.NewChoices("Regions", func() []string { return []string{"north", "Grüße"} })
		info := &mcp.ToolInfo{Name: "chosen", InputSchema: `{"type":"object","properties":{` +
			`"region":{"type":"string","enum":["\u0000Regions"],"x-mcp-header":"Region"}},"required":["region"]}`}
		s.Register(mcpimpl.FuncTool(mcpimpl.ToolChoices(info, regions.For("region")), func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
			var region string
			d := mcpimpl.Decoder(req)
			for o := d.Object(wire.Fields{{Name: "region", Required: true}}); o.Next(); {
				wire.StringChoice(d, &region, "Regions")
			}
			if err := d.Finish(); err != nil {
				return nil, err
			}
			return mcp.TextResult(region), nil
		}))
		for _, c := range []struct{ region, field, want string }{
			{"north", "north", `"text":"north"`},
			{"Grüße", sentinel("Grüße"), `"text":"Grüße"`},
			{"east", "east", `must be one of \"north\", \"Grüße\", got \"east\""}],"isError":true`},
			{"north", "east", ""},
			{"east", "north", ""},
			{"north", "", ""},
		} {
			var fields []string
			if c.field != "" {
				fields = []string{"Mcp-Param-Region: " + c.field}
			}
			a := s.do(call("chosen", `{"region":"`+c.region+`"}`).post(fields...))
			if c.want == "" {
				a.wantError(400, -32020, "1")
			} else if got := string(a.wantResult("1")); !strings.Contains(got, c.want) {
				a.fail("the result is %s", got)
			}
		}
		if list := string(s.do(rpc{method: "tools/list"}.post()).wantResult("1")); !strings.Contains(list, `"enum":["north","Grüße"],"x-mcp-header":"Region"`) {
			t.Errorf("listed is %s", list)
		}
	})
}

// Clients get the marks from 2026-07-28 on.
func TestMarksAreListed(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionC)
		if list := string(x.do(rpc{method: "tools/list"}.legacy()).wantResult("1")); strings.Contains(list, "x-mcp-header") {
			t.Error("a session sees x-mcp-header")
		}
		if list := string(s.do(rpc{method: "tools/list"}.post()).wantResult("1")); !strings.Contains(list, `"x-mcp-header":"Region"`) {
			t.Error("x-mcp-header is not listed")
		}
	})
}
