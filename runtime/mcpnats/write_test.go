package mcpnats

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// leader simulates the leader of a stream with several copies, like nats-server 2.15: while a write
// is in progress, it refuses others of the same subject.
type leader struct {
	jetstream.JetStream
	made  time.Duration // duration of a write; negative: it never ends
	ended time.Duration // additional time for which it counts as in progress
	mute  bool          // no write is answered

	mu       sync.Mutex
	sequence uint64
	last     map[string]*jetstream.RawStreamMsg // by their subjects
	underWay map[string]bool
	refused  int // writes refused because of another one in progress
}

// PublishMsg implements [jetstream.JetStream].
func (l *leader) PublishMsg(ctx context.Context, m *nats.Msg, _ ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.underWay[m.Subject] {
		l.refused++
		return nil, &jetstream.APIError{Code: 400, ErrorCode: 10164}
	}
	before := uint64(0)
	if last := l.last[m.Subject]; last != nil {
		before = last.Sequence
	}
	if m.Header.Get(jetstream.ExpectedLastSubjSeqHeader) != strconv.FormatUint(before, 10) {
		return nil, &jetstream.APIError{Code: 400, ErrorCode: 10071}
	}
	l.underWay[m.Subject] = true
	answer := make(chan *jetstream.PubAck, 1)
	if l.made >= 0 {
		written := &jetstream.RawStreamMsg{Subject: m.Subject, Header: nats.Header{}, Data: m.Data}
		for name, values := range m.Header {
			written.Header[name] = append([]string(nil), values...)
		}
		mute, ended := l.mute, l.ended
		time.AfterFunc(l.made, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.sequence++
			written.Sequence = l.sequence
			l.last[m.Subject] = written
			if !mute {
				answer <- &jetstream.PubAck{Sequence: l.sequence}
			}
			time.AfterFunc(ended, func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				delete(l.underWay, m.Subject)
			})
		})
	}
	l.mu.Unlock()
	defer l.mu.Lock()
	select {
	case ack := <-answer:
		return ack, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// streamOf is the stream of a leader.
type streamOf struct {
	jetstream.Stream
	*leader
}

// GetLastMsgForSubject implements [jetstream.Stream].
func (s streamOf) GetLastMsgForSubject(_ context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.last[subject]; m != nil {
		return m, nil
	}
	return nil, jetstream.ErrMsgNotFound
}

// Info implements [jetstream.Stream].
func (s streamOf) Info(context.Context, ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &jetstream.StreamInfo{State: jetstream.StreamState{LastSeq: s.sequence}}, nil
}

// ledStore returns a store of the session X at a leader.
func ledStore(l *leader) *sessionStore {
	l.underWay, l.last = map[string]bool{}, map[string]*jetstream.RawStreamMsg{}
	s := streamOf{leader: l}
	c := &Cluster{js: l, name: "test", stop: make(chan struct{}), records: s, events: s}
	store := c.Sessions().(*sessionStore)
	l.sequence = 1
	l.last[store.recordSubject("X")] = &jetstream.RawStreamMsg{Sequence: 1}
	return store
}

// An event that immediately follows another one is appended, although the leader considers the
// previous write as in progress for a moment after its answer. A conflict would end the call: its
// stream would seem to be closed by another replica.
func TestWriteAfterAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &leader{made: time.Millisecond, ended: 3 * time.Millisecond}
		s := ledStore(l)
		for i := range uint64(5) {
			if err := s.Append(t.Context(), "X", "A.1", i, []byte("event")); err != nil {
				t.Fatalf("event %d: %v", i+1, err)
			}
		}
		if l.refused == 0 {
			t.Error("no write was refused")
		}
	})
}

// A write whose answer is lost is recognized when it succeeds after all; in the meantime it blocks
// its own repetition.
func TestOwnWriteUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &leader{made: attemptTime + time.Second, mute: true}
		if err := ledStore(l).Append(t.Context(), "X", "A.1", 0, []byte("event")); err != nil {
			t.Error(err)
		}
		if l.refused == 0 {
			t.Error("no write was refused")
		}
	})
}

// The write of another replica is a conflict when it succeeds, and not before.
func TestOtherWriteUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &leader{made: time.Second}
		s := ledStore(l)
		other := &sessionStore{Cluster: s.Cluster, written: map[string]position{}}
		appended := make(chan error)
		go func() { appended <- other.Append(t.Context(), "X", "A.1", 0, []byte("other")) }()
		synctest.Wait()
		begin := time.Now()
		if err := s.Append(t.Context(), "X", "A.1", 0, []byte("event")); err != mcphttp.ErrConflict {
			t.Errorf("the event after another one: %v", err)
		}
		if err := <-appended; err != nil || time.Since(begin) < l.made {
			t.Errorf("the other event after %s: %v", time.Since(begin), err)
		}
	})
}

// A write that neither succeeds nor fails, since the majority of servers is gone, is not a
// conflict: the store is unavailable.
func TestWriteUnderWayForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &leader{made: -1}
		s := ledStore(l)
		begin := time.Now()
		err := s.Append(t.Context(), "X", "A.1", 0, []byte("event"))
		if err == nil || errors.Is(err, mcphttp.ErrConflict) || time.Since(begin) != requestTime {
			t.Errorf("after %s: %v", time.Since(begin), err)
		}
		if l.refused == 0 || l.refused > int(requestTime/attemptPause)+10 {
			t.Errorf("%d writes were refused", l.refused)
		}
	})
}
