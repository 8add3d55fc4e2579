package sharedsession

import (
	"context"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Kind is the kind of an event in the store.
type Kind byte

// An event in the store consists of its kind, the id of the request, and a message. The beginning
// has the number 1, the n-th message n+1.
const (
	beginEvent   Kind = iota + 1 // without a message; it creates the stream before the client gets an id
	MessageEvent                 // a message that is not the last one
	LastEvent                    // ends the stream; it may be without a message
)

// appendStored writes an event for the store.
func appendStored(b []byte, kind Kind, id jsonrpc.ID, text []byte) []byte {
	b = append(b, byte(kind))
	b = binary.AppendUvarint(b, uint64(len(id.Raw())))
	b = append(b, id.Raw()...)
	return append(b, text...)
}

// readStored reads an event of the store.
func readStored(b []byte) (kind Kind, id jsonrpc.ID, text []byte, ok bool) {
	if len(b) == 0 {
		return 0, id, nil, false
	}
	kind, b = Kind(b[0]), b[1:]
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return 0, id, nil, false
	}
	id, ok = jsonrpc.RawID(b[n : n+int(size)])
	return kind, id, b[n+int(size):], ok
}

// append adds an event with the number after+1 to a stream.
func (c *Session) append(stream string, after uint64, kind Kind, id jsonrpc.ID, text []byte) error {
	ctx := context.Background()
	sealed, err := c.Host.Seal(ctx, eventPurpose(c.ID, stream, after+1), appendStored(nil, kind, id, text))
	if err != nil {
		return err
	}
	return withStore(ctx, func(ctx context.Context) error { return c.Store.Append(ctx, c.ID, stream, after, sealed) })
}

// eventPurpose returns the purpose under which an event is sealed, so that events cannot be moved
// within a stream, or to another one.
func eventPurpose(id, stream string, number uint64) string {
	return "event " + id + " " + stream + " " + strconv.FormatUint(number, 10)
}

// streamName returns the name of a stream of this copy.
func (c *Session) streamName(number int) string { return c.name + "." + strconv.Itoa(number) }

// parseStreamName parses the result of streamName.
func parseStreamName(name string) (owner string, number int, ok bool) {
	owner, text, _ := strings.Cut(name, ".")
	number, err := strconv.Atoi(text)
	return owner, number, err == nil && number > 0 && strconv.Itoa(number) == text && isRandomText(owner)
}

// eventID returns the id of an event of a stream.
func eventID(stream string, seq int) string { return stream + "-" + strconv.Itoa(seq) }

// parseEventID parses the id of an event, with or without data.
func parseEventID(id string) (stream string, seq uint64, ok bool) {
	stream, rest, _ := strings.Cut(id, "-")
	seq, ok = parseSequence(rest)
	return stream, seq, ok
}

// parseSequence parses a number, which may be followed by the number of an empty event.
func parseSequence(text string) (seq uint64, ok bool) {
	text, empty, more := strings.Cut(text, "-")
	if n, err := strconv.ParseUint(empty, 10, 64); more && (err != nil || n < 1) { // up to 1<<32, also where int has 32 bits
		return 0, false
	}
	seq, err := strconv.ParseUint(text, 10, 62)
	return seq, err == nil
}
