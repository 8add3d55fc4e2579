package mcptask

import (
	"testing"
	"testing/synctest"
	"time"
)

// If the clock was set back, the timer of a task fires too early; the task is still removed at its
// time.
func TestClockSetBack(t *testing.T) {
	for _, back := range []time.Duration{10 * time.Second, 90 * time.Second, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			m := NewMemory().(*memory)
			r := &Record{Key: Key{ID: "a"}, Expires: time.Now().Add(back)}
			if err := m.Create(t.Context(), r, Quota{}, 0); err != nil {
				t.Fatal(err)
			}
			tasks := func() int {
				m.mu.Lock()
				defer m.mu.Unlock()
				return len(m.tasks)
			}
			m.mu.Lock()
			k := m.tasks[r.Key]
			m.mu.Unlock()
			k.expiry.Stop()
			m.expire(k)
			if tasks() != 1 {
				t.Error("removed before its time")
			}
			time.Sleep(back)
			synctest.Wait()
			if tasks() != 0 {
				t.Error("not removed at its time")
			}
		})
	}
}
