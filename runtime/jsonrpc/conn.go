package jsonrpc

import (
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/discarded"
)

// DefaultLimit is the default for the largest message, in bytes: 4 MiB.
const DefaultLimit = 4 << 20

// Conn carries messages between two peers. One goroutine may read while another writes; Close may
// be called by any goroutine at any time. It makes Read and Write fail, and does not wait for a
// call that is blocked.
type Conn interface {
	// Read returns the next message, without its line end. It is valid until the next Read. A
	// [*FrameError] concerns one message, and the caller can go on reading. After any other error
	// the connection is at its end: io.EOF if the peer closed it in order.
	Read() ([]byte, error)

	// Write sends one or more messages, each ended by a newline. Messages never contain one. Write
	// does not retain the batch.
	Write(batch []byte) error

	Close() error
}

// FrameError reports a message that was skipped: it has more bytes than allowed or, if Overloaded
// is set, there is not enough memory for it at the moment. The next Read returns the message after
// it.
type FrameError struct {
	Limit int // bytes

	// Overloaded is set if the message may be sent again later. Kind and ID are then the kind and
	// id of the message, or Invalid and the zero ID if they could not be determined. Connections of
	// a client always determine them.
	Overloaded bool
	Kind       MessageKind
	ID         ID

	// Early is set on connections of a client if the message exceeds the limit before its id is
	// known. Another FrameError about the same message follows, with Kind and ID, or with neither
	// if they cannot be found.
	Early bool
}

// Error returns a text that names the limit, or the lack of memory.
func (e *FrameError) Error() string {
	if e.Overloaded {
		return "overloaded: there is no room for this message"
	}
	return "message is longer than " + strconv.Itoa(e.Limit) + " bytes"
}

// overloaded returns the error for a message that was discarded for lack of memory.
func overloaded(limit int, m *discarded.Message) *FrameError {
	id, _ := RawID(m.ID())
	return &FrameError{Limit: limit, Overloaded: true, Kind: MessageKind(m.Kind()), ID: id}
}
