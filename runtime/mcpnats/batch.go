package mcpnats

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// batch is what is written to a stream together, or not at all (ADR-50 of NATS). The client library has no
// function for it yet.
type batch struct{ messages []*nats.Msg }

// add adds a message that replaces the one with the number version, or is the first of its subject if that is 0. It expires
// after a time unless that is 0.
func (b *batch) add(subject string, version uint64, keep time.Duration, data []byte) {
	m := nats.NewMsg(subject)
	m.Data = data
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(version, 10))
	if keep > 0 {
		m.Header.Set(ttlField, wholeSeconds(keep).String())
	}
	b.messages = append(b.messages, m)
}

// commit writes a batch and returns the number of its last message. The numbers are consecutive.
func (c *Cluster) commit(ctx context.Context, b *batch) (last uint64, err error) {
	if len(b.messages) == 1 {
		ack, err := c.js.PublishMsg(ctx, b.messages[0])
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
		var ack struct {
			Error    *jetstream.APIError `json:"error"`
			Sequence uint64              `json:"seq"`
			Count    int                 `json:"count"`
		}
		if err := json.Unmarshal(answer.Data, &ack); err != nil {
			return 0, fmt.Errorf("mcpnats: the answer to a batch: %w", err)
		}
		switch {
		case ack.Error != nil:
			return 0, ack.Error
		case ack.Count != len(b.messages):
			return 0, fmt.Errorf("mcpnats: %d of %d messages of a batch were written: the server needs to be 2.12 or newer", ack.Count, len(b.messages))
		}
		last = ack.Sequence
	}
	return last, nil
}
