package mcphttpclient_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestClientMirrorsWhatIsSent: header fields repeat the params that are sent: params of an
// interceptor, and of Client.Request too.
func TestClientMirrorsWhatIsSent(t *testing.T) {
	type fields struct{ name, region string }
	got := make(chan fields, 10)
	url := posting(t, func(w http.ResponseWriter, r *http.Request, m posted) {
		if m.Method == "tools/list" {
			answer(w, m, `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"x","inputSchema":`+
				`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}`)
			return
		}
		got <- fields{r.Header.Get("Mcp-Name"), r.Header.Get("Mcp-Param-Region")}
		answer(w, m, `{"resultType":"complete","content":[]}`)
	})
	var params json.RawMessage // of an interceptor; nil for the params of the request
	change := func(next mcpclient.Sender) mcpclient.Sender {
		return func(ctx context.Context, r *mcpclient.Request) (json.RawMessage, error) {
			if params != nil && r.Method == "tools/call" {
				other := *r
				other.Params = params
				r = &other
			}
			return next(ctx, r)
		}
	}
	for _, o := range []mcpclient.Options{{}, {Interceptors: []mcpclient.Interceptor{change}}} {
		c := connectTo(t, url, o)
		if _, err := c.Tools(t.Context()); err != nil {
			t.Fatal(err)
		}
		params = nil
		if _, err := c.Call(t.Context(), "x", map[string]any{"region": "eu"}); err != nil {
			t.Error(err)
		}
		if f := <-got; f != (fields{"x", "eu"}) {
			t.Errorf("Call: %+v", f)
		}
		if _, err := c.Request(t.Context(), "tools/call", json.RawMessage(`{"arguments":{"region":"us"},"name":"x"}`)); err != nil {
			t.Error(err)
		}
		if f := <-got; f != (fields{"x", "us"}) {
			t.Errorf("Request: %+v", f)
		}
		if o.Interceptors == nil {
			continue
		}
		params = json.RawMessage("{\n  \"name\": \"x\",\n  \"arguments\": { \"region\": \"asia\" }\n}\n")
		if _, err := c.Call(t.Context(), "y", nil); err != nil {
			t.Error(err)
		}
		if f := <-got; f != (fields{"x", "asia"}) {
			t.Errorf("with an interceptor: %+v", f)
		}
		params = json.RawMessage(`[]`)
		if _, err := c.Call(t.Context(), "x", nil); err == nil || !strings.Contains(err.Error(), "params of tools/call must be an object") {
			t.Errorf("an interceptor without an object: %v", err)
		}
	}
}
