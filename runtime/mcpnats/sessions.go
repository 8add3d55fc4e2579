package mcpnats

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Sessions returns a store of sessions. A record is the last message of a subject, which expires
// with the session. Reads go to the leader of the stream: other servers may not have the latest
// record yet.
func (c *Cluster) Sessions() mcphttp.SessionStore {
	return &sessionStore{Cluster: c, written: map[string]position{}}
}

// idleField is the header field with the idle time of a session, in seconds.
const idleField = "Mcp-Idle"

// recordSubject is the subject of a record.
func (s *sessionStore) recordSubject(id string) string { return s.subject("session", id) }

// put writes a record that replaces the given version.
func (s *sessionStore) put(ctx context.Context, id string, record []byte, idle time.Duration, version uint64) (uint64, error) {
	var b batch
	b.add(s.recordSubject(id), version, idle, record)
	b.messages[0].Header.Set(idleField, strconv.Itoa(int(idle/time.Second)))
	version, err := s.commit(ctx, s.records, &b)
	if wrongSequence(err) {
		return 0, mcphttp.ErrConflict
	}
	return version, err
}

// get reads a record.
func (s *sessionStore) get(ctx context.Context, id string) (*jetstream.RawStreamMsg, error) {
	m, err := s.last(ctx, s.records, s.recordSubject(id))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, mcphttp.ErrNoSession
	}
	return m, err
}

// idleOf returns the idle time of a session.
func idleOf(m *jetstream.RawStreamMsg) (time.Duration, error) {
	seconds, err := strconv.Atoi(m.Header.Get(idleField))
	if err != nil || seconds < 1 {
		return 0, fmt.Errorf("mcpnats: the record of a session has the idle time %q", m.Header.Get(idleField))
	}
	return time.Duration(seconds) * time.Second, nil
}

// Create implements [mcphttp.SessionStore].
func (s *sessionStore) Create(ctx context.Context, id string, record []byte, idle time.Duration) (uint64, error) {
	return s.put(ctx, id, record, wholeSeconds(idle), 0)
}

// Load implements [mcphttp.SessionStore].
func (s *sessionStore) Load(ctx context.Context, id string) (record []byte, version uint64, err error) {
	m, err := s.get(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	return m.Data, m.Sequence, nil
}

// Update implements [mcphttp.SessionStore].
func (s *sessionStore) Update(ctx context.Context, id string, record []byte, version uint64) (uint64, error) {
	m, err := s.get(ctx, id) // for the idle time, and since version 0 would create the session
	switch {
	case err != nil:
		return 0, err
	case m.Sequence != version:
		return 0, mcphttp.ErrConflict
	}
	idle, err := idleOf(m)
	if err != nil {
		return 0, err
	}
	return s.put(ctx, id, record, idle, version)
}

// Touch implements [mcphttp.SessionStore].
func (s *sessionStore) Touch(ctx context.Context, id string) error {
	for {
		m, err := s.get(ctx, id)
		if err != nil {
			return err
		}
		idle, err := idleOf(m)
		if err != nil {
			return err
		}
		_, err = s.put(ctx, id, m.Data, idle, m.Sequence)
		if !errors.Is(err, mcphttp.ErrConflict) {
			return err
		}
	}
}

// Delete implements [mcphttp.SessionStore].
func (s *sessionStore) Delete(ctx context.Context, id string) error {
	return s.attempts(ctx, func(ctx context.Context) error {
		if err := s.records.Purge(ctx, jetstream.WithPurgeSubject(s.recordSubject(id))); err != nil {
			return err
		}
		return s.events.Purge(ctx, jetstream.WithPurgeSubject(s.subject("event", id, ">")))
	})
}
