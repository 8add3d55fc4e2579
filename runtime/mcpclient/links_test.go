package mcpclient_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// requires returns the error of a request that requires a link.
func (m message) requires(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"Log in first.","data":{"elicitations":[`+
		`{"mode":"url","elicitationId":%q,"url":"https://example.com/","message":"Log in."}]}}}`, m.ID, id)
}

// TestLinkCompletedHere: a request that requires a link is sent again once the program reports that
// the link is done; each time anew.
func TestLinkCompletedHere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		s := &scripted{handle: legacy(func(_ int, m message) []string {
			if calls++; calls%2 == 1 {
				return []string{m.requires("e1")}
			}
			return []string{m.reply(okResult)}
		})}
		c := connect(t, s, mcpclient.Options{OpenURL: func(_ context.Context, e *mcpclient.Elicitation) (mcp.ElicitAction, error) {
			time.AfterFunc(time.Minute, func() {
				e.Complete()
				e.Complete()
			})
			return mcp.ActionAccept, nil
		}})
		for round := 1; round <= 2; round++ {
			begin := time.Now()
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Error(err)
			}
			if d := time.Since(begin); d != time.Minute || s.count("tools/call") != 2*round {
				t.Errorf("round %d: %d calls after %v", round, s.count("tools/call"), d)
			}
		}
	})
}

// TestLinksAreForgotten: links that are declined, or never completed, do not prevent the server
// from completing later ones.
func TestLinksAreForgotten(t *testing.T) {
	for _, action := range []mcp.ElicitAction{mcp.ActionDecline, mcp.ActionAccept} {
		synctest.Test(t, func(t *testing.T) {
			const links = 1500
			asked := 0
			var call message
			ask := func() []string {
				asked++
				return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":`+
					`{"mode":"url","elicitationId":"e%d","url":"https://example.com/","message":"Log in."}}`, asked, asked)}
			}
			s := &scripted{handle: legacy(func(_ int, m message) []string {
				if m.Method == "tools/call" {
					call = m
				}
				if asked < links {
					return ask()
				}
				return []string{call.reply(okResult), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e%d"}}`, links)}
			})}
			var last *mcpclient.Elicitation
			c := connect(t, s, mcpclient.Options{OpenURL: func(_ context.Context, e *mcpclient.Elicitation) (mcp.ElicitAction, error) {
				last = e
				return action, nil
			}})
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			select {
			case <-last.Done():
				if action != mcp.ActionAccept {
					t.Error("a link that was declined is completed")
				}
			default:
				if action == mcp.ActionAccept {
					t.Errorf("the server has completed link %s, and it is not done", last.ID)
				}
			}
		})
	}
}
