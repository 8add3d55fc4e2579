package mcpnats

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go"
)

// This file carries messages between the copies of a session. They are not stored: the server
// reports immediately if a copy does not exist. Messages for one copy and for all copies arrive in
// one channel, in order.

// maxMessages limits the queued messages of a copy. Beyond it, the copy is notified that it has
// missed some.
const maxMessages = 1024

// copySubject is the subject of messages for one copy.
func (s *sessionStore) copySubject(id, name string) string { return s.subject("to", id, name) }

// copiesSubject is the subject of messages for all copies.
func (s *sessionStore) copiesSubject(id string) string { return s.subject("all", id) }

var (
	taken    = []byte{1}
	notTaken = []byte{0}
)

// Send implements [mcphttp.SessionStore].
func (s *sessionStore) Send(ctx context.Context, id, to string, message []byte) (bool, error) {
	m := nats.NewMsg(s.copiesSubject(id))
	if err := s.setText(ctx, m, "message", message, partsLonger); err != nil {
		return false, err
	}
	if to == "" {
		return false, s.nc.PublishMsg(m)
	}
	m.Subject = s.copySubject(id, to)
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	reply, err := s.nc.RequestMsgWithContext(ctx, m)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return false, nil
	case err != nil:
		return false, err
	}
	return len(reply.Data) == 1 && reply.Data[0] == taken[0], nil
}

// receiver receives the messages of a copy, in its own goroutine.
type receiver struct {
	cluster  *Cluster
	handle   func([]byte) bool
	messages chan *nats.Msg
	one, all *nats.Subscription
	lost     chan struct{} // has an element if messages may have been lost
	stop     chan struct{}
	stopping sync.Once
	ended    chan struct{}
}

// Receive implements [mcphttp.SessionStore].
func (s *sessionStore) Receive(ctx context.Context, id, name string, handle func([]byte) bool) (stop func(), err error) {
	r := &receiver{
		cluster: s.Cluster, handle: handle, messages: make(chan *nats.Msg, maxMessages),
		lost: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{}),
	}
	if r.one, err = s.nc.ChanSubscribe(s.copySubject(id, name), r.messages); err != nil {
		return nil, err
	}
	if r.all, err = s.nc.ChanSubscribe(s.copiesSubject(id), r.messages); err != nil {
		_ = r.one.Unsubscribe()
		return nil, err
	}
	s.Cluster.mu.Lock()
	closed := s.closed
	if !closed {
		s.receives[r] = struct{}{}
	}
	s.Cluster.mu.Unlock()
	if closed {
		err = errClosed
	} else {
		flushing, cancel := context.WithTimeout(ctx, openWait) // FlushWithContext needs a deadline
		err = s.nc.FlushWithContext(flushing)
		cancel()
	}
	go r.run()
	if err != nil {
		r.close()
		return nil, err
	}
	return r.close, nil
}

// missed notifies the copy that messages may have been lost.
func (r *receiver) missed() {
	select {
	case r.lost <- struct{}{}:
	default:
	}
}

// run handles messages until the receiver is closed.
func (r *receiver) run() {
	defer close(r.ended)
	dropped := 0
	for {
		select {
		case <-r.stop:
			return
		default:
		}
		select {
		case <-r.stop:
			return
		case <-r.lost:
			r.handle(nil)
		case m := <-r.messages:
			answer := notTaken
			if r.handle(r.text(m)) {
				answer = taken
			}
			if m.Reply != "" {
				_ = m.Respond(answer)
			}
			if now := r.dropped(); now != dropped {
				dropped = now
				r.handle(nil)
			}
		}
	}
}

// text returns a message's text, or nil if it is lost.
func (r *receiver) text(m *nats.Msg) []byte {
	ctx, cancel := context.WithTimeout(context.Background(), openWait)
	defer cancel()
	text, err := r.cluster.text(ctx, m.Header, m.Data)
	if err != nil {
		return nil
	}
	return text
}

// dropped returns the number of messages dropped since the channel was full.
func (r *receiver) dropped() int {
	one, _ := r.one.Dropped()
	all, _ := r.all.Dropped()
	return one + all
}

// close closes the receiver. When it returns, handle has returned and is not called again.
func (r *receiver) close() {
	r.stopping.Do(func() {
		_ = r.one.Unsubscribe()
		_ = r.all.Unsubscribe()
		close(r.stop)
		r.cluster.mu.Lock()
		delete(r.cluster.receives, r)
		r.cluster.mu.Unlock()
	})
	<-r.ended
}
