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

// Sessions do not have the fields of 2026-07-28, and ignore them.
func TestHeaderFieldsOfSessions(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		x.do(rpc{method: "tools/list"}.legacy(), "Mcp-Method: tools/call", "Mcp-Name: nothing").wantResult("1")
		x.do(call("mirror", `{"region":"eu"}`).legacy(), "Mcp-Param-Region: us").wantResult("1")
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
			for o := d.Object(wire.Fields{{Must: "region"}}); o.Next(); {
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
