package mcpnats

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// This file writes and reads messages. A stream has no leader for 4 to 9 seconds after its server
// was killed: requests are sent again until the caller's time is over. A write whose answer is lost
// may have succeeded, and then conflicts with its own repetition; a name in a header field
// identifies it.
//
// A stream with several copies refuses a write while another write of the same subject is in
// progress, and for a moment after that one was answered: the leader sends the answer first, and
// then marks the write as done. That is not a conflict: the write is sent again until the other one
// has succeeded or failed.

const (
	// requestTime limits the wait of a caller without a deadline.
	requestTime = 5 * time.Second
	// attemptTime limits the wait for an answer before a request is sent again.
	attemptTime = 1500 * time.Millisecond
	// attemptPause is the time between two requests.
	attemptPause = 50 * time.Millisecond
	// minAttemptPause is the pause after the first refusal because of another write in progress. It
	// doubles with each refusal, up to attemptPause: most writes take milliseconds.
	minAttemptPause = time.Millisecond
)

// writeField is the header field with the name of a write.
const writeField = "Mcp-Write"

// ttlField is the header field with the lifetime of a message, in seconds.
const ttlField = "Nats-TTL"

// batch is a set of messages that is written to a stream atomically (ADR-50 of NATS). The client
// library does not support batches yet.
type batch struct{ messages []*nats.Msg }

// add adds a message. version is the sequence number of the message that it must replace (0: it
// must be the first of its subject); keep is its lifetime (0: no expiry).
func (b *batch) add(subject string, version uint64, keep time.Duration, data []byte) {
	m := nats.NewMsg(subject)
	m.Data = data
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(version, 10))
	if keep > 0 {
		m.Header.Set(ttlField, wholeSeconds(keep).String())
	}
	b.messages = append(b.messages, m)
}

// writeOne writes one message; see batch.add.
func (c *Cluster) writeOne(ctx context.Context, s jetstream.Stream, subject string, version uint64, keep time.Duration, data []byte) (uint64, error) {
	var b batch
	b.add(subject, version, keep, data)
	return c.commit(ctx, s, &b)
}

// commit writes a batch to a stream and returns the number of its last message. The numbers are
// consecutive. wrongSequence reports true for the error if another write was faster.
func (c *Cluster) commit(ctx context.Context, s jetstream.Stream, b *batch) (last uint64, err error) {
	first, name := b.messages[0], rand.Text()
	first.Header.Set(writeField, name)
	uncertain := false
	err = c.attempts(ctx, func(ctx context.Context) error {
		last, err = c.commitOnce(ctx, b)
		switch {
		case err == nil || isRefusal(err):
		case !wrongSequence(err):
			uncertain = true
		case uncertain:
			m, failed := s.GetLastMsgForSubject(ctx, first.Subject)
			switch {
			case failed == nil && m.Header.Get(writeField) == name:
				last, err = m.Sequence+uint64(len(b.messages)-1), nil
			case failed != nil && !errors.Is(failed, jetstream.ErrMsgNotFound):
				err = failed
			}
		}
		return err
	})
	return last, err
}

// attempts calls a function, with a part of the time each, until it succeeds, fails permanently, or
// the time is over.
func (c *Cluster) attempts(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	next := minAttemptPause
	for {
		attempt, cancel := context.WithTimeout(ctx, attemptTime)
		err := f(attempt)
		cancel()
		if err == nil || !isTemporary(err) {
			return err
		}
		pause := attemptPause
		if isUnderWay(err) {
			pause, next = next, min(2*next, attemptPause)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		case <-c.stop:
			return errClosed
		}
	}
}

// withDeadline returns a context that has a deadline.
func withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, requestTime)
}

// commitOnce sends a batch.
func (c *Cluster) commitOnce(ctx context.Context, b *batch) (last uint64, err error) {
	if len(b.messages) == 1 {
		ack, err := c.js.PublishMsg(ctx, b.messages[0], jetstream.WithRetryAttempts(0))
		if err != nil {
			return 0, err
		}
		return ack.Sequence, nil
	}
	id := rand.Text()
	for i, m := range b.messages {
		m.Header.Set("Nats-Batch-Id", id)
		m.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i+1))
		if i < len(b.messages)-1 {
			if err := c.nc.PublishMsg(m); err != nil {
				return 0, err
			}
			continue
		}
		m.Header.Set("Nats-Batch-Commit", "1")
		answer, err := c.nc.RequestMsgWithContext(ctx, m)
		if err != nil {
			return 0, err
		}
		if last, err = readBatchAnswer(answer.Data, len(b.messages)); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// readBatchAnswer reads the answer to a batch with the given number of messages.
func readBatchAnswer(text []byte, messages int) (last uint64, err error) {
	var ack struct {
		Error    *jetstream.APIError `json:"error"`
		Sequence uint64              `json:"seq"`
		Count    int                 `json:"count"`
	}
	if err := json.Unmarshal(text, &ack); err != nil {
		return 0, fmt.Errorf("mcpnats: the answer to a batch: %w", err)
	}
	switch {
	case ack.Error != nil:
		return 0, ack.Error
	case ack.Count != messages:
		return 0, fmt.Errorf("mcpnats: %d of %d messages of a batch were written: the server needs to be 2.12 or newer", ack.Count, messages)
	}
	return ack.Sequence, nil
}

// last reads the last message of a subject from the leader of the stream. It returns
// jetstream.ErrMsgNotFound if the subject is empty.
func (c *Cluster) last(ctx context.Context, s jetstream.Stream, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = c.attempts(ctx, func(ctx context.Context) error {
		m, err = s.GetLastMsgForSubject(ctx, subject)
		return err
	})
	return m, err
}

// isRefusal reports whether an error means that the request has written nothing, and will not. An
// earlier attempt may have.
func isRefusal(err error) bool {
	_, answered := errors.AsType[*jetstream.APIError](err)
	return answered && !wrongSequence(err) || errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse)
}

// isTemporary reports whether an error is temporary: no leader is elected, not all servers have
// started, or another write is in progress.
func isTemporary(err error) bool {
	if e, ok := errors.AsType[*jetstream.APIError](err); ok {
		return (e.Code == 503 || e.Code == 408) && !slices.Contains(lastingErrors, e.ErrorCode) || slices.Contains(temporaryErrors, e.ErrorCode)
	}
	for _, e := range []error{
		nats.ErrTimeout, context.DeadlineExceeded, nats.ErrNoResponders, jetstream.ErrNoStreamResponse,
		nats.ErrDisconnected, nats.ErrConnectionReconnecting,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

var (
	// temporaryErrors are returned by a cluster with too few servers for a stream, for a batch
	// whose leader has changed, for too many concurrent batches, and for a write while another one
	// is in progress.
	temporaryErrors = []jetstream.ErrorCode{10005, 10176, 10210, jetstream.JSErrCodeStreamWrongLastSequenceConstant}
	// lastingErrors are returned by a full stream or server.
	lastingErrors = []jetstream.ErrorCode{10023, 10047, 10077}
)

// wrongSequence reports whether a write was refused because another one preceded it.
func wrongSequence(err error) bool { return hasCode(err, jetstream.JSErrCodeStreamWrongLastSequence) }

// isUnderWay reports whether a write was refused because another write of its subject is in
// progress.
func isUnderWay(err error) bool {
	return hasCode(err, jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

func hasCode(err error, code jetstream.ErrorCode) bool {
	e, ok := errors.AsType[*jetstream.APIError](err)
	return ok && e.ErrorCode == code
}
