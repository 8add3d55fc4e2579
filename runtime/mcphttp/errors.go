package mcphttp

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// statusOf returns the HTTP status of a JSON reply in revision 2026-07-28 and later (streamable
// HTTP, and the pages that define the codes).
func statusOf(code int) int {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case protocol.CodeMissingCapability, protocol.CodeUnsupportedVersion, protocol.CodeHeaderMismatch:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// writeError writes a JSON-RPC error as the response. The zero id is left out.
func writeError(w http.ResponseWriter, status int, id jsonrpc.ID, e *jsonrpc.Error) {
	body := jsonrpc.AppendError(nil, id, e)
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	writeStatus(w, status)
	_, _ = w.Write(body) // the client may be gone
}

// shortWriteTime limits the time that a client may take to read a short response.
const shortWriteTime = 10 * time.Second

// writeStatus writes the status and the header.
func writeStatus(w http.ResponseWriter, status int) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(shortWriteTime))
	w.WriteHeader(status)
}

// writeInvalid writes an "invalid request" error for a request without a valid message.
func writeInvalid(w http.ResponseWriter, status int, message string) {
	writeError(w, status, jsonrpc.ID{}, invalid(message))
}

// writeOverloaded writes the response for a request that a limit does not allow.
func writeOverloaded(w http.ResponseWriter, id jsonrpc.ID, message string) {
	w.Header().Set("Retry-After", "1")
	writeError(w, http.StatusServiceUnavailable, id, &jsonrpc.Error{
		Code: jsonrpc.CodeInternal, Message: message, Data: []byte(`{"reason":"overloaded"}`),
	})
}

// writeInternalError writes the response if code of users has failed.
func writeInternalError(w http.ResponseWriter) {
	writeError(w, http.StatusInternalServerError, noID, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "internal error"})
}

func invalid(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + message}
}

func mismatch(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: protocol.CodeHeaderMismatch, Message: message}
}

func unsupported(version string, supported []string) *jsonrpc.Error {
	data := append([]byte(nil), `{"supported":[`...)
	for i, v := range supported {
		if i > 0 {
			data = append(data, ',')
		}
		data = wire.AppendString(data, v)
	}
	data = append(data, `],"requested":`...)
	data = wire.AppendString(data, version)
	return &jsonrpc.Error{
		Code: protocol.CodeUnsupportedVersion, Message: "unsupported protocol version", Data: append(data, '}'),
	}
}

const errNoMemory = "overloaded: the memory limit of the server is reached"

const errNoStream = "Last-Event-ID is not that of a stream that can be resumed"

const errNoFlush = "event streams are not possible: middleware wraps the http.ResponseWriter without Flush or Unwrap"

// errPrincipal is the error if the function of [WithPrincipal] or [WithClientAddress] has panicked
// or exited its goroutine.
var errPrincipal = errors.New("function of WithPrincipal or WithClientAddress failed")

var (
	errNoSession = invalid("unknown session: it has ended or was never opened; open a new one with initialize")
	errEnded     = &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "the session has ended before the reply; the request may have run"}
	errClosed    = &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "the server was closed before the reply; the request may have run"}
	errNeedsID   = invalid("the header " + httpfield.SessionID + " is missing: open a session with initialize, or send " +
		protocol.MetaVersion + " and " + protocol.MetaCapabilities + " in params._meta")
)
