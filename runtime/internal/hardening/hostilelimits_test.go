package hardening_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/faulty"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// limitRows are messages that exceed a limit.
var limitRows = []hostileRow{
	{
		name: "UnfinishedMessage", what: "sends a message of 4 MiB without an id, and leaves its end out until the next call", here: "`*LimitError` at the limit, before the end; the next call works",
		script: func() func(*faulty.Server, *faulty.Message) bool {
			var mu sync.Mutex // handlers may run concurrently
			next := make(chan struct{})
			return func(_ *faulty.Server, m *faulty.Message) bool {
				switch {
				case m.Is("echo"):
					mu.Lock()
					close(next)
					next = make(chan struct{})
					mu.Unlock()
				case m.Is("hostile"):
					mu.Lock()
					asked := next
					mu.Unlock()
					_ = m.Raw(`{"x":"`)
					part := strings.Repeat("x", 1<<20)
					for range 4 {
						_ = m.Raw(part) // the client may have gone
					}
					select {
					case <-asked:
						_ = m.Send(`"}`)
					case <-m.Gone():
					}
					return true
				}
				return false
			}
		},
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			for range 2 {
				_, err := h.call(t, enough, nil) // a client that reads to the end waits until the timeout
				wantError[*mcpclient.LimitError](t, "the call", err)
				h.works(t, "it")
			}
		},
	},
}
