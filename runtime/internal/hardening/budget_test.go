package hardening_test

import (
	"time"
)

// gaveBack waits until nothing is charged to the budget of the server any more: handlers may
// still be on their way.
func (s *site) gaveBack() {
	s.t.Helper()
	memory := s.server.Transport().Memory()
	for n := 0; memory.Used() != 0; n++ {
		if n == 500 && !s.setup.real {
			s.t.Errorf("%s %s: %d bytes are charged at the end", s.target.name, s.target.era, memory.Used())
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
