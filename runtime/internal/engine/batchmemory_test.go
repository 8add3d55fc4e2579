package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
)

// collectingSink stores the messages that it receives.
type collectingSink struct{ messages []string }

func (s *collectingSink) Reply(message []byte, _ int) {
	s.messages = append(s.messages, string(message))
}
func (s *collectingSink) Answer(message []byte, _ int) { s.Reply(message, 0) }
func (s *collectingSink) Refuse(message []byte, _ int) { s.Reply(message, 0) }
func (s *collectingSink) Notify(message []byte)        { s.Reply(message, 0) }
func (s *collectingSink) FlushAsync()                  {}
func (s *collectingSink) Flush()                       {}
func (s *collectingSink) Wait()                        {}
func (s *collectingSink) Full() bool                   { return false }

// The replies to a batch stay within the memory of the server: a reply that exceeds it becomes an
// error.
func TestMemoryOfABatch(t *testing.T) {
	reply := func(id, size int) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"x":%q}}`, id, strings.Repeat("x", size))
	}
	out := new(collectingSink)
	b := &batch{out: out, open: 3, asked: true, limit: 1 << 20}
	budget := membudget.New(200<<10, 1)
	b.account.Of(budget)
	for id, size := range []int{60 << 10, 100 << 10, 10} {
		b.Reply(reply(id, size), 0)
	}
	if len(out.messages) != 1 {
		t.Fatalf("%d messages", len(out.messages))
	}
	got := out.messages[0]
	if !strings.Contains(got, `{"jsonrpc":"2.0","id":1,"error":`) || !strings.Contains(got, `"reason":"overloaded"`) ||
		!strings.Contains(got, `{"jsonrpc":"2.0","id":0,"result":`) || !strings.Contains(got, `{"jsonrpc":"2.0","id":2,"result":`) {
		t.Errorf("%.100s ... %s", got, got[max(0, len(got)-300):])
	}
	if budget.Used() != 0 {
		t.Errorf("%d bytes are charged at the end", budget.Used())
	}
}

// A reason with control characters for terminals is quoted.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{"enough": "enough", "é ✓": "é ✓", "a\x1b[31m": `"a\x1b[31m"`, "a\nb": `"a\nb"`, "\u202e": `"\u202e"`} {
		if got := printable(text); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}
