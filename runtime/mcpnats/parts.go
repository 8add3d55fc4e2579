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

// This file stores values that are too large for one message: in parts, each with its own expiry.
// The object store of JetStream does not support expiry.

// maxInline limits the length of a value inside a message; the default max_payload of a server is 1
// MB.
const maxInline = 256 << 10

// errPartsGone is returned if parts no longer exist.
var errPartsGone = errors.New("mcpnats: the parts of a message are gone")

// newParts returns a subject for the parts of a value that belongs to a name.
func (c *Cluster) newParts(name string) string { return c.subject("part", name, rand.Text()) }

// writeParts writes the parts of a value, and returns their number.
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

// readParts reads the parts of a value. It returns errPartsGone if one is missing.
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

// partsField is the header field with the subject and the number of a message's parts.
const partsField = "Mcp-Parts"

// setText sets a message's text, in parts if it is large.
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

// text returns a message's text.
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
