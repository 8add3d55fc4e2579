package replicatest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// TestSessionStore runs the tests of an [mcphttp.SessionStore]. open returns two that are connected with
// each other and with nothing else, as those of two replicas. It registers with t.Cleanup what has to be
// closed. An idle time of a session in the tests is a minute, or two seconds where that passes.
func TestSessionStore(t *testing.T, open func(t *testing.T) (one, other mcphttp.SessionStore)) {
	for name, test := range map[string]func(t *testing.T, s *twoStores){
		"a record is read at both":              testRecord,
		"a record that is not there":            testNoRecord,
		"an update needs the version":           testUpdate,
		"one of many updates at once succeeds":  testUpdates,
		"Touch and Update begin the idle time":  testIdle,
		"Delete deletes everything":             testDelete,
		"events come in order at both":          testEvents,
		"one of many appends at once succeeds":  testAppends,
		"events after a number":                 testEventsAfter,
		"events of other streams do not come":   testStreams,
		"the end of the context ends Events":    testEventsEnd,
		"any bytes, and none":                   testBytes,
		"storage may be used again":             testStorage,
		"a message to one copy":                 testSend,
		"a message to all copies":               testSendAll,
		"messages come in order, one at a time": testSendOrder,
		"no message after stop":                 testStop,
	} {
		t.Run(name, func(t *testing.T) {
			one, other := open(t)
			test(t, &twoStores{t, [2]mcphttp.SessionStore{one, other}})
		})
	}
}

// twoStores are those of two replicas.
type twoStores struct {
	t    *testing.T
	both [2]mcphttp.SessionStore
}

// session is an id as handlers choose them.
const session = "5SJN5ZK2TJXQHFQZ4K4OKRR3XM"

// create creates the session at the first store.
func (s *twoStores) create(record string, idle time.Duration) (version uint64) {
	s.t.Helper()
	version, err := s.both[0].Create(within(s.t), session, []byte(record), idle)
	if err != nil {
		s.t.Fatalf("Create: %v", err)
	}
	return version
}

// load checks the record at both stores, and returns its version.
func (s *twoStores) load(want string) (version uint64) {
	s.t.Helper()
	for i, store := range s.both {
		record, v, err := store.Load(within(s.t), session)
		if err != nil || string(record) != want || i > 0 && v != version {
			s.t.Fatalf("Load at %d: %q, %d, %v; want %q, %d", i, record, v, err, want, version)
		}
		version = v
	}
	return version
}

// is checks an error.
func is(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func testRecord(t *testing.T, s *twoStores) {
	version := s.create("first", time.Minute)
	if got := s.load("first"); got != version {
		t.Errorf("the version is %d, and Create has returned %d", got, version)
	}
	for i := range 6 {
		text := fmt.Sprint("record ", i)
		next, err := s.both[i%2].Update(within(t), session, []byte(text), version)
		if err != nil || next <= version {
			t.Fatalf("Update %d: %d after %d, %v", i, next, version, err)
		}
		if version = s.load(text); version != next {
			t.Errorf("the version is %d, and Update has returned %d", version, next)
		}
	}
	if _, err := s.both[1].Create(within(t), session, []byte("x"), time.Minute); err == nil {
		t.Error("a session is created twice")
	}
}

func testNoRecord(t *testing.T, s *twoStores) {
	store := s.both[0]
	_, _, err := store.Load(within(t), session)
	is(t, "Load", err, mcphttp.ErrNoSession)
	_, err = store.Update(within(t), session, nil, 1)
	is(t, "Update", err, mcphttp.ErrNoSession)
	is(t, "Touch", store.Touch(within(t), session), mcphttp.ErrNoSession)
	is(t, "Append", store.Append(within(t), session, "a", 0, nil), mcphttp.ErrNoSession)
	is(t, "Delete", store.Delete(within(t), session), nil)
	taken, err := store.Send(within(t), session, "a", nil)
	if taken || err != nil {
		t.Errorf("Send: %t, %v", taken, err)
	}
}

func testUpdate(t *testing.T, s *twoStores) {
	version := s.create("first", time.Minute)
	next, err := s.both[1].Update(within(t), session, []byte("second"), version)
	is(t, "Update", err, nil)
	for _, store := range s.both {
		for _, wrong := range []uint64{0, version, next + 1} {
			_, err := store.Update(within(t), session, []byte("third"), wrong)
			is(t, fmt.Sprint("Update of version ", wrong), err, mcphttp.ErrConflict)
		}
	}
	s.load("second")
}

func testUpdates(t *testing.T, s *twoStores) {
	version := s.create("first", time.Minute)
	for range 10 {
		errs := make(chan error, 8)
		for i := range cap(errs) {
			go func() {
				_, err := s.both[i%2].Update(within(t), session, fmt.Append(nil, i), version)
				errs <- err
			}()
		}
		succeeded := 0
		for range cap(errs) {
			switch err := <-errs; {
			case err == nil:
				succeeded++
			case !errors.Is(err, mcphttp.ErrConflict):
				t.Errorf("Update: %v", err)
			}
		}
		if succeeded != 1 {
			t.Fatalf("%d of %d updates have succeeded", succeeded, cap(errs))
		}
		_, next, err := s.both[0].Load(within(t), session)
		is(t, "Load", err, nil)
		version = next
	}
}

func testIdle(t *testing.T, s *twoStores) {
	const idle = 2 * time.Second
	used := time.Now()
	s.create("first", idle)
	is(t, "Append", s.both[0].Append(within(t), session, "a", 0, []byte("event")), nil)
	for i := range 3 {
		version := s.load("first")
		time.Sleep(idle * 6 / 10)
		before := time.Now()
		var err error
		if i%2 == 0 {
			err = s.both[i%2].Touch(within(t), session)
		} else {
			_, err = s.both[i%2].Update(within(t), session, []byte("first"), version)
		}
		if errors.Is(err, mcphttp.ErrNoSession) && time.Since(used) >= idle {
			t.Log("the machine is too busy to use a session in time")
			break
		}
		is(t, "use", err, nil)
		used = before
	}
	for time.Sleep(idle + idle/2); ; time.Sleep(idle / 4) {
		_, _, err := s.both[1].Load(within(t), session)
		if errors.Is(err, mcphttp.ErrNoSession) {
			break
		}
		if err != nil {
			t.Fatalf("the session has not expired: %v", err)
		}
	}
	is(t, "Touch after the end", s.both[0].Touch(within(t), session), mcphttp.ErrNoSession)
	is(t, "Append after the end", s.both[0].Append(within(t), session, "b", 0, nil), mcphttp.ErrNoSession)
}

func testDelete(t *testing.T, s *twoStores) {
	version := s.create("first", time.Minute)
	is(t, "Append", s.both[0].Append(within(t), session, "a", 0, []byte("event")), nil)
	is(t, "Delete", s.both[1].Delete(within(t), session), nil)
	for _, store := range s.both {
		_, _, err := store.Load(within(t), session)
		is(t, "Load", err, mcphttp.ErrNoSession)
		_, err = store.Update(within(t), session, nil, version)
		is(t, "Update", err, mcphttp.ErrNoSession)
		is(t, "Append", store.Append(within(t), session, "a", 1, nil), mcphttp.ErrNoSession)
		for _, err := range store.Events(within(t), session, "a", 0) {
			if err == nil {
				t.Error("an event is left")
			}
			break
		}
	}
}

// events reads n events of a stream, which have the numbers after that one.
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
	// After the last event comes nothing, until it is appended.
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

func testBytes(t *testing.T, s *twoStores) {
	texts := []string{"", "\x00\xff\r\n", "☃", string(bytes.Repeat([]byte{7}, 200<<10))}
	version := s.create("", time.Minute)
	got := make(chan string, len(texts))
	stop, err := s.both[1].Receive(within(t), session, "x", func(m []byte) bool { got <- string(m); return true })
	is(t, "Receive", err, nil)
	defer stop()
	for i, text := range texts {
		var err error
		version, err = s.both[0].Update(within(t), session, []byte(text), version)
		is(t, "Update", err, nil)
		s.load(text)
		is(t, "Append", s.both[0].Append(within(t), session, "a", uint64(i), []byte(text)), nil)
		taken, err := s.both[0].Send(within(t), session, "x", []byte(text))
		if m := <-got; !taken || err != nil || m != text {
			t.Errorf("a message of %d bytes: %t, %v, %d have come", len(text), taken, err, len(m))
		}
	}
	for i, text := range s.events(1, "a", 0, len(texts)) {
		if text != texts[i] {
			t.Errorf("event %d has %d bytes, of %d", i, len(text), len(texts[i]))
		}
	}
}

func testStorage(t *testing.T, s *twoStores) {
	text := []byte("first")
	spoil := func() { copy(text, "xxxxx") }
	version, err := s.both[0].Create(within(t), session, text, time.Minute)
	is(t, "Create", err, nil)
	spoil()
	s.load("first")
	text = []byte("other")
	_, err = s.both[0].Update(within(t), session, text, version)
	is(t, "Update", err, nil)
	spoil()
	s.load("other")
	text = []byte("event")
	is(t, "Append", s.both[0].Append(within(t), session, "a", 0, text), nil)
	spoil()
	if got := s.events(0, "a", 0, 1)[0]; got != "event" {
		t.Errorf("the event is %q", got)
	}
	record, _, err := s.both[0].Load(within(t), session)
	is(t, "Load", err, nil)
	copy(record, "xxxxx")
	s.load("other")
}

// copies receives at both stores. It returns what has come there: the messages, and with which name.
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
