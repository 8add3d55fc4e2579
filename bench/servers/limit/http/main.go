// Http serves the catalogue over streamable HTTP with a minimal handler: the checks that the
// protocol requires, and no optional features.
package main

import (
	"crypto/rand"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "github.com/mcpgen/mcpgen/bench/profile"
	"github.com/mcpgen/mcpgen/bench/servers/limit"
	"github.com/mcpgen/mcpgen/bench/site"
)

func main() {
	site.Serve(func(m site.Mode) http.Handler {
		return &handler{server: limit.Default(), sessionless: m.Sessionless, sessions: map[string]*session{}}
	})
}

type handler struct {
	server      *limit.Server
	sessionless bool

	mu       sync.Mutex
	sessions map[string]*session
}

// session is the state of a client with a session.
type session struct {
	*limit.Client
	used time.Time
}

const bodyTime = 30 * time.Second

var (
	jsonType  = []string{"application/json"}
	eventType = []string{"text/event-stream"}
)

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !local(r):
		http.Error(w, "forbidden", http.StatusForbidden)
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	case !isJSON(r.Header["Content-Type"]):
		http.Error(w, "Content-Type must be application/json", http.StatusUnsupportedMediaType)
		return
	case !acceptable(r.Header["Accept"]):
		http.Error(w, "Accept must list application/json and text/event-stream", http.StatusNotAcceptable)
		return
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	p, failed := limit.Receive(r.Body, r.ContentLength)
	defer p.End()
	if failed != "" {
		http.Error(w, failed, http.StatusBadRequest)
		return
	}
	_ = control.SetReadDeadline(time.Time{})
	version := r.Header.Get("Mcp-Protocol-Version")
	if p.Modern() {
		h.modern(w, r, p, version)
		return
	}
	switch version {
	case "", "2025-03-26", "2025-06-18", "2025-11-25":
	default:
		http.Error(w, "unsupported version", http.StatusBadRequest)
		return
	}
	h.legacy(w, r, p)
}

// modern answers a message with revision and capabilities in _meta, which its header fields repeat.
func (h *handler) modern(w http.ResponseWriter, r *http.Request, p *limit.Post, version string) {
	name, named := r.Header["Mcp-Name"]
	switch {
	case version != "2026-07-28" || version != string(p.Version()):
		http.Error(w, "Mcp-Protocol-Version does not match", http.StatusBadRequest)
	case p.ID() == nil:
		w.WriteHeader(http.StatusAccepted)
	case r.Header.Get("Mcp-Method") != string(p.Method()), named && (len(name) != 1 || name[0] != string(p.Name())), !named && p.Name() != nil:
		http.Error(w, "Mcp-Method or Mcp-Name does not match", http.StatusBadRequest)
	default:
		h.answer(w, r, limit.NewClient(), p, true)
	}
}

func (h *handler) legacy(w http.ResponseWriter, r *http.Request, p *limit.Post) {
	switch {
	case h.sessionless:
		if p.ID() == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		h.answer(w, r, limit.NewClient(), p, false)
		return
	case string(p.Method()) == "initialize":
		id := rand.Text()
		se := &session{Client: limit.NewClient(), used: time.Now()}
		h.mu.Lock()
		h.sessions[id] = se
		h.mu.Unlock()
		w.Header().Set("Mcp-Session-Id", id)
		h.answer(w, r, se.Client, p, false)
		return
	}
	ids := r.Header["Mcp-Session-Id"]
	if len(ids) != 1 {
		http.Error(w, "Mcp-Session-Id is missing", http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	se := h.sessions[ids[0]]
	if se != nil {
		se.used = time.Now()
	}
	h.mu.Unlock()
	switch {
	case se == nil:
		http.Error(w, "no such session", http.StatusNotFound)
	case p.ID() == nil:
		se.Notify(p)
		w.WriteHeader(http.StatusAccepted)
	default:
		h.answer(w, r, se.Client, p, false)
	}
}

// answer answers with plain JSON, or with events if notifications occur.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, cl *limit.Client, p *limit.Post, bound bool) {
	ctx := r.Context()
	if !bound {
		ctx = nil
	}
	events := false
	var out []byte
	control := http.NewResponseController(w)
	reply := h.server.Answer(ctx, cl, p, func(message []byte) {
		if !events {
			events = true
			w.Header()["Content-Type"] = eventType
			w.Header().Set("Cache-Control", "no-cache")
		}
		out = appendEvent(out[:0], message)
		_ = control.SetWriteDeadline(time.Now().Add(bodyTime))
		_, _ = w.Write(out) // the client is gone: the call ends on its own
		_ = control.Flush()
	})
	_ = control.SetWriteDeadline(time.Now().Add(bodyTime))
	switch {
	case events:
		_, _ = w.Write(appendEvent(out[:0], reply))
	case reply == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		header := w.Header()
		header["Content-Type"] = jsonType
		header["Content-Length"] = []string{strconv.Itoa(len(reply))}
		_, _ = w.Write(reply)
	}
}

func appendEvent(b, message []byte) []byte {
	return append(append(append(b, "event: message\ndata: "...), message...), "\n\n"...)
}

// local reports whether a request has a loopback host, and does not come from a web page.
func local(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if host != "localhost" && host != "127.0.0.1" && host != "[::1]" && host != "::1" {
		return false
	}
	origin := r.Header["Origin"]
	return len(origin) == 0 || len(origin) == 1 && origin[0] == "http://"+r.Host
}

func isJSON(values []string) bool {
	if len(values) != 1 {
		return false
	}
	kind, _, _ := strings.Cut(values[0], ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/json")
}

func acceptable(values []string) bool {
	plain, events := false, false
	for _, value := range values {
		for value != "" {
			var one string
			one, value, _ = strings.Cut(value, ",")
			one, _, _ = strings.Cut(one, ";")
			switch strings.TrimSpace(one) {
			case "application/json", "application/*":
				plain = true
			case "text/event-stream", "text/*":
				events = true
			case "*/*":
				plain, events = true, true
			}
		}
	}
	return plain && events
}
