package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

var (
	modernRevision  = protocol.All[len(protocol.All)-1]
	errProbeRefused = &dial.Error{Again: true, Err: errors.New("connection refused")}
)

// The transports of a row of the table.
var (
	everywhere = []probeTransport{overStream, overProgram, overHTTP}
	streams    = []probeTransport{overStream, overProgram}
	sockets    = []probeTransport{overStream}
	programs   = []probeTransport{overProgram}
	http       = []probeTransport{overHTTP}
)

func discoverResult(versions ...string) probeAnswer {
	list, _ := json.Marshal(append([]string{}, versions...))
	return probeAnswer{result: fmt.Appendf(nil,
		`{"resultType":"complete","capabilities":{},"ttlMs":0,"cacheScope":"private","supportedVersions":%s}`, list)}
}

func refusedWith(code int, data string) probeAnswer {
	return probeAnswer{failure: &jsonrpc.Error{Code: code, Message: "refused so", Data: json.RawMessage(data)}}
}

func status(code int, body string) probeAnswer {
	s := &dial.Status{Status: code, ContentType: "application/json", Body: []byte(body)}
	if json.Valid([]byte(body)) {
		s.Message = []byte(body)
	}
	return probeAnswer{err: s}
}

func ended(err error) probeAnswer { return probeAnswer{ended: true, err: err} }

// unsupported is the body of a reply with the code -32022.
func unsupported(versions string) string {
	return `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"requested":"2026-07-28","supported":` + versions + `}}}`
}

func TestProbe(t *testing.T) {
	const rpcError = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}`
	exit := &dial.Exit{Status: "exit status 1", Code: 1}
	broken := &dial.Violation{Text: "no JSON"}
	for _, row := range []struct {
		name   string
		over   []probeTransport
		answer probeAnswer
		first  string // verdict for the first probe
		wanted string // verdict if Options.Revision is 2026-07-28
		again  string // verdict for the second probe
	}{
		// A result.
		{"our version", everywhere, discoverResult("2026-07-28"), "modern", "modern", "modern"},
		{"of both eras", everywhere, discoverResult("2025-11-25", "2026-07-28", "2024-11-05"), "modern", "modern", "modern"},
		{"ours and unknown ones", everywhere, discoverResult("2099-01-01", "2026-07-28"), "modern", "modern", "modern"},
		{"legacy versions only", everywhere, discoverResult("2025-06-18", "2025-11-25"), "legacy, kept", "revision: 2025-06-18", "legacy, kept"},
		{"legacy and unknown ones", everywhere, discoverResult("2099-01-01", "2025-06-18"), "legacy, kept", "revision: 2099-01-01", "legacy, kept"},
		{"unknown versions only", everywhere, discoverResult("2099-01-01"), "revision: 2099-01-01", "revision: 2099-01-01", "revision: 2099-01-01"},
		{"almost ours", everywhere, discoverResult("2026-07-28 ", "2026-7-28"), "revision: 2026-07-28", "revision: 2026-07-28", "revision: 2026-07-28"},
		{"no version", everywhere, discoverResult(), "revision: none", "revision: none", "revision: none"},
		{"another shape", everywhere, probeAnswer{result: []byte(`{}`)}, "legacy, kept", "revision: none", "fails: supportedVersions"},
		{"versions as a string", everywhere, probeAnswer{result: []byte(`{"supportedVersions":"2026-07-28"}`)}, "legacy, kept", "revision: none", "fails: supportedVersions"},
		{"versions as numbers", everywhere, probeAnswer{result: []byte(`{"supportedVersions":["2026-07-28",1]}`)}, "legacy, kept", "revision: none", "fails: supportedVersions"},
		{"another member", everywhere, probeAnswer{result: []byte(`{"SupportedVersions":["2026-07-28"]}`)}, "legacy, kept", "revision: none", "fails: supportedVersions"},
		{"escaped", everywhere, probeAnswer{result: []byte(`{"supported\u0056ersions":["2026\u002d07-28"]}`)}, "modern", "modern", "modern"},
		{"not an object", everywhere, probeAnswer{result: []byte(`["2026-07-28"]`)}, "legacy, kept", "revision: none", "fails: supportedVersions"},

		// -32022.
		{"ours is supported", everywhere, refusedWith(-32022, `{"supported":["2025-11-25","2026-07-28"]}`), "again", "again", "revision: 2025-11-25"},
		{"legacy is supported", everywhere, refusedWith(-32022, `{"supported":["2025-11-25"]}`), "legacy, kept", "revision: 2025-11-25", "revision: 2025-11-25"},
		{"unknown is supported", everywhere, refusedWith(-32022, `{"supported":["2099-01-01"]}`), "revision: 2099-01-01", "revision: 2099-01-01", "revision: 2099-01-01"},
		{"nothing is supported", everywhere, refusedWith(-32022, `{"supported":[]}`), "revision: none", "revision: none", "revision: none"},
		{"-32022 without data", everywhere, refusedWith(-32022, ``), "revision: none", "revision: none", "revision: none"},
		{"-32022 with text", everywhere, refusedWith(-32022, `"2026-07-28"`), "revision: none", "revision: none", "revision: none"},

		// The other errors of modern servers.
		{"a header", everywhere, refusedWith(-32020, ``), "fails: refused so", "fails: refused so", "fails: refused so"},
		{"a capability", everywhere, refusedWith(-32021, `{"requiredCapabilities":{"sampling":{},"elicitation":{"url":{}}}}`),
			`fails: ("elicitation", "sampling")`, `fails: ("elicitation", "sampling")`, `fails: ("elicitation", "sampling")`},
		{"a capability without a name", everywhere, refusedWith(-32021, ``), "fails: does not say", "fails: does not say", "fails: does not say"},

		// Any other error.
		{"method not found", everywhere, refusedWith(-32601, ``), "legacy, kept", "revision: none", "fails: refused so"},
		{"invalid params", everywhere, refusedWith(-32602, `{"supported":["2026-07-28"]}`), "legacy, kept", "revision: none", "fails: refused so"},
		{"not initialized", everywhere, refusedWith(-32002, ``), "legacy, kept", "revision: none", "fails: refused so"},
		{"code zero", everywhere, refusedWith(0, ``), "legacy, kept", "revision: none", "fails: refused so"},
		{"next to the modern codes", everywhere, refusedWith(-32023, ``), "legacy, kept", "revision: none", "fails: refused so"},

		// Silence.
		{"silence", streams, probeAnswer{silence: true}, "legacy", "fails: timeout", "fails: timeout"},
		{"silence over HTTP", http, probeAnswer{silence: true}, "later: timeout", "later: timeout", "later: timeout"},

		// The end.
		{"exit", programs, ended(exit), "start again: exit status 1", "fails: exit status 1", "fails: exit status 1"},
		{"closed output", programs, ended(io.EOF), "start again: EOF", "fails: EOF", "fails: EOF"},
		{"closed socket", sockets, ended(io.EOF), "later: EOF", "later: EOF", "later: EOF"},
		{"closed response", http, ended(io.ErrUnexpectedEOF), "later: unexpected EOF", "later: unexpected EOF", "later: unexpected EOF"},

		// HTTP. The status decides if the body contains no modern error.
		{"400", http, status(400, ``), "legacy, kept", "revision: none", "fails: status 400"},
		{"400, text", http, status(400, `Bad Request: No valid session ID provided`), "legacy, kept", "revision: none", "fails: status 400"},
		{"400, -32601", http, status(400, rpcError), "legacy, kept", "revision: none", "fails: status 400"},
		{"400, -32022", http, status(400, unsupported(`["2026-07-28"]`)), "again", "again", "revision: 2026-07-28"},
		{"400, -32022, legacy", http, status(400, unsupported(`["2025-06-18"]`)), "legacy, kept", "revision: 2025-06-18", "revision: 2025-06-18"},
		{"400, -32022, unknown", http, status(400, unsupported(`["2099-01-01"]`)), "revision: 2099-01-01", "revision: 2099-01-01", "revision: 2099-01-01"},
		{"400, -32020 without id", http, status(400, `{"jsonrpc":"2.0","error":{"code":-32020,"message":"Mcp-Method is missing"}}`),
			"fails: Mcp-Method is missing", "fails: Mcp-Method is missing", "fails: Mcp-Method is missing"},
		{"500, -32021", http, status(500, `{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"no","data":{"requiredCapabilities":{"roots":{}}}}}`),
			`fails: "roots"`, `fails: "roots"`, `fails: "roots"`},
		{"404, -32022 as text", http, status(404, `{"error":{"code":-32022}}`), "legacy, kept", "revision: none", "fails: status 404"},
		{"400, code as text", http, status(400, `{"jsonrpc":"2.0","id":1,"error":{"code":"-32022","message":"no"}}`), "legacy, kept", "revision: none", "fails: status 400"},
		{"400 with a result", http, status(400, `{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"]}}`), "legacy, kept", "revision: none", "fails: status 400"},
		{"404", http, status(404, `<html>`), "legacy, kept", "revision: none", "fails: status 404"},
		{"405", http, status(405, ``), "legacy, kept", "revision: none", "fails: status 405"},
		{"406", http, status(406, ``), "legacy, kept", "revision: none", "fails: status 406"},
		{"451", http, status(451, ``), "legacy, kept", "revision: none", "fails: status 451"},
		{"501", http, status(501, ``), "legacy, kept", "revision: none", "fails: status 501"},
		{"401", http, status(401, rpcError), "fails: status 401", "fails: status 401", "fails: status 401"},
		{"403", http, status(403, rpcError), "fails: status 403", "fails: status 403", "fails: status 403"},
		{"407", http, status(407, ``), "fails: status 407", "fails: status 407", "fails: status 407"},
		{"408", http, status(408, ``), "later: status 408", "later: status 408", "later: status 408"},
		{"421", http, status(421, ``), "later: status 421", "later: status 421", "later: status 421"},
		{"425", http, status(425, ``), "later: status 425", "later: status 425", "later: status 425"},
		{"429", http, status(429, rpcError), "later: status 429", "later: status 429", "later: status 429"},
		{"500", http, status(500, rpcError), "later: status 500", "later: status 500", "later: status 500"},
		{"503", http, status(503, ``), "later: status 503", "later: status 503", "later: status 503"},
		{"599", http, status(599, ``), "later: status 599", "later: status 599", "later: status 599"},
		{"200, HTML", http, status(200, `<html>`), "fails: status 200", "fails: status 200", "fails: status 200"},
		{"202", http, status(202, ``), "fails: status 202", "fails: status 202", "fails: status 202"},
		{"302", http, status(302, ``), "fails: status 302", "fails: status 302", "fails: status 302"},
		{"307", http, status(307, ``), "fails: status 307", "fails: status 307", "fails: status 307"},
		{"600", http, status(600, ``), "fails: status 600", "fails: status 600", "fails: status 600"},

		// Errors of the connection and of received data.
		{"refused", everywhere, probeAnswer{err: errProbeRefused}, "later: refused", "later: refused", "later: refused"},
		{"certificate", everywhere, probeAnswer{err: &dial.Error{Err: errors.New("x509")}}, "fails: x509", "fails: x509", "fails: x509"},
		{"violation", everywhere, probeAnswer{err: broken}, "fails: no JSON", "fails: no JSON", "fails: no JSON"},
		{"too large", everywhere, probeAnswer{err: &dial.TooLarge{What: "message", Limit: 1}}, "fails: message", "fails: message", "fails: message"},
		{"timeout of the caller", everywhere, probeAnswer{err: ErrTimeout}, "fails: timeout", "fails: timeout", "fails: timeout"},
	} {
		for _, over := range row.over {
			for _, probe := range []struct {
				facts probeFacts
				want  string
			}{
				{probeFacts{over: over}, row.first},
				{probeFacts{over: over, want: modernRevision}, row.wanted},
				{probeFacts{over: over, again: true}, row.again},
			} {
				v := classify(row.answer, probe.facts)
				if got := verdictText(v); got != probe.want && !fits(got, probe.want) {
					t.Errorf("%s, %+v: %s, want %s", row.name, probe.facts, got, probe.want)
				}
			}
		}
	}
}

// fits reports whether a verdict has the wanted kind and contains its words.
func fits(got, want string) bool {
	kind, words, _ := strings.Cut(want, ": ")
	gotKind, text, _ := strings.Cut(got, ": ")
	return kind == gotKind && words != "" && strings.Contains(text, words)
}

func verdictText(v verdict) string {
	switch e, refused := v.err.(*RevisionError); {
	case refused && len(e.Offered) == 0:
		return "revision: none"
	case refused:
		return "revision: " + strings.Join(e.Offered, ", ")
	}
	kept := ""
	if v.keep {
		kept = ", kept"
	}
	switch v.kind {
	case speaksModern:
		if v.revision != modernRevision || !v.keep || v.err != nil {
			return fmt.Sprintf("wrong: %+v", v)
		}
		return "modern"
	case askAgain:
		if v.revision != modernRevision {
			return fmt.Sprintf("wrong: %+v", v)
		}
		return "again"
	case speaksLegacy:
		return "legacy" + kept
	case startAgain:
		return fmt.Sprintf("start again: %v", v.err)
	case tryLater:
		return fmt.Sprintf("later: %v", v.err)
	}
	return fmt.Sprintf("fails: %v", v.err)
}

// Every status outside the table is an error, and only modern JSON-RPC errors prevent the client
// from trying an old revision.
func TestProbeLegacy(t *testing.T) {
	var legacy []int
	for code := 100; code < 700; code++ {
		if v := classify(status(code, ``), probeFacts{over: overHTTP}); v.kind == speaksLegacy || v.kind == startAgain {
			legacy = append(legacy, code)
		}
	}
	var want []int
	for code := 400; code < 500; code++ {
		if !slices.Contains([]int{401, 403, 407, 408, 421, 425, 429}, code) {
			want = append(want, code)
		}
	}
	if want = append(want, 501); !slices.Equal(legacy, want) {
		t.Errorf("legacy with %d, want %d", legacy, want)
	}
	for code := -33000; code < 1000; code++ {
		modern := code == -32020 || code == -32021 || code == -32022
		if v := classify(refusedWith(code, `{}`), probeFacts{}); (v.kind == speaksLegacy) == modern {
			t.Errorf("error %d: %+v", code, v)
		}
	}
}

// A server cannot make an error large.
func TestProbeOffered(t *testing.T) {
	versions := slices.Repeat([]string{strings.Repeat("é", 1000)}, 1000)
	list, _ := json.Marshal(versions)
	names := map[string]any{}
	for i := range 1000 {
		names[strings.Repeat("\x1b", 100)+fmt.Sprint(i)] = 1
	}
	required, _ := json.Marshal(map[string]any{"requiredCapabilities": names})
	for _, a := range []probeAnswer{
		discoverResult(versions...),
		refusedWith(-32022, `{"supported":`+string(list)+`}`),
		refusedWith(-32021, string(required)),
		{result: []byte(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`)},
	} {
		v := classify(a, probeFacts{again: true})
		if v.err == nil || len(v.err.Error()) > 4000 || strings.Contains(v.err.Error(), "\x1b") {
			t.Errorf("%+v", v)
		}
	}
}
