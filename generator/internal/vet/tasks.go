package vet

// requiredTasks checks the rule required-task.
func (c *checker) requiredTasks() {
	for _, f := range c.features {
		if f.tool != nil && f.tool.Task != nil && f.tool.Task.Required {
			c.report(f.set, f.pos, f.subject, "write task=optional; or suppress the rule, if no other client is to call it",
				"clients without tasks cannot call it")
		}
	}
}
