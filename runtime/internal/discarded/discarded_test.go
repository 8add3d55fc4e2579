package discarded_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/discarded"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

const (
	request  = jsonrpc.Request
	response = jsonrpc.Response
	note     = jsonrpc.Notification
	other    = jsonrpc.Invalid
)

func kind(m *discarded.Message) jsonrpc.MessageKind { return jsonrpc.MessageKind(m.Kind()) }

var cases = []struct {
	text, id string
	kind     jsonrpc.MessageKind
}{
	{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":8,"x":"\"id\":9"}}`, "7", request},
	{`{"method":"tools/call","params":{"result":[{"id":8},"\\"],"y":{}},"jsonrpc":"2.0","id":"a,}b\"c"}`, `"a,}b\"c"`, request},
	{" {\t\"id\" : -12 , \"method\" : \"ping\" } ", "-12", request},
	{`{"id":5,"result":{"method":"x"}}`, "5", response},
	{`{"error":{"code":1},"id":5}`, "5", response},
	{`{"method":"notifications/cancelled","params":{"requestId":1,"id":3}}`, "", note},
	{`{"id":1,"method":"x","id":2}`, "", request},
	{`{"id":1,"method":"x","result":1}`, "1", other},
	{`[{"id":1,"method":"x"}]`, "", other},
	{`{"id":"` + strings.Repeat("x", 10_000) + `","method":"x"}`, "", request},
	{`{"` + strings.Repeat("x", 10_000) + `":1,"id":3,"method":"x"}`, "3", request},
	{`{"id":{"a":1},"method":"x"}`, "{}", request}, // not an identifier; the caller checks that
	{`{"id":1,"method":"x","params":{"q":"` + strings.Repeat(`\\\"`, 1000), "1", request},
	{`{"params":{"data":"` + strings.Repeat("x", 1000), "", note},
	{`{"params":{"data":"x"},"id":3`, "", note},
	{`{"params":{"data":"x"},"id":3}`, "3", request},
	{`{"result":{"data":"x"},"params":{},"id":3}`, "3", response},
	{`{"params":{},"error":{},"id":3}`, "3", response},
	{`"id"`, "", other},
	{`}}}]]`, "", other},
	{``, "", other},
}

// TestMessage writes texts whole, byte by byte, and split in two at every index.
func TestMessage(t *testing.T) {
	for _, c := range cases {
		check := func(how string, parts ...string) {
			t.Helper()
			var m discarded.Message
			for _, part := range parts {
				m.Write([]byte(part))
			}
			if id, k := string(m.ID()), kind(&m); k != c.kind || id != c.id {
				t.Fatalf("%.60q %s: id %q, kind %d; want %q, %d", c.text, how, id, k, c.id, c.kind)
			}
		}
		check("whole", c.text)
		check("by bytes", strings.Split(c.text, "")...)
		for i := 0; i < len(c.text); i += 1 + len(c.text)/300 {
			check("in two", c.text[:i], c.text[i:])
		}
	}
	var m discarded.Message
	m.Write([]byte(`{"id":1,"method":"x"}`))
	m.Reset()
	if m.ID() != nil || kind(&m) != other {
		t.Error("something is left after Reset")
	}
}

func FuzzMessage(f *testing.F) {
	for _, c := range cases {
		f.Add(c.text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		var whole, parts discarded.Message
		whole.Write([]byte(text))
		if at < 0 || at > len(text) {
			at = len(text)
		}
		parts.Write([]byte(text[:at]))
		parts.Write([]byte(text[at:]))
		if string(whole.ID()) != string(parts.ID()) || kind(&whole) != kind(&parts) {
			t.Fatalf("%q at %d: %q %d, whole %q %d", text, at, parts.ID(), kind(&parts), whole.ID(), kind(&whole))
		}
	})
}

func BenchmarkMessage(b *testing.B) {
	text := []byte(`{"id":1,"method":"x","params":{"q":[` + strings.Repeat(`"some text of a document",12,`, 40_000) + `0]}}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var m discarded.Message
		m.Write(text)
	}
}

// The kind is known before the value of result, error or params is complete.
func TestBeginning(t *testing.T) {
	for text, want := range map[string]jsonrpc.MessageKind{
		`{"id":5,"result":{"x":`:                response,
		`{"id":5,"error"`:                       other,
		`{"id":5,"error": `:                     response,
		`{"id":5,"method":"x","params":[`:       request,
		`{"id":5,"params":{"method":"x"},"y":1`: request, // its method may follow
		`{"id":5,"params"`:                      other,
		`{"method":"x","params":[`:              note,
	} {
		var m discarded.Message
		m.Write([]byte(text))
		if kind(&m) != want {
			t.Errorf("%s: kind %d, want %d", text, kind(&m), want)
		}
	}
}

// TestIsCut cuts texts at every index. A text other than an object or array is not a truncated
// message.
func TestIsCut(t *testing.T) {
	for _, whole := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a}]}\"\\"}]}}`,
		` [{"a":"]"},[1,2]]`,
	} {
		begins := strings.IndexAny(whole, "{[")
		for i := range len(whole) + 1 {
			if got, want := discarded.IsCut([]byte(whole[:i])), i > begins && i < len(whole); got != want {
				t.Errorf("%q: %v, want %v", whole[:i], got, want)
			}
		}
	}
	for _, text := range []string{"", " ", "usage: server {", `"{`, "{}", "{} ", "{} {}", "}", "tru"} {
		if discarded.IsCut([]byte(text)) {
			t.Errorf("%q is not cut", text)
		}
	}
}
