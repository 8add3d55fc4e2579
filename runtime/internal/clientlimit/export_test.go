package clientlimit

// Clients returns the number of clients in a counter.
func (c *Counter) Clients() (n int) {
	for i := range c.parts {
		c.parts[i].mu.Lock()
		n += len(c.parts[i].of)
		c.parts[i].mu.Unlock()
	}
	return n
}
