package mcpcmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/mcpgen/mcpgen/runtime/internal/stdio"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// program is one run.
type program struct {
	server    *mcp.Server     // nil until it is created
	described *mcp.ServerInfo // of WithServerInfo
	flags     *flags
	http      []mcphttp.Option
	wrap      []func(http.Handler) http.Handler
	cleanups  []func()
	ready     func(url string)
	defines   []HTTPFlags // not defined yet
	commands  bool        // of WithCommands

	stdin          *os.File
	stdout, stderr io.Writer
}

// Run runs a command line and returns when it is done; args are the arguments without the program
// name. It returns nil after the client closes standard input, after -help and -version, after a
// command such as install (see [WithCommands]), and after ctx is cancelled and the shutdown was
// graceful; a [*UsageError] for an invalid command line; another error if serving or a command
// failed, or the shutdown aborted calls that took too long.
//
// The handlers' contexts have the values of ctx. Over HTTP they are not cancelled with it, but
// after DrainTime.
//
// Serving over standard input and output uses the standard streams of the process; see
// [mcp.Server.ServeStdio].
func Run(ctx context.Context, s *mcp.Server, args []string, options ...Option) error {
	p := newProgram(options)
	p.server = s
	return p.run(ctx, made(s), args)
}

func newProgram(options []Option) *program {
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	for _, option := range options {
		option(p)
	}
	return p
}

func (p *program) run(ctx context.Context, open OpenFunc, args []string) error {
	defer p.cleanup()
	if p.flags == nil {
		p.flags = ownFlags()
	}
	if len(p.defines) > 0 && !p.flags.own && p.flags.set.Parsed() {
		return errors.New("the flags of WithHTTPFlags are defined after parsing: pass the option to WithFlags")
	}
	p.flags.defineMore(p.defines)
	if s := given(args); s != nil && p.flags.own {
		p.forPeople()
		return p.runCommand(ctx, s, args)
	}
	switch err := p.flags.parse(args); {
	case errors.Is(err, flag.ErrHelp):
		p.forPeople()
		if p.flags.own { // otherwise the program's flag set printed its usage
			p.help()
		}
		return nil
	case err != nil:
		return err
	case p.flags.version:
		p.forPeople()
		fmt.Fprintln(p.stdout, p.identity())
		return nil
	}
	if rest := p.flags.set.Args(); p.commands && given(rest) != nil {
		p.forPeople()
		return p.runCommand(ctx, given(rest), rest)
	}
	if p.flags.http {
		p.forPeople()
	}
	closeAll, err := p.open(ctx, open)
	if err != nil {
		return err
	}
	defer closeAll()
	switch {
	case p.server == nil: // a signal came before
		return nil
	case p.flags.http:
		return p.serveHTTP(ctx)
	}
	return p.serveStdio(ctx)
}

// forPeople gives standard output back to the program if package mcpstdout reserved it for the
// protocol.
func (p *program) forPeople() {
	own := p.stdout == io.Writer(os.Stdout)
	if stdio.Restore(); own {
		p.stdout = os.Stdout // another file on Windows
	}
}

// cleanup calls the functions of [WithCleanup] in the order of deferred calls, even if one panics.
func (p *program) cleanup() {
	for _, f := range p.cleanups {
		defer f()
	}
}

func (p *program) serveStdio(ctx context.Context) error {
	if _, err := p.flags.setUp(HTTPServing{}); err != nil {
		return err
	}
	p.announce("over standard input and output")
	if isTerminal(p.stdin) {
		fmt.Fprintf(p.stderr, "\thint: a client is expected there, which starts this program and writes JSON-RPC; "+
			"%s -http 8080 serves over HTTP, -help says more\n", command())
	}
	err := p.server.ServeStdio(ctx)
	if err == nil || ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return fmt.Errorf("serve over standard input and output: %w", err)
}

// isTerminal reports whether a file is a terminal, so that a person may be typing.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
