package mcpclient_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestSubscribeUndeclared: URIs are not sent to a server that has not declared resources.subscribe,
// whether its revision has sessions or not.
func TestSubscribeUndeclared(t *testing.T) {
	for _, test := range []struct{ name, method, result string }{
		{"modern", "server/discover", discoverResult}, {"legacy", "initialize", initializeResult},
	} {
		for capabilities, declared := range map[string]bool{`{"subscribe":true}`: true, `{"subscribe":false}`: false, `{"listChanged":true}`: false} {
			t.Run(test.name+" "+capabilities, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &scripted{handle: func(_ int, m message) []string {
						switch m.Method {
						case test.method:
							return []string{m.reply(strings.Replace(test.result, `{"subscribe":true}`, capabilities, 1))}
						case "server/discover":
							return []string{m.fail(-32601, "method not found")}
						case "subscriptions/listen":
							return []string{m.acknowledge()}
						case "resources/subscribe":
							return []string{m.reply(`{}`)}
						}
						return nil
					}}
					client := connect(t, s, mcpclient.Options{})
					_, err := client.Subscribe(t.Context(), mcpclient.Filter{Tools: true, URIs: []string{"test://a"}})
					sent := s.count("subscriptions/listen") + s.count("resources/subscribe")
					if declared {
						if err != nil || sent != 1 {
							t.Errorf("%d requests, %v", sent, err)
						}
						return
					}
					if e, ok := errors.AsType[*mcpclient.UnsupportedError](err); !ok || e.Capability != "resources.subscribe" || sent != 0 {
						t.Errorf("%d requests, %v, want the capability that is missing", sent, err)
					}
					if _, err := client.Subscribe(t.Context(), mcpclient.Filter{Tools: true}); err != nil {
						t.Errorf("lists alone: %v", err)
					}
				})
			})
		}
	}
}
