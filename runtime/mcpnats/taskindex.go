package mcpnats

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// taskIndex contains the heads of unfinished tasks, as a replica has read them.
type taskIndex struct {
	mu       sync.Mutex
	open     map[string]*openTask                   // by hash
	runnable map[string]*openTask                   // the tasks in open that can be claimed, or run
	watchers map[string]map[*chan struct{}]struct{} // by hash
	read     map[string]uint64                      // sequence number of the last record that was read, by hash
	before   map[string]uint64                      // sequence number of the record before that
	changed  chan struct{}                          // closed and replaced after each read
	seen     uint64                                 // sequence number of the last message that was read
	written  uint64                                 // sequence number of the last message that this replica has written
	turn     uint64                                 // sequence number of the last creation that was read
	made     time.Time                              // creation time of the stream
	kept     keptTasks
}

// openTask is an unfinished task.
type openTask struct {
	head  taskHead
	from  uint64    // version since which it is Ready, or has its owner
	tryAt time.Time // when it can be claimed
	ready time.Time // when the index learned that it can be claimed, or runs
	// The last lease that was read, and its latest end, by the clock of this process.
	lease    uint64
	leaseEnd time.Time
}

func newTaskIndex() *taskIndex {
	return &taskIndex{
		open: map[string]*openTask{}, runnable: map[string]*openTask{}, watchers: map[string]map[*chan struct{}]struct{}{}, changed: make(chan struct{}),
		read: map[string]uint64{},
	}
}

// maxRead is the minimum number of records whose sequence numbers the index remembers. They serve
// records that the leader of the stream does not have yet, for some milliseconds.
const maxRead = 1000

// readPause is the delay before the stream is read again after an error.
const readPause = 100 * time.Millisecond

// readIndex reads the stream until the store is closed.
func (s *taskStore) readIndex() {
	for !s.closedNow() {
		s.lookAtStream()
		// Without a leader this fails, and readIndex tries again: methods report their own errors.
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

// lookAtStream forgets everything if the servers have lost the stream and another one was created.
func (s *taskStore) lookAtStream() {
	if found, err := s.findStream(s.ctx, "mcp-"+s.name+"-task"); err == nil {
		s.index.readFrom(found.CachedInfo().Created)
	}
}

// next returns the number of the first unread message.
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
	case begun: // the lease follows in the same batch; if it does not, the index looks for it after this time
		t.tryAt = time.Now().Add(time.Second)
	case head.Owner == "":
		t.tryAt = time.Time{}
	}
}

// remove removes a finished or expired task.
func (x *taskIndex) remove(hash string) {
	delete(x.open, hash)
	delete(x.runnable, hash)
}

// readFrom forgets all tasks if they belong to a stream with another creation time. Watchers then
// look for their tasks.
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

// wake wakes the goroutines that wait for changed. The caller holds the lock.
func (x *taskIndex) wake() {
	close(x.changed)
	x.changed = make(chan struct{})
}

// lastTurn returns the number of the last creation that was read.
func (x *taskIndex) lastTurn() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.turn
}

// resetAfter forgets all tasks if turn, the last one in the stream, precedes read, which the index
// had read before the stream was asked: the servers have lost the stream, and it was created again.
// What the index reads after that may be later than turn, since other replicas create tasks too.
func (x *taskIndex) resetAfter(read, turn uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if turn < read {
		x.turn, x.kept = turn, keptTasks{}
		clear(x.open)
		clear(x.runnable)
		clear(x.read)
		clear(x.before)
	}
}

// wrote records the number of a message that this replica has written.
func (x *taskIndex) wrote(sequence uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.written = max(x.written, sequence)
}

// wait waits until the index has read the given message or a later one, and everything that this
// replica has written. Messages of a lost stream no longer count.
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

// count returns the number of open tasks after the creation with the number turn.
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

// watch returns a channel that is closed when the record changes; the version of the last record
// that was read, or 0 if that was long ago; and the expiry of the task, or the zero time if it is
// unknown.
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
