// Package probe runs one client against one hostile server, in a process of its own, and
// prints what came of it.
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

// Server is where the server is, and what the client does.
type Server struct {
	Over string        // stdio, http, sse
	Path string        // of the program, for stdio
	Row  string        // its argument
	URL  string        // for http and sse
	Do   string        // connect, call, calls, list, close
	Time time.Duration // of the context of everything that the client does
}

// Client is what a client can do.
type Client struct {
	// Call calls the tool "tool", and returns the text of the result, or its structured content as JSON.
	Call func(context.Context) (string, error)
	// List returns the number of tools.
	List  func(context.Context) (int, error)
	Close func() error
}

// Outcome is what came of it.
type Outcome struct {
	Error   string  // "" for a value
	Value   string  // at most 64 bytes of it
	Asked   bool    // the user was shown a question
	Seconds float64 // of what the client did
	MB      float64 // the most that the process has taken
	// Ended is "" after an end in time. Otherwise "time", or "memory".
	Ended string
}

// memoryMB is what a client may take at most before it is stopped.
const memoryMB = 2048

// Main connects by a function, does what the argument of the program says, and prints an
// [Outcome]. asked is to be called where the client shows the user a question.
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
			_ = json.NewEncoder(os.Stdout).Encode(o) // there is nothing else to say it with
			os.Exit(0)
		})
	}
	go func() { // the context was to end everything before
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
		_ = c.Close() // may say that the program was killed, which is right
		return "closed", nil
	}
	return c.Call(ctx)
}

// peak is the most memory that this process has taken, in MB: what the system says, or where it
// does not, what the runtime has from it now.
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
