package subprocess

import (
	"time"
)

// grace limits the wait for the rest of the output after the program exits: another process may
// have inherited the output, and may run for ever.
const grace = 100 * time.Millisecond

// finish begins to close the connection.
func (c *Conn) finish() {
	c.end.Do(func() { go c.endProgram() })
}

// watch notices the exit of the program, and waits for the process.
func (c *Conn) watch() {
	defer close(c.reaped)
	if c.stderr != nil {
		c.stderr.copy(c.process)
	}
	state := awaitEnd(c.process)
	close(c.ended)
	c.finish()
	<-c.signalled
	if state == nil {
		state, _ = c.process.Wait() // an error means that another part of the program has waited for the process
	}
	c.state = state
}

// endProgram stops the program, whatever it and its children do, and closes the pipes.
func (c *Conn) endProgram() {
	defer close(c.done)
	defer c.counted()
	closePipe(c.stdin)
	within := c.options.Limits.CloseTime
	if !c.isGone(within, grace) {
		c.forced = !c.hasEnded() && !c.closing.Load()
		terminate(c.process, c.group)
		if !c.isGone(within, within) {
			kill(c.process, c.group)
			c.isGone(within, grace)
		}
	}
	close(c.signalled)
	closePipe(c.stdout)
	if c.stderr != nil {
		closePipe(c.stderr.file)
	}
	select {
	case <-c.reaped:
	case <-time.After(within):
		// The system does not end the process. The watch goroutine waits for it.
	}
}

func (c *Conn) hasEnded() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// isGone waits up to within for the exit of the program, and up to grace longer for the end of its
// output. It reports whether both have happened.
func (c *Conn) isGone(within, grace time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	ended, output := c.ended, c.outputEnd
	for ended != nil || output != nil {
		select {
		case <-output:
			output = nil
		case <-ended:
			ended = nil
			timer.Reset(min(grace, within))
		case <-timer.C:
			return false
		}
	}
	return true
}
