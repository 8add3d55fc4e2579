package mcpnats

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// This file stores the events of session streams. The events of one stream are the messages of one
// subject; a header field of each contains its number, since all sessions share the sequence
// numbers of JetStream.

// maxEvents limits the stored events of a stream.
const maxEvents = 10_000

// numberField is the header field with the number of an event.
const numberField = "Mcp-Number"

// sessionStore implements [mcphttp.SessionStore].
type sessionStore struct {
	*Cluster

	mu      sync.Mutex
	written map[string]position // streams that this process appends to, by subject
}

// position is the last event of a stream.
type position struct {
	number   uint64
	sequence uint64 // of JetStream
}

// maxWritten limits the streams whose position is stored. For others it is read again.
const maxWritten = 10_000

// eventSubject is the subject of a stream.
func (s *sessionStore) eventSubject(id, stream string) string {
	return s.subject("event", id, strings.ReplaceAll(stream, ".", "_"))
}

// Append implements [mcphttp.SessionStore].
func (s *sessionStore) Append(ctx context.Context, id, stream string, after uint64, event []byte) error {
	subject := s.eventSubject(id, stream)
	last, known := s.position(subject)
	if !known || last.number != after {
		var err error
		if last, err = s.lastEvent(ctx, subject); err != nil {
			return err
		}
		known = false
	}
	if last.number == 0 || !known {
		if _, err := s.get(ctx, id); err != nil {
			return err
		}
	}
	if last.number != after {
		return mcphttp.ErrConflict
	}
	err := s.add(ctx, subject, last, event)
	if !wrongSequence(err) || !known {
		return conflict(err)
	}
	// Another replica has appended an event, or the last event is no longer stored, for instance
	// after a long silence.
	if _, err := s.get(ctx, id); err != nil {
		return err
	}
	if now, err := s.lastEvent(ctx, subject); err != nil || now.number != 0 {
		if err == nil {
			err = mcphttp.ErrConflict
		}
		return err
	}
	return conflict(s.add(ctx, subject, position{number: after}, event))
}

// conflict returns the error for the caller of Append.
func conflict(err error) error {
	if wrongSequence(err) {
		return mcphttp.ErrConflict
	}
	return err
}

// position returns the last event that this process has appended to a stream.
func (s *sessionStore) position(subject string) (position, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, known := s.written[subject]
	return last, known
}

// add adds the event after the last one.
func (s *sessionStore) add(ctx context.Context, subject string, last position, event []byte) error {
	var b batch
	b.add(subject, last.sequence, 0, nil)
	if err := s.setText(ctx, b.messages[0], "event", event, s.eventTime+partsLonger); err != nil {
		return err
	}
	b.messages[0].Header.Set(numberField, strconv.FormatUint(last.number+1, 10))
	sequence, err := s.commit(ctx, s.events, &b)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		delete(s.written, subject) // it may or may not have been written
		return err
	}
	if len(s.written) >= maxWritten {
		clear(s.written)
	}
	s.written[subject] = position{last.number + 1, sequence}
	return nil
}

// lastEvent reads the last stored event of a stream; the number is 0 if none is stored.
func (s *sessionStore) lastEvent(ctx context.Context, subject string) (position, error) {
	m, err := s.last(ctx, s.events, subject)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return position{}, nil
	case err != nil:
		return position{}, err
	}
	number, err := numberOf(m.Header)
	return position{number, m.Sequence}, err
}

// numberOf returns the number of an event.
func numberOf(h nats.Header) (uint64, error) {
	number, err := strconv.ParseUint(h.Get(numberField), 10, 64)
	if err != nil || number == 0 {
		return 0, fmt.Errorf("mcpnats: an event has the number %q", h.Get(numberField))
	}
	return number, nil
}

// Events implements [mcphttp.SessionStore].
func (s *sessionStore) Events(ctx context.Context, id, stream string, after uint64) iter.Seq2[mcphttp.Event, error] {
	return func(yield func(mcphttp.Event, error) bool) {
		subject := s.eventSubject(id, stream)
		last, err := s.lastEvent(ctx, subject)
		if err == nil && last.number < after {
			err = mcphttp.ErrGone
		}
		if err == nil && last.number == 0 {
			_, err = s.get(ctx, id)
		}
		if err != nil {
			yield(mcphttp.Event{}, err)
			return
		}
		var failed error
		one := func(m jetstream.Msg) bool {
			number, err := numberOf(m.Headers())
			switch {
			case err != nil:
				failed = err
			case number <= after:
				return true
			case number != after+1:
				failed = mcphttp.ErrGone
			default:
				text, err := s.text(ctx, m.Headers(), m.Data())
				if err == nil {
					after = number
					return yield(mcphttp.Event{Sequence: number, Data: text}, nil)
				}
				if failed = err; errors.Is(err, errPartsGone) {
					failed = mcphttp.ErrGone
				}
			}
			return false
		}
		for failing := time.Now(); ; {
			begin := time.Now()
			err = s.read(ctx, "mcp-"+s.name+"-event", subject, 1, false, one)
			if time.Since(begin) > requestTime { // the stream was readable in the meantime
				failing = time.Now()
			}
			if failed != nil || errors.Is(err, errStopped) || errors.Is(err, errClosed) || ctx.Err() != nil || time.Since(failing) >= requestTime {
				break
			}
			select {
			case <-time.After(readPause):
			case <-ctx.Done():
			}
		}
		switch {
		case failed != nil:
			yield(mcphttp.Event{}, failed)
		case !errors.Is(err, errStopped):
			yield(mcphttp.Event{}, err)
		}
	}
}
