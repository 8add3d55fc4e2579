package mcphttp_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Stores that fail, or lose data.

// lateStore delivers messages after a second.
type lateStore struct{ mcphttp.SessionStore }

// cutStore is the store of a replica, until the replica is cut off, like a killed process.
type cutStore struct {
	mcphttp.SessionStore
	mu    sync.Mutex
	gone  bool
	stops []func()
}

var errCut = errors.New("secret: the connection is broken")

// cut stops all operations of the replica on the store.
func (s *cutStore) cut() {
	s.mu.Lock()
	stops := s.stops
	s.gone = true
	s.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
}

func (s *cutStore) isCut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

// cutting returns a setup whose first replica can be cut from the store.
func cutting() (setup, *cutStore) {
	first := new(cutStore)
	return setup{stores: func(i int, s mcphttp.SessionStore) mcphttp.SessionStore {
		if i > 0 {
			return s
		}
		first.SessionStore = s
		return first
	}}, first
}

// changedStore changes events that are read.
type changedStore struct {
	mcphttp.SessionStore
	change func(mcphttp.Event) mcphttp.Event
}

// lossyStore loses all messages.
type lossyStore struct{ mcphttp.SessionStore }

// fault is the behavior of a store's method.
type fault int

const (
	fails fault = iota
	panics
	exits
	hangs
)

// faultyStore has methods that fail, by name.
type faultyStore struct {
	mcphttp.SessionStore
	method atomic.Value // of string
	fault  fault
}

func (s *faultyStore) check(ctx context.Context, method string) error {
	if s.method.Load() != method {
		return nil
	}
	switch s.fault {
	case panics:
		panic("secret")
	case exits:
		runtime.Goexit()
	case hangs:
		<-ctx.Done()
		time.Sleep(time.Minute) // it ignores the cancellation of the context, too
	}
	return errCut
}

// failingStores are stores that never work.
func failingStores(_ int, s mcphttp.SessionStore) mcphttp.SessionStore {
	f := &faultyStore{SessionStore: s}
	f.method.Store("Load")
	return f
}

func (s lateStore) Send(ctx context.Context, id, to string, message []byte) (bool, error) {
	time.AfterFunc(time.Second, func() { _, _ = s.SessionStore.Send(context.WithoutCancel(ctx), id, to, message) })
	return false, nil
}

func (s *cutStore) Load(ctx context.Context, id string) ([]byte, uint64, error) {
	if s.isCut() {
		return nil, 0, errCut
	}
	return s.SessionStore.Load(ctx, id)
}

func (s *cutStore) Append(ctx context.Context, id, stream string, after uint64, event []byte) error {
	if s.isCut() {
		return errCut
	}
	return s.SessionStore.Append(ctx, id, stream, after, event)
}

func (s *cutStore) Send(ctx context.Context, id, to string, message []byte) (bool, error) {
	if s.isCut() {
		return false, errCut
	}
	return s.SessionStore.Send(ctx, id, to, message)
}

func (s *cutStore) Receive(ctx context.Context, id, name string, handle func([]byte) bool) (func(), error) {
	if s.isCut() {
		return nil, errCut
	}
	stop, err := s.SessionStore.Receive(ctx, id, name, handle)
	s.mu.Lock()
	s.stops = append(s.stops, stop)
	s.mu.Unlock()
	return stop, err
}

func (s *changedStore) Events(ctx context.Context, id, stream string, after uint64) iter.Seq2[mcphttp.Event, error] {
	return func(yield func(mcphttp.Event, error) bool) {
		for e, err := range s.SessionStore.Events(ctx, id, stream, after) {
			if !yield(s.change(e), err) {
				return
			}
		}
	}
}

func (lossyStore) Send(context.Context, string, string, []byte) (bool, error) { return false, nil }

func (s *faultyStore) Create(ctx context.Context, id string, record []byte, idle time.Duration) (uint64, error) {
	if err := s.check(ctx, "Create"); err != nil {
		return 0, err
	}
	return s.SessionStore.Create(ctx, id, record, idle)
}

func (s *faultyStore) Load(ctx context.Context, id string) ([]byte, uint64, error) {
	if err := s.check(ctx, "Load"); err != nil {
		return nil, 0, err
	}
	return s.SessionStore.Load(ctx, id)
}

func (s *faultyStore) Update(ctx context.Context, id string, record []byte, version uint64) (uint64, error) {
	if err := s.check(ctx, "Update"); err != nil {
		return 0, err
	}
	return s.SessionStore.Update(ctx, id, record, version)
}

func (s *faultyStore) Delete(ctx context.Context, id string) error {
	if err := s.check(ctx, "Delete"); err != nil {
		return err
	}
	return s.SessionStore.Delete(ctx, id)
}

func (s *faultyStore) Append(ctx context.Context, id, stream string, after uint64, event []byte) error {
	if err := s.check(ctx, "Append"); err != nil {
		return err
	}
	return s.SessionStore.Append(ctx, id, stream, after, event)
}

func (s *faultyStore) Events(ctx context.Context, id, stream string, after uint64) iter.Seq2[mcphttp.Event, error] {
	return func(yield func(mcphttp.Event, error) bool) {
		if err := s.check(ctx, "Events"); err != nil {
			yield(mcphttp.Event{}, err)
			return
		}
		s.SessionStore.Events(ctx, id, stream, after)(yield)
	}
}

func (s *faultyStore) Send(ctx context.Context, id, to string, message []byte) (bool, error) {
	if err := s.check(ctx, "Send"); err != nil {
		return false, err
	}
	return s.SessionStore.Send(ctx, id, to, message)
}

func (s *faultyStore) Receive(ctx context.Context, id, name string, handle func([]byte) bool) (func(), error) {
	if err := s.check(ctx, "Receive"); err != nil {
		return nil, err
	}
	return s.SessionStore.Receive(ctx, id, name, handle)
}
