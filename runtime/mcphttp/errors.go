package mcphttp

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// statusOf is the status of a plain reply of revision 2026-07-28 and later
// (streamable HTTP, and the pages that define the codes).
func statusOf(code int) int {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case protocol.CodeMissingCapability, protocol.CodeUnsupportedVersion, protocol.CodeHeaderMismatch:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// fail answers with an error of the protocol. The zero id is left out.
func fail(w http.ResponseWriter, status int, id jsonrpc.ID, e *jsonrpc.Error) {
	body := jsonrpc.AppendError(nil, id, e)
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	empty(w, status)
	_, _ = w.Write(body) // the client may be gone
}

// answerTime is how long the client may take to read an answer that is short.
const answerTime = 10 * time.Second

// empty answers with a status, and what has been set in the header.
func empty(w http.ResponseWriter, status int) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
	w.WriteHeader(status)
}

// refuse answers what is no message yet.
func refuse(w http.ResponseWriter, status int, message string) {
	fail(w, status, jsonrpc.ID{}, invalid(message))
}

// overloaded answers when a limit is reached.
func overloaded(w http.ResponseWriter, id jsonrpc.ID, message string) {
	w.Header().Set("Retry-After", "1")
	fail(w, http.StatusServiceUnavailable, id, &jsonrpc.Error{
		Code: jsonrpc.CodeInternal, Message: message, Data: []byte(`{"reason":"overloaded"}`),
	})
}

// broken answers where the code of users has failed.
func broken(w http.ResponseWriter) {
	fail(w, http.StatusInternalServerError, noID, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "internal error"})
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

const errNoRoom = "overloaded: the server holds as much for its clients as it may"

const errNoFlush = "no event streams here: middleware has wrapped the http.ResponseWriter into one with neither Flush nor Unwrap"

// errPrincipal is that of a function of [WithPrincipal] or [WithClientAddress] that has
// not returned.
var errPrincipal = errors.New("no principal")

var (
	errNoSession = invalid("no session of that id: it has ended, or there never was one; open a new one with initialize")
	errNeedsID   = invalid("the header " + sessionHeader + " is missing: open a session with initialize, or send " +
		protocol.MetaVersion + " and " + protocol.MetaCapabilities + " in params._meta")
)
