package subprocess

// ProcessState describes the end of the program, after Close.
func (c *Conn) ProcessState() string { return c.exit().Status }
