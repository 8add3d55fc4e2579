package embedded

// Address returns the address of the listener for clients.
func (s *Server) Address() string { return s.server.Addr().String() }

// Password returns that of the listener.
func (s *Server) Password() string { return s.password }
