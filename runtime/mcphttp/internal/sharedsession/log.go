package sharedsession

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Log appends the messages of a stream, that of one request, to the store before they are written: a goroutine
// appends them one by one, and the response writes what is appended. A client that resumes reads from the
// store ([Follower]), at this replica too. A stream that becomes one plain reply has no log.
type Log struct {
	session  *Session
	stream   Stream
	guard    sync.Locker // of the stream
	name     string
	id       jsonrpc.ID    // of the request
	appended int           // the sequence number of the last message in the store; -1 before the beginning
	wake     chan struct{} // there is something to append, or nothing will come
}

// Stream is a stream as the handler of this replica has it. A log holds its guard while it calls a method.
type Stream interface {
	// Next returns the event of the message with that sequence number; the kind is 0 if there is none yet. It
	// reports false if none will follow.
	Next(seq int) (kind Kind, text []byte, more bool)
	// Drop drops messages before that sequence number, if a client that reads has got them.
	Drop(before int)
	// Advanced is called when more messages may be written.
	Advanced()
	// Ended is called when nothing more is appended. The error is that of the store.
	Ended(err error)
}

// NewLog begins to append the messages of a stream.
func (c *Session) NewLog(s Stream, guard sync.Locker, number int, request jsonrpc.ID) *Log {
	l := &Log{session: c, stream: s, guard: guard, name: c.streamName(number), id: request, appended: -1, wake: make(chan struct{}, 1)}
	c.Logs.Add()
	go l.run()
	return l
}

// Changed has the goroutine look at the stream, and the stream drop what need not be kept.
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
				// The messages of the session do not wait for the log.
				l.session.Fails(context.Background(), "events of a session cannot be kept: its client cannot resume", err)
			}
			return
		}
		kind, text = l.next()
	}
}

// EndsElsewhere reports whether an error of the store means that another replica has said how the call ends.
func EndsElsewhere(err error) bool {
	return errors.Is(err, ErrConflict) || errors.Is(err, ErrNoSession)
}

// note records that an event is in the store. It reports false if nothing can follow.
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

// Release ends the response at another replica that follows a stream. The client resumes after that time.
func (c *Session) Release(number int, retry time.Duration) {
	name := c.streamName(number)
	go func() {
		c.releaseFollower(name, retry)
		c.sendAll(context.Background(), message{Kind: releasedMessage, Stream: name, Retry: retry})
	}()
}
