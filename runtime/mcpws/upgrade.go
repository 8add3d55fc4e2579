package mcpws

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/access"
	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// subprotocol is the WebSocket subprotocol of this package.
const subprotocol = "mcp"

var (
	errTooMany         = errors.New("Limits.Connections is reached")
	errNoMemory        = errors.New("the limit mcp.Limits.Memory is reached")
	errTooManyOfClient = errors.New("the client has its share of Limits.Connections, which is mcp.Limits.ClientShare")
	errIdentify        = errors.New("the function of WithPrincipal or WithClientAddress failed")
	errNoHijack        = errors.New("middleware wraps the http.ResponseWriter without Hijack or Unwrap")
)

// refusal is the response to a request that is not upgraded.
type refusal struct {
	status  int
	message string // for the client
	err     error  // for the log, if it is more precise than message
	header  http.Header
}

// checkRequest checks whether a request may open a connection.
func (h *Handler) checkRequest(w http.ResponseWriter, r *http.Request) (who requester, _ *refusal) {
	if r.Method != http.MethodGet {
		return who, &refusal{
			status: http.StatusMethodNotAllowed, message: "the method must be GET",
			header: http.Header{"Allow": {http.MethodGet}},
		}
	}
	if wrong := h.policy.Check(r); wrong != nil {
		return who, &refusal{status: wrong.Status, message: wrong.Message}
	}
	who, wrong := h.identifyClient(w, r)
	if wrong != nil {
		return who, wrong
	}
	if r.ContentLength != 0 {
		// net/http would not separate the body from the frames that follow.
		return who, &refusal{status: http.StatusBadRequest, message: "an upgrade request must not have a body"}
	}
	if offered := r.Header.Values("Sec-WebSocket-Protocol"); len(offered) > 0 && !offers(offered) {
		return who, &refusal{status: http.StatusBadRequest, message: `the subprotocol is "` + subprotocol + `": offer that one, or none`}
	}
	return who, nil
}

// requester is the principal and the address of a client.
type requester struct {
	principal mcp.Principal
	address   netip.Addr
}

// identifyClient calls the functions of [WithPrincipal] and [WithClientAddress]. If one of them
// panics or calls runtime.Goexit, it refuses the request.
func (h *Handler) identifyClient(w http.ResponseWriter, r *http.Request) (who requester, wrong *refusal) {
	usercode.Call(func() {
		if h.identify != nil {
			principal, err := h.identify(r)
			if err != nil {
				wrong = unauthorized(err)
				return
			}
			who.principal = principal
		}
		who.address = access.Address(r, h.address)
	}, func(e usercode.Failure) {
		if e.Panic == http.ErrAbortHandler {
			panic(e.Panic) // net/http closes the connection, as expected
		}
		h.log.Program(r.Context(), slog.LevelError, "panic in the function of WithPrincipal or WithClientAddress", e.Attrs()...)
		wrong = &refusal{
			status: http.StatusInternalServerError, message: http.StatusText(http.StatusInternalServerError), err: errIdentify,
		}
		if e.Exits { // this goroutine ends: respond now, then the connection is closed
			w.Header().Set("Connection", "close")
			h.refuse(w, r, wrong)
			_ = http.NewResponseController(w).Flush()
		}
	})
	return who, wrong
}

// unauthorized returns the response to an error of the function of [WithPrincipal].
func unauthorized(err error) *refusal {
	x := &refusal{status: http.StatusUnauthorized, message: "the request has no valid credentials", err: err}
	if own, ok := errors.AsType[*mcphttp.Refusal](err); ok {
		x.status, x.message, x.header = cmp.Or(own.Status, x.status), own.Text, own.Header
	}
	if x.status == http.StatusUnauthorized && len(x.header) == 0 {
		x.header = http.Header{"Www-Authenticate": {"Bearer"}} // required by RFC 9110, section 15.5.2
	}
	return x
}

// offers reports whether "mcp" is among the offered subprotocols.
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

// hijackerOf returns the http.Hijacker of a ResponseWriter, behind any middleware.
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
			return nil, &refusal{status: http.StatusBadRequest, message: "an upgrade needs HTTP/1.1, and this is " + r.Proto}
		}
		return nil, &refusal{
			status: http.StatusInternalServerError, message: http.StatusText(http.StatusInternalServerError), err: errNoHijack,
		}
	}
}

// refuse writes and logs a refusal.
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
	unreadbody.Error(w, x.message, x.status)
}
