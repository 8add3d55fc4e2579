package dial

import (
	"errors"
	"strconv"
	"time"
)

// The errors of package mcpclient that are results of requests.
var (
	ErrTimeout = errors.New("timeout")
	ErrClosed  = errors.New("client is closed")
)

// Error is the failure of a connection, or of one request on it.
type Error struct {
	// Sent is set if the server may have received the message. If it is not set, the message may be
	// sent again, whatever it does.
	Sent bool
	// Again is set if another attempt may succeed later: after a network error, or for a server
	// that is starting. It is not set if the host has the wrong certificate, or the program does
	// not exist.
	Again bool
	Err   error
}

// Error returns the message of the cause.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// SessionLost is the reply of a server that does not know the session of a request (any more). The
// request has not run.
type SessionLost struct {
	Status int
}

// Error names the status.
func (e *SessionLost) Error() string {
	return "the server does not know the session any more (status " + strconv.Itoa(e.Status) + ")"
}

// Status is a response that is not a message of MCP, or that has an HTTP error status.
type Status struct {
	Status      int
	ContentType string
	// Body is the beginning of the body, at most 4 KiB. If the body is one JSON-RPC message within
	// MessageBytes, Message contains it.
	Body    []byte
	Message []byte
	// RetryAfter is the value of the field Retry-After, or 0. It is not bounded.
	RetryAfter time.Duration
	// Location is the target of a redirect that was not followed, "" otherwise.
	Location string
	// Err is the reason why there are no credentials for a status 401 or 403, or nil.
	Err error
}

// Error names the status.
func (e *Status) Error() string { return "status " + strconv.Itoa(e.Status) }

// Unwrap returns Err.
func (e *Status) Unwrap() error { return e.Err }

// TooLarge is the error for a message of the server that exceeds a limit.
type TooLarge struct {
	What   string // "message", "header of a response"
	Header bool   // the limit is HeaderBytes, not MessageBytes
	Limit  int    // bytes
}

// Error names the exceeded limit.
func (e *TooLarge) Error() string {
	return e.What + " of the server is longer than " + strconv.Itoa(e.Limit) + " bytes"
}

// Violation is the error for data of a server that the protocol does not allow.
type Violation struct {
	Text  string // describes the received data and the allowed data, without the name of the target
	Bytes []byte // the beginning of the received data, at most 256 bytes; may be nil
}

// Error returns the text.
func (e *Violation) Error() string { return e.Text }

// Exit is the error for a program that has exited.
type Exit struct {
	Status string // in the form of exec.ExitError: "exit status 3", "signal: killed"
	Code   int    // -1 for a signal
	Stderr []byte // the last bytes that it wrote to standard error
}

// Error names the status.
func (e *Exit) Error() string { return "the program has ended: " + e.Status }
