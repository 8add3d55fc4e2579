package replicatest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// TestSessionStore runs the tests of an [mcphttp.SessionStore]. open returns two that are connected
// only with each other, like two replicas' stores. It registers their cleanup with t.Cleanup. The
// idle time of a session in the tests is a minute, or two seconds if the test waits for it.
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

// twoStores are the stores of two replicas.
type twoStores struct {
	t    *testing.T
	both [2]mcphttp.SessionStore
}

// session is an id of the form that handlers choose.
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
