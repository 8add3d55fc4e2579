package vet

// mixedScopes checks the rule mixed-scopes.
func (c *checker) mixedScopes() {
	if !c.hasScopes() {
		return
	}
	for _, f := range c.features {
		if f.tool == nil || len(f.tool.Scopes) > 0 || f.tool.Hints.ReadOnly || !f.tool.Hints.Destructive {
			continue
		}
		c.report(f.set, f.pos, f.subject, "add scopes= to the directive, or to //mcp:defaults; readonly or additive, if it is that",
			"it is destructive and needs no scope, while other tools of the package do")
	}
}

// hasScopes reports whether a tool of the package needs scopes.
func (c *checker) hasScopes() bool {
	for _, f := range c.features {
		if f.tool != nil && len(f.tool.Scopes) > 0 {
			return true
		}
	}
	return false
}
