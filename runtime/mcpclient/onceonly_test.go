package mcpclient_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestNeverAgain checks that a client with one attempt does not begin a subscription again by
// itself: neither after the server ends it, nor after the loss of the connection.
func TestNeverAgain(t *testing.T) {
	for name, c := range map[string]struct{ then, want string }{
		"ended": {`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete"}}`, "the server has ended the subscription"},
		"lost":  {closing, "connection"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{handle: modern(func(_ int, m message) []string {
					if m.Method != "subscriptions/listen" {
						return nil
					}
					meta := `"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(m.ID) + `}`
					return []string{
						`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`,
						strings.ReplaceAll(c.then, "ID", string(m.ID)),
					}
				})}
				client := connect(t, s, mcpclient.Options{Retry: mcpclient.Retry{Attempts: 1}})
				sub, err := client.Subscribe(t.Context(), mcpclient.Filter{Tools: true})
				if err != nil {
					t.Fatal(err)
				}
				for change := range sub.Changes() {
					t.Errorf("a change: %v", change)
				}
				if err := sub.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("the subscription has ended with: %v, want %q", err, c.want)
				}
				synctest.Wait()
				if n := s.count("subscriptions/listen"); n != 1 {
					t.Errorf("%d listens", n)
				}
			})
		})
	}
}
