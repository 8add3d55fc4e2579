package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

// serve runs the program of a package: what comes in and goes out is the
// protocol's.
func (c *command) serve(args []string) int {
	f := newFlags("run")
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	if len(rest) != 1 {
		return c.usage("run", "run takes one package", "")
	}
	p, code, ok := c.load(f, rest[0])
	if !ok {
		return code
	}
	built, code, ok := c.build(p)
	if !ok {
		return code
	}
	defer c.remove(built)
	cmd := built.Command(c.ctx)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.in, c.out, c.err
	// The program is told as this command was told, and ends in its own way.
	cmd.Cancel = func() error {
		if caught, ok := context.Cause(c.ctx).(signalError); ok && cmd.Process.Signal(caught.Signal) == nil {
			return nil
		}
		return cmd.Process.Kill()
	}
	cmd.WaitDelay = 15 * time.Second
	err := cmd.Run()
	return c.exitCode(err)
}

// exitCode passes on how a program ended.
func (c *command) exitCode(err error) int {
	if err == nil || errors.Is(err, os.ErrProcessDone) {
		return exitDone
	}
	exited, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		if c.ctx.Err() != nil {
			return exitDone // it ended well after it was told to
		}
		return c.fail(err)
	}
	if code := exited.ExitCode(); code >= 0 {
		return code
	}
	c.noteln("mcpgen: the program ended: %v", exited)
	return exitFound
}
