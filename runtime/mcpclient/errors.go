package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Errors of requests, for errors.Is.
var (
	// ErrTimeout ends a request, or Connect, after a time of Limits or of an option.
	ErrTimeout = dial.ErrTimeout
	// ErrClosed ends what is in progress when the client is closed, and what follows.
	ErrClosed = dial.ErrClosed
	// ErrRefused ends a request whose handler asked for input that a function of Options
	// has refused, where the server needs it to go on.
	ErrRefused = errors.New("input refused")
	// ErrNoStructured is a result of a tool that has nothing to read a value from.
	ErrNoStructured = errors.New("the result has no structured content")
)

// CancelError is a cause for the end of the context of a request (context.WithCancelCause)
// that has a reason for the server. It is context.Canceled for errors.Is. After any other
// cause the server gets the reason "cancelled", or "timeout".
type CancelError struct {
	Reason string // "" sends none
}

// Error has the reason.
func (e *CancelError) Error() string {
	if e.Reason == "" {
		return "cancelled"
	}
	return "cancelled: " + e.Reason
}

// Is reports whether target is context.Canceled.
func (e *CancelError) Is(target error) bool { return target == context.Canceled }

// ToolError is a failed result of a tool (isError), returned by [Call].
type ToolError struct {
	Tool   string
	Text   string // the text of the result, one line per block
	Result *mcp.ToolResult
}

// Error returns the name of the tool and the text.
func (e *ToolError) Error() string { return "tool " + e.Tool + ": " + e.Text }

// ConnectionError ends a request that gets no reply any more, since the connection was
// lost, and that was not sent again.
type ConnectionError struct {
	Target string
	Method string // of the request; "" if none was sent
	Sent   bool   // the request may have run
	// Attempts is how often the request was tried, where that is as often as Retry allows;
	// otherwise 0.
	Attempts int
	Err      error // why the connection was lost
}

// Error says whether the request may have run.
func (e *ConnectionError) Error() string {
	if e.Method == "" {
		return prefix(e.Target, "") + "cannot connect: " + e.Err.Error()
	}
	text := prefix(e.Target, e.Method) + "connection lost: " + e.Err.Error()
	switch {
	case e.Attempts > 1 && e.Sent:
		return text + "; the request was tried " + strconv.Itoa(e.Attempts) + " times, and may have run"
	case e.Attempts > 1:
		return text + "; the request was tried " + strconv.Itoa(e.Attempts) + " times, and has not run"
	case e.Sent:
		return text + "; the request may have run, so it was not sent again"
	}
	return text + "; the request has not run"
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// RevisionError is a server that speaks no revision that the client speaks, or not the one
// of Options.Revision.
type RevisionError struct {
	Target  string
	Want    string   // Options.Revision; "" for any of those that the client speaks
	Offered []string // by the server, as far as it has said so
}

// Error lists what the server offers.
func (e *RevisionError) Error() string {
	offered := "none"
	if len(e.Offered) > 0 {
		offered = strings.Join(e.Offered, ", ")
	}
	if e.Want != "" {
		return prefix(e.Target, "") + "the server does not speak revision " + e.Want + ", which Options.Revision requires; it offers " + offered
	}
	return prefix(e.Target, "") + "the server speaks no revision of the protocol that this client speaks; it offers " + offered
}

// UnsupportedError is a request for which the server has declared no capability, or which
// the revision does not have. It was not sent.
type UnsupportedError struct {
	Target     string
	Method     string
	Capability string // that is missing: "resources.subscribe"; "" if the revision has no such request
	Revision   string
}

// Error names the capability.
func (e *UnsupportedError) Error() string {
	if e.Capability == "" {
		return prefix(e.Target, e.Method) + "revision " + e.Revision + " has no such request"
	}
	return prefix(e.Target, e.Method) + "the server does not declare the capability " + e.Capability
}

// LimitError is a message, a list or a request beyond a limit.
type LimitError struct {
	Target string
	Method string
	What   string // "reply", "list of tools", "rounds"
	Limit  string // the field of Limits: "MessageBytes"; "" for a bound without one
	Value  int    // its value
}

// Error names the limit.
func (e *LimitError) Error() string {
	text := prefix(e.Target, e.Method) + e.What + ": more than "
	if e.Limit == "" {
		return text + "the " + strconv.Itoa(e.Value) + " bytes that a client reads; the server must send less"
	}
	return text + "Limits." + e.Limit + " (" + strconv.Itoa(e.Value) + ") allows"
}

// ProtocolViolationError is something that the protocol does not allow a server to send.
type ProtocolViolationError struct {
	Target string
	Method string // of the request that it belongs to; "" if that is not known
	Text   string // what came, and what is allowed
	Bytes  []byte // the beginning of what came, at most 256 bytes; may be nil
}

// Error says what came.
func (e *ProtocolViolationError) Error() string {
	text := prefix(e.Target, e.Method) + "the server breaks the protocol: " + e.Text
	if len(e.Bytes) > 0 {
		text += fmt.Sprintf(": %q", e.Bytes)
	}
	return text
}

// StatusError is an HTTP response that is not one of MCP.
type StatusError struct {
	Target      string
	Method      string // of the request
	Status      int
	ContentType string
	Body        []byte        // its beginning, at most 4 KiB
	RetryAfter  time.Duration // 0 where the server has said nothing
	Location    string        // of a redirect that was not followed
	Err         error         // of the Authorizer, for 401 and 403; nil otherwise
}

// Error names the status, what it means for the request, and the first line of the body.
func (e *StatusError) Error() string {
	text := prefix(e.Target, e.Method) + "HTTP status " + strconv.Itoa(e.Status)
	switch {
	case e.Location != "":
		return text + ": redirected to " + e.Location + ", which is not followed; connect to that URL if it is right"
	case e.Status == 401:
		text += ": the server requires credentials, or refuses those that were sent"
	case e.Status == 403:
		text += ": the server forbids this"
	case e.Status == 404:
		text += ": there is no MCP server at this URL"
	case e.Status/100 == 2:
		text += " with content type " + strconv.Quote(e.ContentType) + ": that is not a response of an MCP server"
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if line := firstLine(e.Body); line != "" {
		text += fmt.Sprintf(": %q", line)
	}
	return text
}

// Unwrap returns Err.
func (e *StatusError) Unwrap() error { return e.Err }

// ExitError is a program that has ended.
type ExitError struct {
	Target string
	Status string // "exit status 3", "signal: killed"
	Code   int    // -1 after a signal
	Stderr []byte // the end of what it wrote to standard error, at most 64 KiB
}

// Error has the last line of standard error.
func (e *ExitError) Error() string {
	text := prefix(e.Target, "") + "the program has ended (" + e.Status + ")"
	if line := lastLine(e.Stderr); line != "" {
		text += fmt.Sprintf("; its last words on standard error: %q", line)
	}
	return text
}

// prefix is the beginning of a message: "name: tools/call: ".
func prefix(target, method string) string {
	text := ""
	if target != "" {
		text = target + ": "
	}
	if method != "" {
		text += method + ": "
	}
	return text
}

// maxLine is how many bytes of a line an error quotes.
const maxLine = 200

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(b[:min(len(b), 4*maxLine)])), "\n")
	return line[:min(len(line), maxLine)]
}

func lastLine(b []byte) string {
	text := strings.TrimSpace(string(b[max(0, len(b)-4*maxLine):]))
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return line[:min(len(line), maxLine)]
}
