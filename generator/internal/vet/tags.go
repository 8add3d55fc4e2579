package vet

// unreadTags: see the table.
func (c *checker) unreadTags() {
	for _, t := range c.m.UnreadTags {
		c.report(nil, t.Pos, t.Subject, t.Hint, "%s", t.Message)
	}
}
