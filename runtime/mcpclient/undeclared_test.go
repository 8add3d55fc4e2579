package mcpclient_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestUndeclared checks that a question for which no capability was declared is refused and
// reported.
func TestUndeclared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var v violations
		refused := make(chan int, 1)
		var call message
		s := &scripted{handle: legacy(func(_ int, m message) []string {
			if m.Error != nil {
				refused <- m.Error.Code
				return []string{call.reply(okResult)}
			}
			call = m
			return []string{`{"jsonrpc":"2.0","id":"q","method":"roots/list"}`}
		})}
		c := connect(t, s, mcpclient.Options{OnProtocolError: v.add})
		if _, err := c.Call(t.Context(), "x", nil); err != nil {
			t.Fatal(err)
		}
		if code := <-refused; code != -32601 {
			t.Errorf("code %d", code)
		}
		synctest.Wait()
		if !slices.ContainsFunc(v.texts(), func(s string) bool { return strings.Contains(s, "the server asks for roots/list") }) {
			t.Errorf("reported: %q", v.texts())
		}
	})
}
