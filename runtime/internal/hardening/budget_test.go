package hardening_test

import (
	"time"
)

// gaveBack waits until all charges to the budget of the server are released: handlers may still be
// running.
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
