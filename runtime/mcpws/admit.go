package mcpws

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/access"
	"github.com/mcpgen/mcpgen/runtime/internal/unread"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// subprotocol is the one that this package speaks.
const subprotocol = "mcp"

var (
	errFull     = errors.New("as many connections as WithConnections allows are open")
	errShort    = errors.New("the server holds as much as mcp.Limits.Memory allows")
	errShare    = errors.New("the client has as many connections open as WithConnectionsPerClient allows")
	errIdentify = errors.New("the function of WithPrincipal or WithClientAddress has not returned")
	errNoHijack = errors.New("middleware hides the connection: its http.ResponseWriter needs a method Hijack, or Unwrap")
)

// refusal is the answer to a request that opens no connection.
type refusal struct {
	status  int
	message string // for the client
	err     error  // for the log, where it says more
	header  http.Header
}

// admit decides who may open a connection.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request) (who client, _ *refusal) {
	if r.Method != http.MethodGet {
		return who, &refusal{
			status: http.StatusMethodNotAllowed, message: "a WebSocket is opened by GET",
			header: http.Header{"Allow": {http.MethodGet}},
		}
	}
	if wrong := h.policy.Check(r); wrong != nil {
		return who, &refusal{status: wrong.Status, message: wrong.Message}
	}
	who, wrong := h.client(w, r)
	if wrong != nil {
		return who, wrong
	}
	if r.ContentLength != 0 {
		// Of the connection that follows, nobody would know where it begins.
		return who, &refusal{status: http.StatusBadRequest, message: "a request that opens a WebSocket has no body"}
	}
	if offered := r.Header.Values("Sec-WebSocket-Protocol"); len(offered) > 0 && !offers(offered) {
		return who, &refusal{status: http.StatusBadRequest, message: `the subprotocol spoken here is "` + subprotocol + `": offer that one, or none`}
	}
	return who, nil
}

// client is who opens a connection.
type client struct {
	principal mcp.Principal
	address   netip.Addr
}

// client calls the functions of [WithPrincipal] and [WithClientAddress]. Who cannot be
// told is not let in.
func (h *Handler) client(w http.ResponseWriter, r *http.Request) (who client, wrong *refusal) {
	usercode.Call(func() {
		if h.identify != nil {
			principal, err := h.identify(r)
			if err != nil {
				wrong = unidentified(err)
				return
			}
			who.principal = principal
		}
		who.address = access.Address(r, h.address)
	}, func(e usercode.Failure) {
		if e.Panic == http.ErrAbortHandler {
			panic(e.Panic) // net/http closes the connection, as is asked for
		}
		h.log.Program(r.Context(), slog.LevelError, "panic in the function of WithPrincipal or WithClientAddress", e.Attrs()...)
		wrong = &refusal{
			status: http.StatusInternalServerError, message: http.StatusText(http.StatusInternalServerError), err: errIdentify,
		}
		if e.Exits { // nothing else is going to answer, and the connection ends
			w.Header().Set("Connection", "close")
			h.refuse(w, r, wrong)
			_ = http.NewResponseController(w).Flush()
		}
	})
	return who, wrong
}

// unidentified is the answer to a client that WithPrincipal does not know.
func unidentified(err error) *refusal {
	x := &refusal{status: http.StatusUnauthorized, message: "the request does not say who makes it, or not so that it is believed", err: err}
	if own, ok := errors.AsType[*mcphttp.Refusal](err); ok {
		x.status, x.message, x.header = cmp.Or(own.Status, x.status), own.Text, own.Header
	}
	if x.status == http.StatusUnauthorized && len(x.header) == 0 {
		x.header = http.Header{"Www-Authenticate": {"Bearer"}} // RFC 9110, section 15.5.2: there must be one
	}
	return x
}

// offers reports whether "mcp" is among the subprotocols of a client.
func offers(fields []string) bool {
	for _, field := range fields {
		for name := range strings.SplitSeq(field, ",") {
			if strings.EqualFold(strings.TrimSpace(name), subprotocol) {
				return true
			}
		}
	}
	return false
}

// hijackerOf finds what takes the connection over, behind any middleware.
func hijackerOf(w http.ResponseWriter, r *http.Request) (http.Hijacker, *refusal) {
	for {
		switch t := w.(type) {
		case http.Hijacker:
			if r.ProtoMajor == 1 {
				return t, nil
			}
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
			continue
		}
		if r.ProtoMajor != 1 {
			return nil, &refusal{status: http.StatusBadRequest, message: "a WebSocket is opened over HTTP/1.1 here, and this is " + r.Proto}
		}
		return nil, &refusal{
			status: http.StatusInternalServerError, message: http.StatusText(http.StatusInternalServerError), err: errNoHijack,
		}
	}
}

// refuse answers a request that opens no connection.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, x *refusal) {
	err, level := x.err, slog.LevelInfo
	if err == nil {
		err = errors.New(x.message)
	}
	switch x.status {
	case http.StatusInternalServerError:
		level = slog.LevelError
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusServiceUnavailable:
		level = slog.LevelWarn
	}
	h.log.Client(r.Context(), level, "upgrade refused", slog.String("client", r.RemoteAddr), slog.Int("status", x.status), slog.Any("error", err))
	for name, values := range x.header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	unread.Error(w, x.message, x.status)
}
