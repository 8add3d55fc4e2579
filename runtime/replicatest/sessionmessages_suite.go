package replicatest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// copies receives at both stores. It returns a function that returns the received messages with the
// names of the copies.
func (s *twoStores) copies(takes func(message string) bool) (received func(n int) []string) {
	s.t.Helper()
	messages := make(chan string, 1000)
	for i, store := range s.both {
		name := fmt.Sprint("copy", i)
		stop, err := store.Receive(within(s.t), session, name, func(m []byte) bool {
			messages <- name + " " + string(m)
			return takes(string(m))
		})
		if err != nil {
			s.t.Fatalf("Receive: %v", err)
		}
		s.t.Cleanup(stop)
	}
	return func(n int) (all []string) {
		s.t.Helper()
		late := time.After(wait)
		for range n {
			select {
			case m := <-messages:
				all = append(all, m)
			case <-late:
				s.t.Fatalf("%q have come, want %d", all, n)
			}
		}
		select {
		case m := <-messages:
			s.t.Errorf("%q has come after %q", m, all)
		case <-time.After(quiet):
		}
		slices.Sort(all)
		return all
	}
}

func testSend(t *testing.T, s *twoStores) {
	s.create("first", time.Minute)
	received := s.copies(func(m string) bool { return m == "yes" })
	for from := range s.both {
		for to := range s.both {
			for _, m := range []string{"yes", "no"} {
				taken, err := s.both[from].Send(within(t), session, fmt.Sprint("copy", to), []byte(m))
				if taken != (m == "yes") || err != nil {
					t.Errorf("Send %s from %d to %d: %t, %v", m, from, to, taken, err)
				}
			}
		}
	}
	if got := received(8); !slices.Equal(got, []string{
		"copy0 no", "copy0 no", "copy0 yes", "copy0 yes", "copy1 no", "copy1 no", "copy1 yes", "copy1 yes",
	}) {
		t.Errorf("received %q", got)
	}
	for _, to := range []string{"copy2", "copy", "x"} {
		taken, err := s.both[0].Send(within(t), session, to, []byte("yes"))
		if taken || err != nil {
			t.Errorf("Send to %s: %t, %v", to, taken, err)
		}
	}
	taken, err := s.both[0].Send(within(t), "OTHER"+session[5:], "copy0", []byte("yes"))
	if taken || err != nil {
		t.Errorf("Send in another session: %t, %v", taken, err)
	}
	received(0)
}

func testSendAll(t *testing.T, s *twoStores) {
	s.create("first", time.Minute)
	received := s.copies(func(string) bool { return true })
	for i, store := range s.both {
		taken, err := store.Send(within(t), session, "", fmt.Append(nil, i))
		if taken || err != nil {
			t.Errorf("Send from %d: %t, %v", i, taken, err)
		}
	}
	if got := received(4); !slices.Equal(got, []string{"copy0 0", "copy0 1", "copy1 0", "copy1 1"}) {
		t.Errorf("received %q", got)
	}
}

func testSendOrder(t *testing.T, s *twoStores) {
	s.create("first", time.Minute)
	const n = 200
	var mu sync.Mutex
	var order []string
	busy, all := false, make(chan struct{})
	stop, err := s.both[1].Receive(within(t), session, "x", func(m []byte) bool {
		mu.Lock()
		if busy {
			t.Error("two messages are handled at the same time")
		}
		busy = true
		mu.Unlock()
		time.Sleep(time.Microsecond)
		mu.Lock()
		defer mu.Unlock()
		busy = false
		if order = append(order, string(m)); len(order) == n {
			close(all)
		}
		return true
	})
	is(t, "Receive", err, nil)
	defer stop()
	for i := range n {
		to := ""
		if i%10 == 0 {
			to = "x"
		}
		_, err := s.both[0].Send(within(t), session, to, fmt.Append(nil, i))
		is(t, "Send", err, nil)
	}
	select {
	case <-all:
	case <-time.After(wait):
	}
	mu.Lock()
	defer mu.Unlock()
	for i, m := range order {
		if m != fmt.Sprint(i) {
			t.Fatalf("message %d is %s", i, m)
		}
	}
	if len(order) != n {
		t.Errorf("%d messages of %d", len(order), n)
	}
}

func testStop(t *testing.T, s *twoStores) {
	s.create("first", time.Minute)
	var mu sync.Mutex
	stopped := false
	handling := make(chan struct{}, 1)
	stop, err := s.both[1].Receive(within(t), session, "x", func([]byte) bool {
		select {
		case handling <- struct{}{}:
		default:
		}
		time.Sleep(quiet)
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			t.Error("a message is handled after stop")
		}
		return true
	})
	is(t, "Receive", err, nil)
	_, err = s.both[0].Send(within(t), session, "", nil)
	is(t, "Send", err, nil)
	<-handling
	stop()
	mu.Lock()
	stopped = true
	mu.Unlock()
	stop()
	taken, err := s.both[0].Send(within(t), session, "x", nil)
	if taken || err != nil {
		t.Errorf("Send after stop: %t, %v", taken, err)
	}
	_, err = s.both[0].Send(within(t), session, "", nil)
	is(t, "Send", err, nil)
	time.Sleep(quiet)
}
