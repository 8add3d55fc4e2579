package mcpnats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// taskHead is a record without its sealed part. It is stored in a header field, so that it can be
// read alone.
type taskHead struct {
	Scope, Account []byte // digests
	ID             string
	Server, Tool   string
	Status         mcptask.Status
	Created        time.Time
	Expires        time.Time // by the clock of the replica that set it
	Until          time.Time `json:",omitzero"` // the same in the majority's time
	Ready          bool      `json:",omitempty"`
	Owner          string    `json:",omitempty"`
	Attempt        int       `json:",omitempty"`
	ReadyFrom      uint64    `json:",omitempty"` // version since which the task is Ready; 0 means this version
	Parts          string    `json:",omitempty"` // subject of the parts of the sealed data, unless that is in the message
	Count          int       `json:",omitempty"` // number of parts
	HeadBytes      int       // length of mcptask.Record.Head at the start of the data, in the message and then in the parts; the rest is Sealed
	Size           int64     // mcptask.Record.Size
}

// headField is the header field with a taskHead as JSON.
const headField = "Mcp-Task"

// ends returns when a task expires, in the majority's time.
func (h *taskHead) ends() time.Time {
	if h.Until.IsZero() { // from an earlier version
		return h.Expires
	}
	return h.Until
}

func (h *taskHead) expired(now time.Time) bool { return !now.Before(h.ends()) }

// runnable reports whether a task can be claimed, after the end of its lease if it has an owner.
func (h *taskHead) runnable() bool { return !h.Status.Ended() && (h.Ready || h.Owner != "") }

// digest returns a digest; a value with another length matches no task.
func digest(text []byte) (d mcptask.Digest) {
	copy(d[:], text)
	return d
}

func readHead(header nats.Header) (h taskHead, err error) {
	if err = json.Unmarshal([]byte(header.Get(headField)), &h); err != nil {
		err = fmt.Errorf("mcpnats: the record of a task: %w", err)
	}
	return h, err
}

// leaseEnd returns the latest end of a lease that was read now.
func leaseEnd(header nats.Header) time.Time {
	d, err := time.ParseDuration(header.Get(ttlField))
	if err != nil {
		d = time.Second
	}
	return time.Now().Add(d)
}

// taskHash returns the name of a task in subjects: any string may be an id.
func taskHash(k mcptask.Key) string {
	sum := sha256.Sum256(slices.Concat(k.Scope[:], []byte(k.ID)))
	return hex.EncodeToString(sum[:])
}

// storedTask is a stored record.
type storedTask struct {
	head    taskHead
	version uint64
	data    []byte
}

// readyFrom returns the version since which a task is Ready.
func (t *storedTask) readyFrom() uint64 {
	if t.head.ReadyFrom > 0 {
		return t.head.ReadyFrom
	}
	return t.version
}

// load reads a record from the leader, or returns nil if it does not exist.
func (s *taskStore) load(ctx context.Context, hash string) (*storedTask, error) {
	m, err := s.last(ctx, s.tasks, s.subject("task", "record", hash))
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("mcpnats: %w", err)
	}
	head, err := readHead(m.Header)
	return &storedTask{head, m.Sequence, m.Data}, err
}

// headOnly returns a record without mcptask.Record.Sealed.
func (t *storedTask) headOnly() *mcptask.Record {
	h := &t.head
	return &mcptask.Record{
		Key: mcptask.Key{Scope: digest(h.Scope), ID: h.ID}, Account: digest(h.Account), Server: h.Server, Tool: h.Tool, Status: h.Status,
		Created: h.Created, Expires: h.Expires, Ready: h.Ready, Owner: h.Owner, Attempt: h.Attempt, Version: t.version,
		Head: t.data[:min(h.HeadBytes, len(t.data))],
	}
}

// hasHead reports whether the message contains mcptask.Record.Head, which is in the parts if it is
// large.
func (t *storedTask) hasHead() bool { return t.head.HeadBytes <= len(t.data) }

// record returns a record.
func (s *taskStore) record(ctx context.Context, t *storedTask) (*mcptask.Record, error) {
	whole := *t
	if h := &t.head; h.Count > 0 {
		parts, err := s.readParts(ctx, h.Parts, h.Count)
		if err != nil {
			return nil, err
		}
		whole.data = slices.Concat(t.data, parts)
	}
	r := whole.headOnly()
	r.Sealed = whole.data[len(r.Head):]
	return r, nil
}

// write replaces a record, together with the messages that more adds to the batch, and returns its
// version.
func (s *taskStore) write(ctx context.Context, hash string, before *storedTask, r *mcptask.Record, version uint64, more func(*batch)) (uint64, error) {
	now := s.clock.time()
	h := taskHead{
		Scope: r.Key.Scope[:], Account: r.Account[:], ID: r.Key.ID, Server: r.Server, Tool: r.Tool, Status: r.Status,
		Created: r.Created.UTC(), Expires: r.Expires.UTC(), Ready: r.Ready, Owner: r.Owner, Attempt: r.Attempt,
		HeadBytes: len(r.Head), Size: r.Size(),
	}
	if before != nil && before.head.Ready && h.Ready {
		h.ReadyFrom = before.readyFrom()
	}
	if before != nil && before.head.Expires.Equal(h.Expires) {
		h.Until = before.head.ends()
	} else {
		h.Until = now.Add(r.Expires.Sub(s.clock.now())).UTC()
	}
	keep := wholeSeconds(h.Until.Sub(now))
	inline, parts := r.Head, r.Sealed
	if len(inline) > maxInline {
		inline, parts = nil, slices.Concat(r.Head, r.Sealed)
	}
	if len(parts) > maxInline {
		h.Parts = s.newParts(hash)
		var err error
		if h.Count, err = s.writeParts(ctx, h.Parts, parts, keep+partsLonger); err != nil {
			return 0, err
		}
		parts = nil
	}
	text, err := json.Marshal(h)
	if err != nil {
		return 0, err
	}
	var b batch
	b.add(s.subject("task", "record", hash), version, keep, slices.Concat(inline, parts))
	b.messages[0].Header.Set(headField, string(text))
	if more != nil {
		more(&b)
	}
	last, err := s.commit(ctx, s.tasks, &b)
	if err != nil {
		if wrongSequence(err) {
			s.removeParts(h.Parts)
		}
		return 0, err
	}
	s.index.wrote(last)
	if before != nil {
		s.removeParts(before.head.Parts)
	}
	return last - uint64(len(b.messages)) + 1, nil
}

// partsLonger is the time for which parts outlive the record that names them.
const partsLonger = time.Minute

// removeParts removes the parts of a replaced record. If that fails, they expire with the task.
func (s *taskStore) removeParts(subject string) {
	if subject == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), openWait)
	defer cancel()
	_ = s.parts.Purge(ctx, jetstream.WithPurgeSubject(subject+".*"))
}
