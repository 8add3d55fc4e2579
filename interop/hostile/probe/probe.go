// Package probe runs one client against one hostile server, in a separate process, and prints the
// outcome.
package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Server describes the server, and the action of the client.
type Server struct {
	Over string        // stdio, http, sse
	Path string        // of the program, for stdio
	Row  string        // its argument
	URL  string        // for http and sse
	Do   string        // connect, call, calls, list, close
	Time time.Duration // of the context of all actions of the client
}

// Client contains the actions of a client.
type Client struct {
	// Call calls the tool "tool", and returns the result's text, or its structured content as JSON.
	Call func(context.Context) (string, error)
	// List returns the number of tools.
	List  func(context.Context) (int, error)
	Close func() error
}

// Outcome is the outcome of a probe.
type Outcome struct {
	Error   string  // "" for a value
	Value   string  // at most 64 bytes of it
	Asked   bool    // the user was shown a question
	Seconds float64 // duration of the action
	MB      float64 // peak memory of the process
	// Ended is "" if the client returned in time, else "time" or "memory".
	Ended string
}

// memoryMB is the memory at which a client is stopped.
const memoryMB = 2048

// Main connects with a function, executes the action in the program's argument, and prints an
// [Outcome]. The client calls asked when it shows the user a question.
func Main(connect func(ctx context.Context, to Server, asked func()) (*Client, error)) {
	var to Server
	if err := json.Unmarshal([]byte(os.Args[1]), &to); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	var asked atomic.Bool
	var once sync.Once
	began := time.Now()
	finish := func(o Outcome) {
		once.Do(func() {
			o.Asked, o.Seconds, o.MB = asked.Load(), time.Since(began).Seconds(), peak()
			_ = json.NewEncoder(os.Stdout).Encode(o) // no other way to report it
			os.Exit(0)
		})
	}
	go func() { // the context should have stopped everything before
		for ; time.Since(began) < 2*to.Time; time.Sleep(20 * time.Millisecond) {
			if peak() > memoryMB {
				finish(Outcome{Ended: "memory"})
			}
		}
		finish(Outcome{Ended: "time"})
	}()
	ctx, cancel := context.WithTimeout(context.Background(), to.Time)
	defer cancel()
	value, err := do(ctx, connect, to, func() { asked.Store(true) })
	o := Outcome{Value: value[:min(len(value), 64)]}
	if err != nil {
		text := err.Error()
		o = Outcome{Error: text[:min(len(text), 300)]}
	}
	finish(o)
}

func do(ctx context.Context, connect func(context.Context, Server, func()) (*Client, error), to Server, asked func()) (string, error) {
	c, err := connect(ctx, to, asked)
	if err != nil {
		return "", err
	}
	switch to.Do {
	case "connect":
		return "connected", nil
	case "list":
		n, err := c.List(ctx)
		return strconv.Itoa(n) + " tools", err
	case "calls":
		if _, err := c.Call(ctx); err != nil {
			return "", err
		}
	case "close":
		if _, err := c.Call(ctx); err != nil {
			return "", err
		}
		_ = c.Close() // it may report that the program was killed, which is correct
		return "closed", nil
	}
	return c.Call(ctx)
}

// peak returns the peak memory of this process in MB, as the system reports it; otherwise the
// memory that the runtime currently uses.
func peak() float64 {
	if text, err := os.ReadFile("/proc/self/status"); err == nil {
		if _, after, ok := strings.Cut(string(text), "VmHWM:"); ok {
			var kb float64
			if _, err := fmt.Sscan(after, &kb); err == nil {
				return kb / 1000
			}
		}
	}
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64()) / 1e6
}
