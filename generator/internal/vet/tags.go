package vet

// unreadTags checks the rule unread-tag.
func (c *checker) unreadTags() {
	for _, t := range c.m.UnreadTags {
		c.report(nil, t.Pos, t.Subject, t.Hint, "%s", t.Message)
	}
}
