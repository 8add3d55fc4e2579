package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

// pipe is a lane over standard input and output.
type pipe struct {
	in       io.Writer
	out      *bufio.Reader
	requests []pattern
	check    *checker
	at       int
	apart    bool // long requests are written by a separate goroutine

	last  int // the last number given to a request
	sent  map[int]time.Time
	batch []byte
	line  []byte
}

// newPipe initializes a started server.
func newPipe(p *process, l *load) (*pipe, error) {
	t := &pipe{
		in: p.in, out: bufio.NewReaderSize(p.out, 256<<10), at: l.at, apart: l.scenario.big,
		requests: l.scenario.requests(l.over.modern), check: newChecker(l.scenario, l.over.modern), sent: map[int]time.Time{},
	}
	if l.over.modern {
		return t, nil
	}
	if _, err := io.WriteString(p.in, initializeMessage+"\n"); err != nil {
		return nil, err
	}
	answer, err := t.read()
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(answer, []byte(`"serverInfo"`)) {
		return nil, fmt.Errorf("initialize: %s", clip(string(answer)))
	}
	_, err = io.WriteString(p.in, initializedMessage+"\n")
	return t, err
}

func (t *pipe) close() {}

// read returns the next line, which is valid until the next call.
func (t *pipe) read() ([]byte, error) {
	t.line = t.line[:0]
	for {
		part, err := t.out.ReadSlice('\n')
		if err == nil && len(t.line) == 0 {
			return part, nil
		}
		t.line = append(t.line, part...)
		switch {
		case err == nil:
			return t.line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("read answer: %w", err)
		}
	}
}

// ask appends a request to the batch.
func (t *pipe) ask(now time.Time) {
	t.last++
	t.sent[t.last] = now
	t.batch = append(t.requests[t.last%len(t.requests)].append(t.batch, t.last), '\n')
}

func (t *pipe) run(until time.Time) (times []time.Duration, err error) {
	send := func() error {
		if len(t.batch) == 0 {
			return nil
		}
		_, err := t.in.Write(t.batch)
		t.batch = t.batch[:0]
		return err
	}
	if t.apart {
		batches := make(chan []byte, t.at+1)
		failed := make(chan error, 1)
		go func() {
			var err error
			for b := range batches {
				if err == nil {
					_, err = t.in.Write(b)
				}
			}
			failed <- err
		}()
		defer func() {
			close(batches)
			if failure := <-failed; err == nil {
				err = failure
			}
		}()
		send = func() error {
			if len(t.batch) > 0 {
				batches <- t.batch
				t.batch = nil
			}
			return nil
		}
	}
	now := time.Now()
	for range t.at {
		t.ask(now)
	}
	if err := send(); err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	for len(t.sent) > 0 {
		line, err := t.read()
		if err != nil {
			return nil, err
		}
		id, err := t.check.take(line)
		if err != nil {
			return nil, err
		}
		if id != 0 {
			began, open := t.sent[id]
			if !open {
				return nil, fmt.Errorf("second answer: %s", clip(string(line)))
			}
			delete(t.sent, id)
			now = time.Now()
			times = append(times, now.Sub(began))
			if now.Before(until) {
				t.ask(now)
			}
		}
		// After answers that arrive together, the next requests are sent together.
		if !t.more() {
			if err := send(); err != nil {
				return nil, fmt.Errorf("write request: %w", err)
			}
		}
	}
	return times, nil
}

// more reports whether a whole line is buffered.
func (t *pipe) more() bool {
	n := t.out.Buffered()
	if n == 0 {
		return false
	}
	b, err := t.out.Peek(n)
	return err == nil && bytes.IndexByte(b, '\n') >= 0
}
