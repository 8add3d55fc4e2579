//go:build cost

package mcphttp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// costlyParams is the number of the tool's arguments that header fields repeat.
const costlyParams = 64

// costlySchema marks arguments of each kind, half of them inside of other ones.
func costlySchema() string {
	var flat, inner []string
	for i := range costlyParams {
		param := fmt.Sprintf(`"p%d":{"type":%q,"x-mcp-header":"P%d"}`, i, []string{"string", "integer", "boolean"}[i%3], i)
		if i%2 == 0 {
			flat = append(flat, param)
		} else {
			inner = append(inner, param)
		}
	}
	return `{"type":"object","properties":{` + strings.Join(flat, ",") +
		`,"in":{"type":"object","properties":{"in":{"type":"object","properties":{` + strings.Join(inner, ",") + `}}}}}}`
}

// TestCostlyHeaders limits the CPU time of calls with large arguments, which header fields repeat
// or should repeat, to ten times json.Unmarshal of the same body. Bodies have 4 MiB if
// MCPGEN_COSTLY is set in the environment.
func TestCostlyHeaders(t *testing.T) {
	const most = 10
	size := 48 << 10
	if os.Getenv("MCPGEN_COSTLY") != "" {
		size = 4<<20 - 4096
	}
	s := mcp.NewServer(mcp.ServerInfo{Name: "costly"})
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "mirror", InputSchema: costlySchema()},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }))
	handler := NewHandler(s)
	defer func() { _ = handler.Close() }()

	list := func(unit string) string { return "[" + strings.Repeat(unit+",", size/(len(unit)+1)) + "0]" }
	text := func(unit string) string { return `"` + strings.Repeat(unit, size/len(unit)) + `"` }
	var many strings.Builder
	for i := 0; many.Len() < size; i++ {
		fmt.Fprintf(&many, `"\u0070%d":1,`, 1000+i)
	}
	values := map[string]string{
		"letters": text("a"), "escapes": text(`\u00e9`), "quotes": text(`\"`), "beyond ASCII": text("é"), "blanks": text(" "),
		"digits": strings.Repeat("1", size), "zeros": "0." + strings.Repeat("0", size) + "1e999999999", "exponent": "1e" + strings.Repeat("9", size),
		"numbers": list("1"), "lists": list("[]"), "objects": list("{}"), "strings": list(`"a"`),
		"deep": list(strings.Repeat(`{"in":[`, 100) + strings.Repeat("]}", 100)), "members": "{" + many.String() + `"p0":1}`,
	}
	places := map[string]string{
		"no argument":     `{"x":%s}`,
		"another first":   `{"x":%s,"p0":"a"}`,
		"inside":          `{"in":{"in":{"x":%s}}}`,
		"a string":        `{"p0":%s}`,
		"an integer":      `{"p4":%s}`,
		"a boolean":       `{"p2":%s}`,
		"a string inside": `{"in":{"in":{"p3":%s}}}`,
		"all arguments":   `%s`,
		"twice":           `{"in":{"in":%s},"in":{"in":{"p1":1}}}`,
	}
	large := strings.Repeat("a", 24<<10)
	headers := map[string]map[string]string{
		"no fields":     nil,
		"the field":     {"P0": "a", "P4": "1", "P2": "true", "P3": "a"},
		"large ones":    {"P0": large, "P4": strings.Repeat("1", 24<<10)},
		"large numbers": {"P4": "0." + strings.Repeat("0", 24<<10) + "e9999"},
		"in base64":     {"P0": "=?base64?" + base64.StdEncoding.EncodeToString([]byte(large)) + "?="},
	}
	worst, of := 0.0, ""
	for _, place := range slices.Sorted(maps.Keys(places)) {
		for _, value := range slices.Sorted(maps.Keys(values)) {
			for _, header := range slices.Sorted(maps.Keys(headers)) {
				body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mirror","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
					`"io.modelcontextprotocol/clientCapabilities":{}},"arguments":` + strings.Replace(places[place], "%s", values[value], 1) + `}}`
				usual := []byte(body)
				var took, plain time.Duration
				ratio := 0.0
				for range 10 { // the time of another thread may be counted late: one turn must be below
					start := testbed.CPUTime()
					var v any
					_ = json.Unmarshal(usual, &v) // a number may be beyond float64, after all is read
					between := testbed.CPUTime()
					r := httptest.NewRequest("POST", "/", strings.NewReader(body))
					r.Host = "localhost"
					for name, field := range headers[header] {
						r.Header.Set("Mcp-Param-"+name, field)
					}
					for _, pair := range [][2]string{
						{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"},
						{"Mcp-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", "mirror"},
					} {
						r.Header.Set(pair[0], pair[1])
					}
					w := httptest.NewRecorder()
					handler.ServeHTTP(w, r)
					plain, took = between-start, testbed.CPUTime()-between
					if w.Code != 200 && w.Code != 400 {
						t.Fatalf("%s, %s, %s: status %d: %s", place, value, header, w.Code, w.Body)
					}
					if ratio = float64(took) / float64(plain); ratio < most {
						break
					}
				}
				if ratio > worst {
					worst, of = ratio, place+", "+value+", "+header
				}
				if ratio > most {
					t.Errorf("%s, %s, %s: %v, json.Unmarshal takes %v", place, value, header, took, plain)
				}
			}
		}
	}
	t.Logf("at most %.1f times json.Unmarshal: %s", worst, of)
}
