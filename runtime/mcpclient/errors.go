package mcpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Errors of requests, for errors.Is.
var (
	// ErrTimeout is returned when a request, or Connect, exceeds a time of Limits or of an option.
	ErrTimeout = dial.ErrTimeout
	// ErrClosed is returned by requests that are in progress when the client is closed, and by
	// later ones.
	ErrClosed = dial.ErrClosed
	// ErrRefused is returned by a request whose handler asked for input, if a function of Options
	// refused it and the server needs it to go on.
	ErrRefused = errors.New("input refused")
	// ErrNoStructured is returned for a tool result that contains nothing to decode.
	ErrNoStructured = errors.New("the result has no structured content")
)

// CancelError is a cause for the end of a request's context (context.WithCancelCause) that carries
// a reason for the server. errors.Is treats it as context.Canceled. After any other cause the
// server gets the reason "cancelled" or "timeout".
type CancelError struct {
	Reason string // "": no reason is sent
}

// Error returns a text that contains the reason.
func (e *CancelError) Error() string {
	if e.Reason == "" {
		return "cancelled"
	}
	return "cancelled: " + e.Reason
}

// Is reports whether target is context.Canceled.
func (e *CancelError) Is(target error) bool { return target == context.Canceled }

// ToolError is a failed tool result (isError), returned by [Call].
type ToolError struct {
	Tool   string
	Text   string // the text blocks of the result, one line per block
	Result *mcp.ToolResult
}

// Error returns the name of the tool and the text.
func (e *ToolError) Error() string { return "tool " + e.Tool + ": " + e.Text }

// ConnectionError is returned by a request whose connection was lost before the reply, if the
// client does not send it again.
type ConnectionError struct {
	Target string
	Method string // of the request; "" if none was sent
	Sent   bool   // the request may have run
	// Attempts is the number of attempts if it reached Retry.Attempts, otherwise 0.
	Attempts int
	Err      error // why the connection was lost
}

// Error returns a text that states whether the request may have run.
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

// RevisionError is returned if a server and the client have no protocol revision in common, or the
// server does not support Options.Revision.
type RevisionError struct {
	Target  string
	Want    string   // Options.Revision; "" for any revision that the client supports
	Offered []string // by the server, if it has listed them
}

// Error returns a text that lists the revisions of the server.
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

// UnsupportedError is returned for a request whose capability the server has not declared, or which
// the revision does not define. It was not sent.
type UnsupportedError struct {
	Target     string
	Method     string
	Capability string // the missing one: "resources.subscribe"; "" if the revision has no such request
	Revision   string
}

// Error returns a text that names the capability.
func (e *UnsupportedError) Error() string {
	if e.Capability == "" {
		return prefix(e.Target, e.Method) + "revision " + e.Revision + " has no such request"
	}
	return prefix(e.Target, e.Method) + "the server does not declare the capability " + e.Capability
}

// LimitError is returned for a message, list or request that exceeds a limit.
type LimitError struct {
	Target string
	Method string
	What   string // "reply", "list of tools", "rounds"
	Limit  string // the field of Limits: "MessageBytes"; "" for a fixed limit
	Value  int    // its value
}

// Error returns a text that names the limit.
func (e *LimitError) Error() string {
	text := prefix(e.Target, e.Method) + e.What + ": more than "
	if e.Limit == "" {
		return text + "the " + strconv.Itoa(e.Value) + " bytes that a client reads; the server must send less"
	}
	return text + "Limits." + e.Limit + " (" + strconv.Itoa(e.Value) + ") allows"
}

// ProtocolViolationError describes data of a server that the protocol does not allow.
type ProtocolViolationError struct {
	Target string
	Method string // of the request that it belongs to; "" if unknown
	Text   string // the received and the allowed value
	Bytes  []byte // the beginning of the data, at most 256 bytes; may be nil
}

// Error returns a text that describes the violation.
func (e *ProtocolViolationError) Error() string {
	text := prefix(e.Target, e.Method) + "the server breaks the protocol: " + e.Text
	if len(e.Bytes) > 0 {
		text += fmt.Sprintf(": %q", e.Bytes)
	}
	return text
}

// ContentError describes structured content that does not fit the type of the caller: the type
// argument of [Call], or a type of a generated client whose server has changed. [Client.Call]
// returns the content as it is.
type ContentError struct {
	Target string
	Tool   string
	Type   string // of the caller
	Err    error  // names the places
}

// Error names the tool, the type and the places.
func (e *ContentError) Error() string {
	places := e.Err.Error()
	if c, ok := e.Err.(*contradiction); ok {
		places = c.places()
	}
	return prefix(e.Target, e.Tool) + "the result does not fit the type " + e.Type + " that it is read into: " + places
}

// Unwrap returns Err.
func (e *ContentError) Unwrap() error { return e.Err }

// StatusError describes an HTTP response that is not an MCP message.
type StatusError struct {
	Target      string
	Method      string // of the request
	Status      int
	ContentType string
	Body        []byte        // its beginning, at most 4 KiB
	RetryAfter  time.Duration // 0 if the server sent none
	Location    string        // of a redirect that was not followed
	Err         error         // of the Authorizer, for 401 and 403; nil otherwise
}

// Error returns a text with the status, its meaning for the request, and the server's reason: the
// message of a JSON body, or else the first line.
func (e *StatusError) Error() string {
	text := prefix(e.Target, e.Method) + "HTTP status " + strconv.Itoa(e.Status)
	switch {
	case e.Location != "":
		return text + ": redirected to " + e.Location + ", which is not followed; connect to that URL if it is right"
	case e.Err != nil: // it contains the cause and the remedy
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
	if said := saidBy(e.Body); said != "" {
		text += fmt.Sprintf(": %q", said)
	}
	return text
}

// Unwrap returns Err.
func (e *StatusError) Unwrap() error { return e.Err }

// ExitError describes a program that has exited.
type ExitError struct {
	Target string
	Status string // "exit status 3", "signal: killed"
	Code   int    // -1 after a signal
	Stderr []byte // the last 64 KiB of its standard error
}

// Error returns a text with the last line of standard error.
func (e *ExitError) Error() string {
	text := prefix(e.Target, "") + "the program has ended (" + e.Status + ")"
	if line := lastLine(e.Stderr); line != "" {
		text += fmt.Sprintf("; its last words on standard error: %q", line)
	}
	return text
}

// prefix returns the beginning of an error text: "name: tools/call: ".
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

// saidBy returns the readable part of a body: the message of a JSON-RPC, OAuth (RFC 6749, section
// 5.2) or problem details (RFC 9457) error, and the first line of anything else that is not JSON.
func saidBy(body []byte) string {
	if text := bytes.TrimSpace(body); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		return messageIn(text)
	}
	return firstLine(body)
}

// messageIn returns the error message in an object, or "".
func messageIn(object []byte) string {
	var inner []byte
	texts := make([]string, len(messageMembers))
	d := wire.NewDecoder(bytes.ToValidUTF8(object, []byte("\uFFFD")), wire.Options{})
	for o := d.OpenObject(nil); o.Next(); {
		i := slices.IndexFunc(messageMembers, func(name string) bool { return strings.EqualFold(name, o.Name()) })
		switch {
		case i < 0:
		case d.Peek() == '"':
			wire.String(d, &texts[i])
		case messageMembers[i] == "error":
			wire.Raw(d, &inner)
		}
	}
	if d.Finish() != nil {
		return ""
	}
	if len(inner) > 0 && inner[0] == '{' {
		if message := messageIn(inner); message != "" {
			return message
		}
	}
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return firstLine([]byte(text))
		}
	}
	return ""
}

// messageMembers are the members of an error that are for people, the best one first.
var messageMembers = []string{"message", "error_description", "detail", "title", "error"}

// maxLine limits the bytes of a line that an error quotes.
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
