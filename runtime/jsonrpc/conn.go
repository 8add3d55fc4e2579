package jsonrpc

import "strconv"

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

// FrameError is a message that could not be delimited because it has more bytes
// than allowed. The next Read goes on after it.
type FrameError struct {
	Limit int // bytes
}

// Error says how many bytes are allowed.
func (e *FrameError) Error() string {
	return "message is longer than " + strconv.Itoa(e.Limit) + " bytes"
}
