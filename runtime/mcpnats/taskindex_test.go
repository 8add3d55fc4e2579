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

// delivered is a message as the index receives it.
type delivered struct {
	jetstream.Msg
	header nats.Header
}

func (d delivered) Headers() nats.Header { return d.header }

// A change of a task that another server delivers before the leader has it is reported once the
// leader has it: no matter whether it is delivered before or while the task is watched.
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
				for i := range maxRead - 1 { // of other tasks: the previous one is still remembered
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

// Waiting for a message of a lost stream does not continue in the new stream.
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

// Before a store refuses or counts, it reads which tasks other replicas have finished, and does not
// wait for deleted messages.
func TestReadAllBeforeRefusal(t *testing.T) {
	for _, end := range []string{"read later", "deleted", "of a lost stream"} {
		synctest.Test(t, func(t *testing.T) {
			l := &leader{underWay: map[string]bool{}, last: map[string]*jetstream.RawStreamMsg{}, sequence: 9}
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			c := &Cluster{js: l, name: "test", stop: make(chan struct{}), tasks: streamOf{leader: l}}
			s := &taskStore{Cluster: c, index: newTaskIndex(), ctx: ctx, cancel: cancel}
			deliver := func(status mcptask.Status, version uint64) {
				head := taskHead{ID: "a", Status: status, Expires: time.Now().Add(time.Hour)}
				text, err := json.Marshal(head)
				if err != nil {
					t.Fatal(err)
				}
				s.index.add("record."+taskHash(mcptask.Key{ID: "a"}), version, delivered{header: nats.Header{headField: {string(text)}}})
			}
			deliver(mcptask.Working, 2)
			want := 1
			all := s.subject("task", ">")
			switch end {
			case "read later":
				want = 0
				l.last[all] = &jetstream.RawStreamMsg{Sequence: 9}
				time.AfterFunc(time.Second, func() { deliver(mcptask.Completed, 9) })
			case "deleted":
				l.last[all] = &jetstream.RawStreamMsg{Sequence: 2}
			}
			if n, err := s.CountActive(ctx, mcptask.Digest{}); err != nil || n != want {
				t.Errorf("%s: %d tasks are open, %v, want %d", end, n, err, want)
			}
			if want != 0 {
				return
			}
			// A task that another replica has finished makes room.
			deliver(mcptask.Working, 10)
			l.sequence, l.last[all] = 11, &jetstream.RawStreamMsg{Sequence: 11}
			need := mcptask.Need{Tasks: 1, Room: mcptask.Room{Tasks: 1, TotalTasks: 1, Bytes: 1 << 20, TotalBytes: 1 << 20}}
			refused := make(chan error, 1)
			go func() { refused <- s.MakeRoom(ctx, need) }()
			synctest.Wait()
			select {
			case err := <-refused:
				t.Fatalf("refused before the end was read: %v", err)
			default:
			}
			cancel(context.Canceled)
			<-refused
		})
	}
}

// A creation of another replica that is read while the stream is asked does not make the index
// forget its tasks; a stream that was created again does.
func TestResetAfter(t *testing.T) {
	for _, c := range []struct {
		read, turn uint64
		forgets    bool
	}{{5, 5, false}, {5, 6, false}, {5, 7, false}, {5, 3, true}} {
		x := newTaskIndex()
		x.turn = c.read
		read := x.lastTurn()
		x.open["a"] = new(openTask)
		x.add("turn", 7, nil) // of another replica, later than what the stream has answered
		x.resetAfter(read, c.turn)
		if forgets := len(x.open) == 0; forgets != c.forgets {
			t.Errorf("turn %d after %d: forgets %v", c.turn, c.read, forgets)
		}
	}
}
