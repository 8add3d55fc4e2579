package mcpnats

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// delivered is a message as the index reads it.
type delivered struct {
	jetstream.Msg
	header nats.Header
}

func (d delivered) Headers() nats.Header { return d.header }

// A change of a task that another server delivers before the leader has made it is watched when the leader has: whether it is
// delivered while the task is watched, or before.
func TestWatchBeforeLeader(t *testing.T) {
	for _, early := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := &leader{underWay: map[string]bool{}, last: map[string]*jetstream.RawStreamMsg{}}
			ctx, cancel := context.WithCancelCause(t.Context())
			c := &Cluster{js: l, name: "test", stop: make(chan struct{}), tasks: streamOf{leader: l}}
			s := &taskStore{Cluster: c, index: newTaskIndex(), ctx: ctx, cancel: cancel}
			key := mcptask.Key{ID: "a"}
			hash := taskHash(key)
			head := taskHead{ID: "a", Status: mcptask.Working, Expires: time.Now().Add(time.Hour)}
			deliver := func(version uint64) nats.Header {
				text, err := json.Marshal(head)
				if err != nil {
					t.Fatal(err)
				}
				header := nats.Header{headField: {string(text)}}
				s.index.add("record."+hash, version, delivered{header: header})
				return header
			}
			write := func(version uint64, header nats.Header) {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.last[s.subject("task", "record", hash)] = &jetstream.RawStreamMsg{Sequence: version, Header: header}
			}
			write(1, deliver(1))
			head.Status = mcptask.Completed
			go func() {
				if !early {
					time.Sleep(time.Second)
				}
				header := deliver(2)
				for i := range maxRead - 1 { // of other tasks: the one before is remembered
					s.index.add("record."+strconv.Itoa(i), uint64(3+i), delivered{header: header})
				}
				time.Sleep(time.Second)
				write(2, header)
			}()
			if early {
				synctest.Wait()
			}
			begin := time.Now()
			for r, err := range s.Watch(ctx, key) {
				if err != nil {
					t.Fatal(err)
				}
				if r.Version == 2 {
					break
				}
			}
			if d := time.Since(begin); d > 3*time.Second {
				t.Errorf("early %t: the change is seen after %s", early, d)
			}
			cancel(nil)
		})
	}
}

// What waits for a message of a stream that the servers lose does not wait for it in the new one.
func TestWaitForLostStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTaskIndex()
		x.readFrom(time.Unix(1, 0))
		x.add("turn", 50, delivered{})
		x.wrote(100)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		waited := make(chan error, 1)
		go func() { waited <- x.wait(ctx, 0) }()
		synctest.Wait()
		select {
		case err := <-waited:
			t.Fatalf("it has waited for nothing: %v", err)
		default:
		}
		x.readFrom(time.Unix(2, 0))
		if err := <-waited; err != nil {
			t.Error(err)
		}
		x.wrote(200)
		if err := x.wait(ctx, 0); err == nil {
			t.Error("it does not wait for what was written to the new stream")
		}
	})
}
