// Package site is the common part of the HTTP programs of the comparison: a loopback listener, and
// two paths that measure memory.
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

// Mode contains the settings of an endpoint.
type Mode struct {
	// Sessionless serves the revisions up to 2025-11-25 without sessions, and 2026-07-28 if the
	// server needs a setting for that.
	Sessionless bool
	// Events is set if calls send notifications, for servers that do not decide themselves whether
	// an answer is plain JSON or an event stream.
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

// wait implements a bare stream, to measure its cost: it reads the request, flushes the header and
// waits.
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

// settle collects garbage and returns memory to the system. It responds with the bytes in use on
// the heap and by stacks.
func settle(w http.ResponseWriter, _ *http.Request) {
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	text := strconv.FormatUint(m.HeapAlloc+m.StackInuse, 10)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write([]byte(text))
}
