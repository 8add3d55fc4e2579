package engine

// Cause is the reason why the context of a handler is cancelled, or a question has no answer.
type Cause struct{ text string }

// Error returns the text.
func (c *Cause) Error() string { return c.text }

// The causes that package mcp exports under the same names with the prefix Err. Since its variables
// contain their addresses, they need no code when a program starts, which every client of mcpclient
// would link.
var (
	Cancelled        = Cause{"request cancelled by the client"}
	ConnectionClosed = Cause{"connection closed"}
	Timeout          = Cause{"timed out"}
	NoAnswer         = Cause{"no answer from the client"}
	NoCall           = Cause{"the client can be asked only while a tool, prompt or resource request is in progress"}
)

// The same causes as errors.
var (
	ErrCancelled        error = &Cancelled
	ErrConnectionClosed error = &ConnectionClosed
	ErrTimeout          error = &Timeout
	ErrNoAnswer         error = &NoAnswer
	ErrNoCall           error = &NoCall
)
