package mcpclient_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestCancelReason checks which reason the server receives when a context is done.
func TestCancelReason(t *testing.T) {
	for name, c := range map[string]struct {
		cause error
		want  string
	}{
		"no cause":    {nil, `"cancelled"`},
		"other cause": {errors.New("a secret"), `"cancelled"`},
		"reason":      {&mcpclient.CancelError{Reason: "the window was\nclosed"}, `"the window was\nclosed"`},
		"no reason":   {&mcpclient.CancelError{}, ``},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				reasons := make(chan string, 2)
				s := &scripted{handle: modern(func(_ int, m message) []string {
					switch m.Method {
					case "tools/call":
						cancel(c.cause)
					case "notifications/cancelled":
						reasons <- m.member("reason")
					}
					return nil
				})}
				client := connect(t, s, mcpclient.Options{})
				_, err := client.Call(ctx, "x", nil)
				if want := c.cause; want == nil && !errors.Is(err, context.Canceled) || want != nil && !errors.Is(err, want) {
					t.Errorf("the error is %v, want %v", err, want)
				}
				if got := <-reasons; got != c.want {
					t.Errorf("the reason is %s, want %s", got, c.want)
				}
			})
		})
	}
	if !errors.Is(&mcpclient.CancelError{Reason: "x"}, context.Canceled) {
		t.Error("a CancelError is not context.Canceled")
	}
}

// TestDecode reads the structured content of a result after the call.
func TestDecode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results := map[string]string{
			`"text"`: okResult,
			`"n"`:    `{"resultType":"complete","content":[],"structuredContent":5}`,
		}
		s := &scripted{handle: modern(func(_ int, m message) []string { return []string{m.reply(results[m.member("name")])} })}
		c := connect(t, s, mcpclient.Options{})
		result, err := c.Call(t.Context(), "text", nil)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		var text string
		if err := c.Decode("x", result, &n); !errors.Is(err, mcpclient.ErrNoStructured) {
			t.Errorf("no structured content: %v", err)
		}
		if err := c.Decode("x", result, &text); err != nil || text != "ok" {
			t.Errorf("a text: %q, %v", text, err)
		}
		if _, err := mcpclient.Call[int](t.Context(), c, "text", nil); !errors.Is(err, mcpclient.ErrNoStructured) {
			t.Errorf("Call: %v", err)
		}
		if result, err = c.Call(t.Context(), "n", nil); err != nil {
			t.Fatal(err)
		}
		if err := c.Decode("x", result, &n); err != nil || n != 5 {
			t.Errorf("a number: %d, %v", n, err)
		}
		if err := c.Decode("x", result, &text); err == nil || errors.Is(err, mcpclient.ErrNoStructured) {
			t.Errorf("another type: %v", err)
		}
	})
}
