package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/internal/httpaddr"
	"github.com/mcpgen/mcpgen/internal/httpflags"
)

// site contains the values of the flags for HTTP.
type site struct {
	http           bool
	address        string
	hosts, origins []string
	tls            httpflags.TLS
	auth           httpflags.Auth
}

// serve runs the program of a package: its input and output are the protocol's, unless it serves
// over HTTP.
func (c *command) serve(args []string) int {
	f := newFlags("run")
	s := new(site)
	s.define(f)
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	if code, ok := c.checkSite(s); !ok {
		return code
	}
	switch {
	case len(rest) == 0:
		return c.usage("run", "the package is missing", "for the package of the current directory: "+c.invoked+" run .")
	case len(rest) > 1:
		return c.usage("run", "run takes one package", "")
	}
	p, code, ok := c.load(f, rest[0])
	if !ok {
		return code
	}
	built, code, ok := c.build(p, s.http, s.auth.Given() || s.tls.ClientCA != "")
	if !ok {
		return code
	}
	defer c.remove(built)
	if in, ok := c.in.(*os.File); ok && !s.http && isTerminal(in) {
		c.noteln("serving %s over standard input and output\n\thint: a client is expected there; %s run -http 8080 %s serves over HTTP",
			rest[0], c.invoked, word(rest[0]))
	}
	return c.exitCode(c.supervise(built.Command(c.ctx, s.args()...), s.http))
}

// define adds the flags for HTTP.
func (s *site) define(f *flags) {
	list := func(name string, to *[]string) {
		f.Func(name, "", func(text string) error {
			*to = append(*to, text)
			return nil
		})
	}
	f.Func("http", "", func(text string) error {
		s.http, s.address = true, text
		return nil
	})
	list("allow-host", &s.hosts)
	list("allow-origin", &s.origins)
	s.tls.Define(f.FlagSet)
	s.auth.Define(f.FlagSet)
}

// checkSite reports errors in the flags, before the program is built.
func (c *command) checkSite(s *site) (code int, ok bool) {
	switch {
	case s.http:
	case len(s.hosts) > 0:
		return c.usage("run", "flag -allow-host has no meaning without -http", "give both or neither"), false
	case len(s.origins) > 0:
		return c.usage("run", "flag -allow-origin has no meaning without -http", "give both or neither"), false
	}
	if s.http {
		address, err := httpaddr.Parse(s.address)
		if wrong, ok := errors.AsType[*httpaddr.Error](err); ok {
			return c.usage("run", fmt.Sprintf("flag -http: address %q %s", wrong.Text, wrong.Problem), wrong.Hint), false
		}
		s.address = address
	}
	err := s.tls.Check(s.http)
	if err == nil {
		err = s.auth.Check(httpflags.Serving{HTTP: s.http, Loopback: mayBeLoopback(s.address), ClientCA: s.tls.ClientCA != ""})
	}
	if wrong, ok := errors.AsType[*httpflags.Error](err); ok {
		return c.usage("run", wrong.Problem, wrong.Hint), false
	}
	return exitDone, true
}

// mayBeLoopback reports whether an address may be one that other machines cannot connect to. A name
// is resolved when the program listens, which checks the address again.
func mayBeLoopback(address string) bool {
	host, _, _ := net.SplitHostPort(address)
	ip, err := netip.ParseAddr(host)
	return err != nil || ip.Unmap().IsLoopback()
}

// args returns the arguments of the program, which has the same flags.
func (s *site) args() []string {
	if !s.http {
		return nil
	}
	args := []string{"-http", s.address}
	for _, host := range s.hosts {
		args = append(args, "-allow-host", host)
	}
	for _, origin := range s.origins {
		args = append(args, "-allow-origin", origin)
	}
	return slices.Concat(args, s.tls.Args(), s.auth.Args())
}

// supervise runs the program until it exits. Signals are passed on to it, and it stops in its own
// way; a second signal kills it, like any program.
func (c *command) supervise(cmd *exec.Cmd, http bool) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.in, os.Stdout, c.log
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, stopSignals()...)
	defer signal.Stop(signals)
	stop := func() error { return cmd.Process.Kill() }
	if http {
		// The program stops when this command closes the other end or exits.
		cmd.Stdin = nil
		leash, err := cmd.StdinPipe()
		if err != nil {
			return fmt.Errorf("connect program: %w", err)
		}
		stop = leash.Close
	}
	cmd.Cancel = func() error {
		if caught, ok := context.Cause(c.ctx).(signalError); ok && cmd.Process.Signal(caught.Signal) == nil {
			return nil
		}
		return stop() // some systems have no signals
	}
	cmd.WaitDelay = 15 * time.Second
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		// The first signal may be among them, which is harmless: the program treats signals that
		// come together as one.
		for {
			select {
			case s := <-signals:
				_ = cmd.Process.Signal(s)
			case <-ended:
				return
			}
		}
	}()
	return cmd.Wait()
}

// exitCode passes on the exit code of a program.
func (c *command) exitCode(err error) int {
	if err == nil || errors.Is(err, os.ErrProcessDone) {
		return exitDone
	}
	exited, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		if c.ctx.Err() != nil {
			return exitDone // it stopped in order after a signal
		}
		return c.fail(err)
	}
	if code := exited.ExitCode(); code >= 0 {
		return code
	}
	if c.ctx.Err() == nil { // otherwise the user knows the reason
		c.noteln("mcpgen: the program ended: %v", exited)
	}
	return exitFound
}
