package replicatest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// events reads n events of a stream, beginning after a number.
func (s *twoStores) events(i int, stream string, after uint64, n int) (texts []string) {
	s.t.Helper()
	for e, err := range s.both[i].Events(within(s.t), session, stream, after) {
		if err != nil {
			s.t.Fatalf("Events after %d, after %d of %d: %v", after, len(texts), n, err)
		}
		if after++; e.Sequence != after {
			s.t.Fatalf("event %d comes where %d is next", e.Sequence, after)
		}
		if texts = append(texts, string(e.Data)); len(texts) == n {
			break
		}
	}
	return texts
}

func testEvents(t *testing.T, s *twoStores) {
	s.create("first", time.Minute)
	const n = 50
	var all [2][]string
	var reading sync.WaitGroup
	is(t, "Append", s.both[0].Append(within(t), session, "a.1", 0, []byte("0")), nil)
	for i := range all {
		reading.Go(func() { all[i] = s.events(i, "a.1", 0, n) })
	}
	for i := 1; i < n; i++ {
		is(t, "Append", s.both[i%2].Append(within(t), session, "a.1", uint64(i), fmt.Append(nil, i)), nil)
	}
	reading.Wait()
	for i, texts := range all {
		for j, text := range texts {
			if text != fmt.Sprint(j) {
				t.Fatalf("event %d at %d is %q", j, i, text)
			}
		}
	}
}

func testAppends(t *testing.T, s *twoStores) {
	s.create("first", time.Minute)
	for after := range uint64(10) {
		errs := make(chan error, 8)
		for i := range cap(errs) {
			go func() { errs <- s.both[i%2].Append(within(t), session, "a", after, fmt.Append(nil, i)) }()
		}
		succeeded := 0
		for range cap(errs) {
			switch err := <-errs; {
			case err == nil:
				succeeded++
			case !errors.Is(err, mcphttp.ErrConflict):
				t.Errorf("Append: %v", err)
			}
		}
		if succeeded != 1 {
			t.Fatalf("%d of %d events have been appended after %d", succeeded, cap(errs), after)
		}
	}
	for _, wrong := range []uint64{0, 9, 11, 100} {
		is(t, fmt.Sprint("Append after ", wrong), s.both[0].Append(within(t), session, "a", wrong, nil), mcphttp.ErrConflict)
	}
	is(t, "Append after 1 to no stream", s.both[0].Append(within(t), session, "b", 1, nil), mcphttp.ErrConflict)
	if n := len(s.events(1, "a", 0, 10)); n != 10 {
		t.Errorf("%d events", n)
	}
}

func testEventsAfter(t *testing.T, s *twoStores) {
	s.create("first", time.Minute)
	for i := range uint64(5) {
		is(t, "Append", s.both[0].Append(within(t), session, "a", i, fmt.Append(nil, i)), nil)
	}
	for after := range 5 {
		if texts := s.events(1, "a", uint64(after), 5-after); texts[0] != fmt.Sprint(after) {
			t.Errorf("after %d comes %q", after, texts[0])
		}
	}
	for _, c := range []struct {
		stream string
		after  uint64
	}{{"a", 6}, {"a", 1 << 40}, {"b", 1}} {
		for _, err := range s.both[1].Events(within(t), session, c.stream, c.after) {
			is(t, fmt.Sprintf("Events of %s after %d", c.stream, c.after), err, mcphttp.ErrGone)
			break
		}
	}
	// After the last event, nothing arrives until the next one is appended.
	next := make(chan []string, 1)
	go func() { next <- s.events(1, "a", 5, 1) }()
	select {
	case texts := <-next:
		t.Errorf("after the last event comes %q", texts)
	case <-time.After(quiet):
	}
	is(t, "Append", s.both[0].Append(within(t), session, "a", 5, []byte("5")), nil)
	if texts := <-next; !slices.Equal(texts, []string{"5"}) {
		t.Errorf("the next event is %q", texts)
	}
}

func testStreams(t *testing.T, s *twoStores) {
	s.create("first", time.Minute)
	streams := []string{"a", "a.1", "a.10", "a.1-b", "A"}
	for i := range uint64(3) {
		for _, stream := range streams {
			is(t, "Append", s.both[i%2].Append(within(t), session, stream, i, fmt.Append(nil, stream, i)), nil)
		}
	}
	for _, stream := range streams {
		for i, text := range s.events(1, stream, 0, 3) {
			if text != fmt.Sprint(stream, i) {
				t.Errorf("event %d of %s is %q", i, stream, text)
			}
		}
	}
}

func testEventsEnd(t *testing.T, s *twoStores) {
	s.create("first", time.Minute)
	is(t, "Append", s.both[0].Append(within(t), session, "a", 0, nil), nil)
	cause := errors.New("a cause")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(quiet, func() { cancel(cause) })
	var last error
	for _, err := range s.both[0].Events(ctx, session, "a", 1) {
		last = err
	}
	is(t, "the last error", last, cause)
}
