package sharedsession

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Log appends the messages of a request's stream to the store before they are written: a goroutine
// appends them one by one, and the response writes the appended ones. A client that resumes reads
// from the store ([Follower]), at this replica too. A stream that becomes one plain reply has no
// log.
type Log struct {
	session  *Session
	stream   Stream
	guard    sync.Locker // guard of the stream
	name     string
	id       jsonrpc.ID    // id of the request
	appended int           // sequence number of the last message in the store; -1 before the beginning
	wake     chan struct{} // signals that a message can be appended, or that none will follow
}

// Stream is a stream of the handler of this replica. A log holds its guard while it calls a method.
type Stream interface {
	// Next returns the event of the message with that sequence number; its kind is 0 if the stream
	// does not contain it yet. more is false if no message will follow.
	Next(seq int) (kind Kind, text []byte, more bool)
	// Drop drops messages before that sequence number, if a client that is reading has received
	// them.
	Drop(before int)
	// Advanced is called when more messages may be written.
	Advanced()
	// Ended is called when nothing more is appended. err is an error of the store, or nil.
	Ended(err error)
}

// NewLog begins to append the messages of a stream.
func (c *Session) NewLog(s Stream, guard sync.Locker, number int, request jsonrpc.ID) *Log {
	l := &Log{session: c, stream: s, guard: guard, name: c.streamName(number), id: request, appended: -1, wake: make(chan struct{}, 1)}
	c.Logs.Add()
	go l.run()
	return l
}

// Changed makes the goroutine look at the stream, and makes the stream drop messages that need not
// be kept.
func (l *Log) Changed() {
	l.stream.Drop(l.Ready())
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Ready returns the sequence number before which messages may be written.
func (l *Log) Ready() int { return l.appended + 1 }

// ID returns the id of the event with that sequence number.
func (l *Log) ID(seq int) string { return eventID(l.name, seq) }

// run appends all messages, until the stream ends.
func (l *Log) run() {
	defer l.session.Logs.Done()
	kind, text := beginEvent, []byte(nil)
	for after := uint64(0); kind != 0; after++ {
		err := l.session.append(l.name, after, kind, l.id, text)
		if !l.note(kind, err) {
			if err != nil && !EndsElsewhere(err) {
				// Messages of the session do not wait for the log.
				l.session.Fails(context.Background(), "events of a session cannot be kept: its client cannot resume", err)
			}
			return
		}
		kind, text = l.next()
	}
}

// EndsElsewhere reports whether an error of the store means that another replica has recorded the
// end of the call.
func EndsElsewhere(err error) bool {
	return errors.Is(err, ErrConflict) || errors.Is(err, ErrNoSession)
}

// note records that the store contains an event. It returns false if none can follow.
func (l *Log) note(kind Kind, err error) (more bool) {
	l.guard.Lock()
	defer l.guard.Unlock()
	if err == nil {
		l.appended++
		l.stream.Drop(l.Ready())
		l.stream.Advanced()
	}
	if err != nil || kind == LastEvent {
		l.stream.Ended(err)
		return false
	}
	return true
}

// next waits for the next event, and returns it. Its kind is 0 if none will follow.
func (l *Log) next() (kind Kind, text []byte) {
	look := func() (more bool) {
		l.guard.Lock()
		defer l.guard.Unlock()
		if kind, text, more = l.stream.Next(l.Ready()); !more {
			l.stream.Ended(nil)
		}
		return more
	}
	for look() && kind == 0 {
		<-l.wake
	}
	return kind, text
}

// runs reports whether messages of a stream are being appended here.
func (c *Session) runs(name string) bool {
	owner, number, ok := parseStreamName(name)
	return ok && owner == c.name && c.local.Load().Runs(number)
}

// Release completes the response at another replica that follows a stream. The client resumes after
// the time retry.
func (c *Session) Release(number int, retry time.Duration) {
	name := c.streamName(number)
	go func() {
		c.releaseFollower(name, retry)
		c.sendAll(context.Background(), message{Kind: releasedMessage, Stream: name, Retry: retry})
	}()
}
