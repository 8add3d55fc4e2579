package hardening_test

import (
	"time"
)

// gaveBack checks that nothing is charged to the budget of the server any more, within
// some time: handlers may still be on their way.
func (s *site) gaveBack() {
	s.t.Helper()
	memory := s.server.Transport().Memory()
	for range 500 {
		if memory.Used() == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Errorf("%s %s: %d bytes are charged at the end", s.target.name, s.target.era, memory.Used())
}
