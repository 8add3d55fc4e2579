// Http serves the catalogue over streamable HTTP.
package main

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"strings"
	"sync"

	_ "github.com/mcpgen/mcpgen/bench/profile"
	"github.com/mcpgen/mcpgen/bench/servers/byhand"
	"github.com/mcpgen/mcpgen/bench/site"
)

func main() {
	site.Serve(func(m site.Mode) http.Handler {
		return &handler{server: byhand.Default(), sessionless: m.Sessionless}
	})
}

type handler struct {
	server      *byhand.Server
	sessionless bool
	sessions    sync.Map
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method != http.MethodPost:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		http.Error(w, "Content-Type must be application/json", http.StatusUnsupportedMediaType)
		return
	case r.Header.Get("Origin") != "":
		http.Error(w, "forbidden", http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var req byhand.Request
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !h.sessionless && !req.IsModern() {
		if req.Method == "initialize" {
			id := rand.Text()
			h.sessions.Store(id, true)
			w.Header().Set("Mcp-Session-Id", id)
		} else if _, ok := h.sessions.Load(r.Header.Get("Mcp-Session-Id")); !ok {
			http.Error(w, "no such session", http.StatusNotFound)
			return
		}
	}
	if req.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	events := false
	event := func(message []byte) {
		if !events {
			events = true
			w.Header().Set("Content-Type", "text/event-stream")
		}
		_, err := w.Write([]byte("data: " + string(message) + "\n\n"))
		if err == nil {
			err = http.NewResponseController(w).Flush()
		}
		if err != nil {
			log.Print(err)
		}
	}
	reply, err := h.server.Answer(r.Context(), &req, event)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	case events:
		event(reply)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(reply)
	}
}
