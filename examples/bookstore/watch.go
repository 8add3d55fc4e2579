package bookstore

import "sync"

// watchers contains the functions to call after changes. The zero value is ready to use, and safe
// for concurrent use.
type watchers struct {
	mu  sync.Mutex
	all []func(id int64)
}

// Watch calls f with the number of each book that this process changes: its price or its copies
// change, or it is added or removed. f runs on the goroutine that makes the change, and must not
// block.
func (s *Store) Watch(f func(id int64)) {
	s.watchers.mu.Lock()
	defer s.watchers.mu.Unlock()
	s.watchers.all = append(s.watchers.all, f)
}

// changed calls the functions of Watch.
func (s *Store) changed(id int64) {
	s.watchers.mu.Lock()
	all := s.watchers.all
	s.watchers.mu.Unlock()
	for _, f := range all {
		f(id)
	}
}
