package replicatest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// wait limits the time for which a suite waits for an event.
const wait = 30 * time.Second

// quiet is the time for which it waits for an event that must not happen.
const quiet = 100 * time.Millisecond

// TestPubSub runs the tests of an [mcp.PubSub]. open returns two that are connected only with each
// other, like two replicas' PubSubs. It registers their cleanup with t.Cleanup.
func TestPubSub(t *testing.T, open func(t *testing.T) (one, other mcp.PubSub)) {
	for name, test := range map[string]func(t *testing.T, one, other mcp.PubSub){
		"notices reach both in one order": func(t *testing.T, one, other mcp.PubSub) {
			for i := range 20 {
				publish(t, []mcp.PubSub{one, other}[i%2], fmt.Sprint(i))
			}
			a, b := read(t, one, 0, 20), read(t, other, 0, 20)
			for i := range a {
				if string(a[i].Data) != fmt.Sprint(i) || string(b[i].Data) != string(a[i].Data) {
					t.Errorf("notice %d is %q at one, %q at the other", i, a[i].Data, b[i].Data)
				}
			}
		},
		"numbers are the same, and one more each": func(t *testing.T, one, other mcp.PubSub) {
			for i := range 10 {
				publish(t, one, fmt.Sprint(i))
			}
			a, b := read(t, one, 0, 10), read(t, other, 0, 10)
			for i := range a {
				if a[i].Sequence != a[0].Sequence+uint64(i) || a[i].Sequence == 0 || b[i].Sequence != a[i].Sequence {
					t.Errorf("notice %d has the numbers %d and %d", i, a[i].Sequence, b[i].Sequence)
				}
			}
		},
		"notices to come follow": func(t *testing.T, one, other mcp.PubSub) {
			publish(t, one, "before")
			n := 0
			for notice, err := range other.Subscribe(within(t), 0) {
				if err != nil {
					t.Fatal(err)
				}
				if want := []string{"before", "first", "second"}[n]; string(notice.Data) != want {
					t.Fatalf("notice %d is %q", n, notice.Data)
				}
				if n++; n == 3 {
					break
				}
				publish(t, one, []string{"first", "second"}[n-1])
			}
		},
		"after a number come later ones": func(t *testing.T, one, other mcp.PubSub) {
			for i := range 10 {
				publish(t, one, fmt.Sprint(i))
			}
			for i, n := range read(t, one, 0, 10)[:9] {
				notices := read(t, other, n.Sequence, 9-i)
				if string(notices[0].Data) != fmt.Sprint(i+1) {
					t.Errorf("after %d comes %q", n.Sequence, notices[0].Data)
				}
			}
		},
		"after the last number comes nothing": func(t *testing.T, one, other mcp.PubSub) {
			publish(t, one, "x")
			last := read(t, one, 0, 1)[0].Sequence
			ctx, cancel := context.WithTimeout(t.Context(), quiet)
			defer cancel()
			for notice, err := range other.Subscribe(ctx, last) {
				if err == nil {
					t.Fatalf("notice %d comes again", notice.Sequence)
				}
			}
		},
		"the end of the context ends it, with its cause": func(t *testing.T, one, other mcp.PubSub) {
			cause := errors.New("a cause")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(quiet, func() { cancel(cause) })
			var last error
			for _, err := range one.Subscribe(ctx, 0) {
				last = err
			}
			if !errors.Is(last, cause) {
				t.Errorf("it ends with %v", last)
			}
		},
		"any bytes, and none": func(t *testing.T, one, other mcp.PubSub) {
			texts := []string{"", "\x00\xff\n", "☃", string(make([]byte, 64<<10))}
			for _, text := range texts {
				publish(t, one, text)
			}
			for i, notice := range read(t, other, 0, len(texts)) {
				if string(notice.Data) != texts[i] {
					t.Errorf("notice %d has %d bytes, of %d", i, len(notice.Data), len(texts[i]))
				}
			}
		},
		"the storage of a notice may be used again": func(t *testing.T, one, other mcp.PubSub) {
			text := []byte("first")
			if err := one.Publish(within(t), text); err != nil {
				t.Fatal(err)
			}
			copy(text, "xxxxx")
			if got := read(t, one, 0, 1)[0].Data; string(got) != "first" {
				t.Errorf("the notice is %q", got)
			}
		},
		"many publish at once": func(t *testing.T, one, other mcp.PubSub) {
			const writers, each = 8, 25
			errs := make(chan error, writers)
			for w := range writers {
				go func() {
					var err error
					for i := range each {
						err = errors.Join(err, []mcp.PubSub{one, other}[w%2].Publish(within(t), fmt.Appendf(nil, "%d-%d", w, i)))
					}
					errs <- err
				}()
			}
			for range writers {
				if err := <-errs; err != nil {
					t.Error(err)
				}
			}
			next := [writers]int{}
			for _, notice := range read(t, other, 0, writers*each) {
				var w, i int
				if _, err := fmt.Sscanf(string(notice.Data), "%d-%d", &w, &i); err != nil || next[w] != i {
					t.Fatalf("notice %q, and %d is next: %v", notice.Data, next[w], err)
				}
				next[w]++
			}
		},
		"no notice after the end of the context": func(t *testing.T, one, other mcp.PubSub) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := one.Publish(ctx, []byte("x")); err == nil { // it may have been added
				return
			}
			publish(t, one, "y")
			notices := read(t, other, 0, 1)
			if text := string(notices[0].Data); text != "x" && text != "y" {
				t.Errorf("the notice is %q", text)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			one, other := open(t)
			test(t, one, other)
		})
	}
}

// within returns a context with a deadline for one step of a test.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	t.Cleanup(cancel)
	return ctx
}

func publish(t *testing.T, p mcp.PubSub, text string) {
	t.Helper()
	if err := p.Publish(within(t), []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// read returns the next n notices after a number.
func read(t *testing.T, p mcp.PubSub, after uint64, n int) (notices []mcp.Notice) {
	t.Helper()
	for notice, err := range p.Subscribe(within(t), after) {
		if err != nil {
			t.Fatalf("after %d notices: %v", len(notices), err)
		}
		if notices = append(notices, notice); len(notices) == n {
			break
		}
	}
	if len(notices) != n {
		t.Fatalf("%d notices, of %d", len(notices), n)
	}
	return notices
}
