package mcpnats

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// taskIndex has the heads of the tasks that have not ended, as a replica has read them.
type taskIndex struct {
	mu       sync.Mutex
	open     map[string]*openTask                   // by hash
	runnable map[string]*openTask                   // those of open that can be claimed, or run
	watchers map[string]map[*chan struct{}]struct{} // by hash
	read     map[string]uint64                      // sequence numbers of the records that were read last, by hash
	before   map[string]uint64                      // those of the ones before
	changed  chan struct{}                          // closed and replaced when something was read
	seen     uint64                                 // sequence number of the last message that was read
	written  uint64                                 // of the last one that this replica has written
	turn     uint64                                 // of the last creation that was read
	made     time.Time                              // when the stream was made
	kept     keptTasks
}

// openTask is a task that has not ended.
type openTask struct {
	head  taskHead
	from  uint64    // version since which it is Ready, or has its owner
	tryAt time.Time // when it can be claimed
	ready time.Time // when it was read that it can be claimed, or run
	// The lease that was read last, and when it ends at the latest, by the clock of this process.
	lease    uint64
	leaseEnd time.Time
}

func newTaskIndex() *taskIndex {
	return &taskIndex{
		open: map[string]*openTask{}, runnable: map[string]*openTask{}, watchers: map[string]map[*chan struct{}]struct{}{}, changed: make(chan struct{}),
		read: map[string]uint64{},
	}
}

// maxRead is of how many records, at least, the index knows the numbers. It is for those that the leader of the stream does not
// have yet, which is a matter of milliseconds.
const maxRead = 1000

// readPause is the time after which the stream is read again, when that has failed.
const readPause = 100 * time.Millisecond

// readIndex reads the stream until the store is closed.
func (s *taskStore) readIndex() {
	for !s.closedNow() {
		s.lookAtStream()
		// Without a leader this fails, and it is tried again: methods report their own errors.
		_ = s.read(s.ctx, "mcp-"+s.name+"-task", s.subject("task", ">"), s.index.next(), true, func(m jetstream.Msg) bool {
			meta, err := m.Metadata()
			if err != nil {
				return false
			}
			s.index.add(strings.TrimPrefix(m.Subject(), s.subject("task", "")), meta.Sequence.Stream, m)
			return true
		})
		select {
		case <-time.After(readPause):
		case <-s.ctx.Done():
		case <-s.stop:
		}
	}
}

// lookAtStream forgets what was read, if the servers have lost the stream and another one was made.
func (s *taskStore) lookAtStream() {
	if found, err := s.findStream(s.ctx, "mcp-"+s.name+"-task"); err == nil {
		s.index.readFrom(found.CachedInfo().Created)
	}
}

// next is the number of the first message that was not read.
func (x *taskIndex) next() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.seen + 1
}

// add adds a message.
func (x *taskIndex) add(name string, sequence uint64, m jetstream.Msg) {
	kind, hash, _ := strings.Cut(name, ".")
	x.mu.Lock()
	defer x.mu.Unlock()
	switch kind {
	case "turn":
		x.turn = sequence
	case "lease":
		if t := x.open[hash]; t != nil && t.head.Owner != "" {
			t.lease, t.leaseEnd = sequence, leaseEnd(m.Headers())
			t.tryAt = t.leaseEnd
		}
	case "record":
		x.addRecord(hash, sequence, m)
		if len(x.read) == maxRead {
			x.before, x.read = x.read, map[string]uint64{}
		}
		x.read[hash] = sequence
		for w := range x.watchers[hash] {
			close(*w)
		}
		delete(x.watchers, hash)
	}
	x.seen = sequence
	x.wake()
}

func (x *taskIndex) addRecord(hash string, sequence uint64, m jetstream.Msg) {
	head, err := readHead(m.Headers())
	if err == nil {
		x.kept.put(hash, &head)
	}
	if err != nil || head.Status.Ended() {
		x.remove(hash)
		return
	}
	t := x.open[hash]
	if t == nil {
		t = new(openTask)
		x.open[hash] = t
	}
	begun := head.Owner != "" && (t.head.Owner != head.Owner || t.head.Attempt != head.Attempt)
	switch {
	case head.Ready:
		t.from = (&storedTask{head: head, version: sequence}).readyFrom()
	case begun:
		t.from = sequence
	}
	if head.Ready && !t.head.Ready || begun {
		t.ready = time.Now()
	}
	t.head = head
	if delete(x.runnable, hash); head.runnable() {
		x.runnable[hash] = t
	}
	switch {
	case begun: // the lease follows in the same batch; after this time it is looked for if it does not
		t.tryAt = time.Now().Add(time.Second)
	case head.Owner == "":
		t.tryAt = time.Time{}
	}
}

// remove removes a task that has ended or expired.
func (x *taskIndex) remove(hash string) {
	delete(x.open, hash)
	delete(x.runnable, hash)
}

// readFrom forgets all tasks if they are of another stream than the one that was made then. Watchers look for their tasks.
func (x *taskIndex) readFrom(made time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.made.IsZero() && !x.made.Equal(made) {
		x.seen, x.written, x.turn, x.kept = 0, 0, 0, keptTasks{}
		clear(x.open)
		clear(x.runnable)
		clear(x.read)
		clear(x.before)
		for _, watchers := range x.watchers {
			for w := range watchers {
				close(*w)
			}
		}
		clear(x.watchers)
		x.wake()
	}
	x.made = made
}

// wake has those look again that wait for changed. The caller has the lock.
func (x *taskIndex) wake() {
	close(x.changed)
	x.changed = make(chan struct{})
}

// resetAfter forgets all tasks if the last turn in the stream is before one that was read: the servers have lost the stream, and it
// was made anew.
func (x *taskIndex) resetAfter(turn uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if turn < x.turn {
		x.turn, x.kept = turn, keptTasks{}
		clear(x.open)
		clear(x.runnable)
		clear(x.read)
		clear(x.before)
	}
}

// wrote notes the number of a message that this replica has written.
func (x *taskIndex) wrote(sequence uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.written = max(x.written, sequence)
}

// wait waits until a message was read, or one after it, and everything that this replica has written. What it wrote to a stream that
// the servers have lost is not read any more.
func (x *taskIndex) wait(ctx context.Context, sequence uint64) error {
	for {
		x.mu.Lock()
		seen, changed := x.seen >= max(sequence, x.written), x.changed
		x.mu.Unlock()
		if seen {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// count returns how many tasks are open, after the creation with the number turn.
func (x *taskIndex) count(account mcptask.Digest, now time.Time) (turn uint64, ofAccount, total int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for hash, t := range x.open {
		switch {
		case t.head.expired(now):
			x.remove(hash)
		case digest(t.head.Account) == account:
			ofAccount++
			fallthrough
		default:
			total++
		}
	}
	return x.turn, ofAccount, total
}

// watch returns a channel that is closed when a record changes, the version of the record that was read last, which is 0 if
// that was long ago, and when the task expires: the zero time if that is not known.
func (x *taskIndex) watch(hash string) (changed <-chan struct{}, version uint64, ends time.Time, stop func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := make(chan struct{})
	if x.watchers[hash] == nil {
		x.watchers[hash] = map[*chan struct{}]struct{}{}
	}
	x.watchers[hash][&c] = struct{}{}
	return c, max(x.read[hash], x.before[hash]), x.kept.tasks[hash].expires, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		if delete(x.watchers[hash], &c); len(x.watchers[hash]) == 0 {
			delete(x.watchers, hash)
		}
	}
}
