package subprocess

// ProcessState describes the exit of the program, after Close.
func (c *Conn) ProcessState() string { return c.exit().Status }
