// Package site is what the HTTP programs of the comparison have in common besides
// their endpoint: a listener on the loopback, and two paths that measure memory.
package site

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"
)

// Mode is how an endpoint is asked to treat its clients.
type Mode struct {
	// Sessionless serves the revisions up to 2025-11-25 without sessions, and 2026-07-28
	// where the server needs to be told so.
	Sessionless bool
	// Events says that calls will have notifications, for servers which cannot decide
	// by themselves whether an answer is plain JSON or an event stream.
	Events bool
}

// Serve serves the endpoint at /mcp, prints its URL, and never returns.
func Serve(endpoint func(Mode) http.Handler) {
	var m Mode
	flag.BoolVar(&m.Sessionless, "sessionless", false, "keep no sessions")
	flag.BoolVar(&m.Events, "events", false, "answer with event streams")
	flag.Parse()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", endpoint(m))
	mux.HandleFunc("/wait", wait)
	mux.HandleFunc("/settle", settle)
	fmt.Printf("http://%s/mcp\n", l.Addr())
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	log.Fatal(s.Serve(l))
}

// wait is what an open stream costs by itself: it reads the request, flushes the
// header and waits.
func wait(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		log.Print(err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	if err := http.NewResponseController(w).Flush(); err != nil {
		log.Print(err)
		return
	}
	<-r.Context().Done()
}

// settle gives back to the system what is garbage, and answers with the bytes that
// are in use on the heap and by stacks.
func settle(w http.ResponseWriter, _ *http.Request) {
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	text := strconv.FormatUint(m.HeapAlloc+m.StackInuse, 10)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write([]byte(text))
}
