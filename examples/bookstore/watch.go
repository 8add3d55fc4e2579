package bookstore

import "sync"

// watchers are the functions that hear of changes. The zero value is ready, and
// safe for concurrent use.
type watchers struct {
	mu  sync.Mutex
	all []func(id int64)
}

// Watch has f called with the number of each book of which something has
// changed in this process: its price, its copies, or that it is there at all. f
// is called by whoever makes the change, and must not wait.
func (s *Store) Watch(f func(id int64)) {
	s.watchers.mu.Lock()
	defer s.watchers.mu.Unlock()
	s.watchers.all = append(s.watchers.all, f)
}

// changed tells those who watch.
func (s *Store) changed(id int64) {
	s.watchers.mu.Lock()
	all := s.watchers.all
	s.watchers.mu.Unlock()
	for _, f := range all {
		f(id)
	}
}
