package mcpnats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// This file stores what is too large for one message: in parts, each with an expiry of its own. The object store of JetStream has no expiry.

// maxInline is up to which length something is part of its message; max_payload of a server is 1 MB unless it is set.
const maxInline = 256 << 10

// errPartsGone means that parts are not there any more.
var errPartsGone = errors.New("mcpnats: the parts of a message are gone")

// newParts returns the subject for parts of something that belongs to a name.
func (c *Cluster) newParts(name string) string { return c.subject("part", name, rand.Text()) }

// writeParts writes parts, and returns how many.
func (c *Cluster) writeParts(ctx context.Context, subject string, text []byte, keep time.Duration) (int, error) {
	i := 0
	for part := range slices.Chunk(text, maxInline) {
		if _, err := c.writeOne(ctx, c.parts, subject+"."+strconv.Itoa(i), 0, keep, part); err != nil {
			return 0, fmt.Errorf("mcpnats: %w", err)
		}
		i++
	}
	return i, nil
}

// readParts reads parts. The error is errPartsGone if one is missing.
func (c *Cluster) readParts(ctx context.Context, subject string, count int) (text []byte, err error) {
	for i := range count {
		m, err := c.last(ctx, c.parts, subject+"."+strconv.Itoa(i))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil, errPartsGone
		case err != nil:
			return nil, fmt.Errorf("mcpnats: %w", err)
		}
		text = append(text, m.Data...)
	}
	return text, nil
}

// partsField has the subject of the parts of a message, and their count.
const partsField = "Mcp-Parts"

// setText sets the text of a message, in parts if it is large.
func (c *Cluster) setText(ctx context.Context, m *nats.Msg, name string, text []byte, keep time.Duration) error {
	if len(text) <= maxInline {
		m.Data = text
		return nil
	}
	subject := c.newParts(name)
	count, err := c.writeParts(ctx, subject, text, keep)
	if err == nil {
		m.Header.Set(partsField, subject+" "+strconv.Itoa(count))
	}
	return err
}

// text returns the text of a message.
func (c *Cluster) text(ctx context.Context, header nats.Header, data []byte) ([]byte, error) {
	value := header.Get(partsField)
	if value == "" {
		return data, nil
	}
	subject, number, _ := strings.Cut(value, " ")
	count, err := strconv.Atoi(number)
	if err != nil || count < 1 || !strings.HasPrefix(subject, c.subject("part", "")) {
		return nil, fmt.Errorf("mcpnats: a message has the parts %q", value)
	}
	return c.readParts(ctx, subject, count)
}
