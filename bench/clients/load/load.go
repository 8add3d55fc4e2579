// Package load calls a server through a client, with many concurrent calls, and measures the CPU
// time of the client process.
package load

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Client is a connected client.
type Client struct {
	// Call calls the tool search, and returns the first text and the structured content of its
	// result.
	Call func(ctx context.Context, arguments json.RawMessage) (text string, structured any, err error)
	// Close closes the client.
	Close func() error
}

// Server is the server to connect to.
type Server struct {
	Path string // a program that serves standard input and output; "" for URL
	URL  string // streamable HTTP
	// Sessions selects a revision with sessions, if a client over HTTP has a choice.
	Sessions bool
}

// Result is the JSON output of a run.
type Result struct {
	Calls int
	CPU   time.Duration // of the client, for all calls
	Wall  time.Duration
}

// variants is the number of different calls.
const variants = 16

// Arguments are about 570 bytes.
func arguments(variant int) json.RawMessage {
	return json.RawMessage(`{"query":"distributed systems and the people who run them","limit":` + strconv.Itoa(variant+1) +
		`,"offset":100,"sort":"year","exact":false,` +
		`"filters":[{"field":"language","op":"in","values":["en","de","fr"],"boost":1.5},{"field":"year","op":"gt","values":["1990"]},` +
		`{"field":"publisher","op":"ne","values":["Example Press","Sample House & Company"],"boost":0.25}],` +
		`"labels":{"tenant":"north","trace":"7f3a19c2b0d4","source":"assistant"},"weights":{"title":0.75,"author":0.5,"text":0.125},` +
		`"page":{"number":5,"size":25,"cursor":"b2Zmc2V0OjEwMA=="},"since":"2024-02-29T12:30:00.25+01:00"}`)
}

// Main measures a client and prints the Result.
func Main(connect func(ctx context.Context, to Server) (*Client, error)) {
	var to Server
	flag.StringVar(&to.Path, "server", "", "`program` to start and call over standard input and output")
	flag.StringVar(&to.URL, "url", "", "`URL` of a server to call over HTTP")
	flag.BoolVar(&to.Sessions, "sessions", false, "use a revision with sessions over HTTP")
	calls := flag.Int("calls", 20_000, "how many calls are measured")
	parallel := flag.Int("parallel", 64, "calls at a time")
	flag.Parse()
	if err := run(to, *calls, *parallel, connect); err != nil {
		log.Fatal(err)
	}
}

func run(to Server, calls, parallel int, connect func(ctx context.Context, to Server) (*Client, error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c, err := connect(ctx, to)
	if err != nil {
		return err
	}
	if err := many(ctx, c, calls/4+parallel, parallel); err != nil {
		return err
	}
	before, began := cpu(), time.Now()
	if err := many(ctx, c, calls, parallel); err != nil {
		return err
	}
	r := Result{Calls: calls, CPU: cpu() - before, Wall: time.Since(began)}
	if err := c.Close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// many sends calls, and checks their results.
func many(ctx context.Context, c *Client, calls, parallel int) error {
	var next atomic.Int64
	var group sync.WaitGroup
	errs := make(chan error, parallel)
	for range parallel {
		group.Go(func() {
			for {
				n := int(next.Add(1))
				if n > calls {
					return
				}
				if err := one(ctx, c, n%variants); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	group.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// one sends a call. The result contains the limit of the query, which differs.
func one(ctx context.Context, c *Client, variant int) error {
	text, structured, err := c.Call(ctx, arguments(variant))
	switch {
	case err != nil:
		return err
	case text == "" || structured == nil:
		return errors.New("a result without text or structured content")
	case len(text) < 500 || !strings.HasPrefix(text, "{"):
		return fmt.Errorf("unexpected result: %s", text)
	}
	return nil
}

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		log.Fatal(err)
	}
	return time.Duration(t.Nano())
}
