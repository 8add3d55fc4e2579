// Package servers contains the common code of the programs below it. Each serves the same features
// with another SDK, for tests of mcpgen's client: over standard input and output, or with -http
// over HTTP, when it prints its URL at the end of a line on standard error.
//
// The tools are
//
//   - echo, which returns the argument text, and fails if that is empty;
//   - steps, which reports progress three times, logs a message of level info and one of level
//     warning, and waits until proceed is called;
//   - wait, which runs until it is cancelled, and cancelled, which waits until that has happened;
//   - ask, which asks for a form, a message of a model and the roots;
//   - touch, which updates the resource test://a, and grow, which adds a tool with the given name;
//   - once, which runs forever, but returns the number of its calls if LEDGER records an earlier
//     call;
//   - pid, which returns the process ID.
//
// Further features are the resource test://a, the template test://{x} and the prompt p, with
// completion of its argument.
package servers

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

// Run serves over the transport that the command line names.
func Run(stdio func() error, paths map[string]http.Handler) {
	address := flag.String("http", "", "serve HTTP at this address")
	flag.Parse()
	if *address == "" {
		exit(stdio())
	}
	mux := http.NewServeMux()
	for path, handler := range paths {
		mux.Handle(path, handler)
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		exit(err)
	}
	fmt.Fprintf(os.Stderr, "serves at http://%s\n", listener.Addr())
	exit((&http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}).Serve(listener))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// The tools that need no SDK.

// Echo returns a text.
func Echo(text string) (string, error) {
	if text == "" {
		return "", errors.New("text is empty")
	}
	return text, nil
}

// cancelled gets an element for each call of wait that was cancelled.
var cancelled = make(chan struct{}, 10)

// Wait waits until it is cancelled.
func Wait(ctx context.Context) (string, error) {
	select {
	case <-ctx.Done():
		cancelled <- struct{}{}
		return "", ctx.Err()
	case <-time.After(10 * time.Second): // in case a server does not pass on the cancellation
		return "", errors.New("not cancelled")
	}
}

// Cancelled waits until a call of Wait was cancelled.
func Cancelled(ctx context.Context) (string, error) {
	select {
	case <-cancelled:
		return "yes", nil
	case <-time.After(time.Second):
		return "no", nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Once adds a line to the file LEDGER. If it is the first line, Once waits; otherwise it returns
// the number of lines.
func Once(ctx context.Context) (string, error) {
	file, err := os.OpenFile(os.Getenv("LEDGER"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if _, err := file.WriteString("called\n"); err != nil {
		return "", err
	}
	text, err := os.ReadFile(file.Name())
	if err != nil {
		return "", err
	}
	calls := bytes.Count(text, []byte("\n"))
	if calls == 1 {
		<-ctx.Done()
		return "", ctx.Err()
	}
	return strconv.Itoa(calls), nil
}

// proceeds gets an element for each call of proceed.
var proceeds = make(chan struct{}, 10)

// Proceed ends a call of Stay.
func Proceed() string {
	proceeds <- struct{}{}
	return "proceeds"
}

// Stay waits until Proceed is called.
func Stay(ctx context.Context) (string, error) {
	select {
	case <-proceeds:
		return "done", nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// PID returns the process ID.
func PID() string { return strconv.Itoa(os.Getpid()) }
