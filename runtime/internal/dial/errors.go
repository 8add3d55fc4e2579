package dial

import (
	"errors"
	"strconv"
	"time"
)

// The errors of package mcpclient with which it ends requests.
var (
	ErrTimeout = errors.New("timeout")
	ErrClosed  = errors.New("client is closed")
)

// Error is the failure of a connection, or of one request on it.
type Error struct {
	// Sent is set if the server may have received the message. Where it is not set, the
	// message may be sent again, whatever it does.
	Sent bool
	// Again is set if the same may succeed later: a network error, a server that is starting. It is not
	// set for a host that has no such certificate, or a program that does not exist.
	Again bool
	Err   error
}

// Error returns the text of the cause.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// SessionLost is the reply of a server that does not know the session of a request (any
// more). The request has not run.
type SessionLost struct {
	Status int
}

// Error names the status.
func (e *SessionLost) Error() string {
	return "the server does not know the session any more (status " + strconv.Itoa(e.Status) + ")"
}

// Status is a response to a message that is not one of MCP, or an error of HTTP.
type Status struct {
	Status      int
	ContentType string
	// Body is the beginning of the body, at most 4 KiB. If the body is one JSON-RPC message
	// within MessageBytes, Message has it.
	Body    []byte
	Message []byte
	// RetryAfter is from the field Retry-After, 0 where there is none. It is not bounded.
	RetryAfter time.Duration
	// Location is the target of a redirect that was not followed, "" otherwise.
	Location string
	// Err is why there are no credentials for a status 401 or 403, nil otherwise.
	Err error
}

// Error names the status.
func (e *Status) Error() string { return "status " + strconv.Itoa(e.Status) }

// Unwrap returns Err.
func (e *Status) Unwrap() error { return e.Err }

// TooLarge is a message of the server beyond a limit.
type TooLarge struct {
	What   string // "message", "header of a response"
	Header bool   // the limit is HeaderBytes, not MessageBytes
	Limit  int    // bytes
}

// Error names what is too large, and the limit.
func (e *TooLarge) Error() string {
	return e.What + " of the server is longer than " + strconv.Itoa(e.Limit) + " bytes"
}

// Violation is something that the protocol does not allow a server to send.
type Violation struct {
	Text  string // what came, and what is allowed: without a name of the target
	Bytes []byte // the beginning of what came, at most 256 bytes; may be nil
}

// Error returns the text.
func (e *Violation) Error() string { return e.Text }

// Exit is the end of a program.
type Exit struct {
	Status string // as exec.ExitError says it: "exit status 3", "signal: killed"
	Code   int    // -1 for a signal
	Stderr []byte // the end of what it wrote to standard error
}

// Error names the status.
func (e *Exit) Error() string { return "the program has ended: " + e.Status }
