package testbed

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Inbox contains the messages, or frames, that a client received. It is safe for concurrent use.
type Inbox struct {
	mu       sync.Mutex
	messages []string
}

// Add adds a message.
func (b *Inbox) Add(message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages = append(b.messages, message)
}

// Received returns the messages since the last call. It waits until all goroutines in the
// testing/synctest bubble wait.
func (b *Inbox) Received() []string {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	messages := b.messages
	b.messages = nil
	return messages
}

// Want checks the messages since the last call: each contains the corresponding text.
func (b *Inbox) Want(t *testing.T, want ...string) {
	t.Helper()
	got := b.Received()
	if len(got) != len(want) {
		t.Errorf("received %d messages, want %d: %s", len(got), len(want), Shorten(got...))
		return
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("received %s, want %s", Shorten(got[i]), want[i])
		}
	}
}

// Shorten returns the beginnings of texts, a line each.
func Shorten(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		if len(text) > 500 {
			text = fmt.Sprintf("%s... (%d bytes)", text[:500], len(text))
		}
		b.WriteString("\n\t" + text)
	}
	return b.String()
}

// patience limits the wait of Await, in the time of a bubble.
const patience = time.Hour

// Await receives from c, or fails the test.
func Await[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case v := <-c:
		return v
	case <-timer.C:
		t.Fatalf("wait for %s: nothing happened for %v", what, patience)
		panic("unreachable")
	}
}
