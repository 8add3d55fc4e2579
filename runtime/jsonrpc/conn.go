package jsonrpc

import (
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/skim"
)

// DefaultLimit is how many bytes a message may have unless said otherwise: 4 MiB.
const DefaultLimit = 4 << 20

// Conn carries messages between two peers. One goroutine may read while another
// writes; Close may be called by any goroutine at any time, ends both, and takes
// no lock that a stuck Read or Write holds.
type Conn interface {
	// Read returns the next message, without its line end. It is valid until
	// the next Read. A [*FrameError] concerns one message, and reading may go
	// on; any other error is the end, io.EOF the orderly one.
	Read() ([]byte, error)

	// Write sends one or more messages, each ended by a newline. Messages never
	// contain one. The batch is not kept.
	Write(batch []byte) error

	Close() error
}

// FrameError is a message that is not delivered: it has more bytes than allowed or,
// where Overloaded is set, there is no room for it at the moment. The next Read goes on
// after it.
type FrameError struct {
	Limit int // bytes

	// Overloaded says that the message may be sent again later. Kind and ID then are
	// those of the message as far as they could be told: Invalid, and the zero ID, where
	// they could not.
	Overloaded bool
	Kind       Kind
	ID         ID
}

// Error says how many bytes are allowed, or that there is no room.
func (e *FrameError) Error() string {
	if e.Overloaded {
		return "overloaded: there is no room for this message"
	}
	return "message is longer than " + strconv.Itoa(e.Limit) + " bytes"
}

// overloaded is the error for a message that has been thrown away.
func overloaded(limit int, m *skim.Message) *FrameError {
	id, _ := RawID(m.ID())
	return &FrameError{Limit: limit, Overloaded: true, Kind: Kind(m.Kind()), ID: id}
}
