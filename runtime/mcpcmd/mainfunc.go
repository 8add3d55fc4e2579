package mcpcmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// OpenFunc creates the server of a program and opens its dependencies, such as a database. closeAll
// closes them again; it may be nil, and is not called after an error. The context has the values of
// the context of [RunFunc]. It is cancelled with that context, or by a signal in [MainFunc], only
// until the server is created: calls may continue for a while after a signal. After that it is
// cancelled once closeAll returns.
type OpenFunc = func(context.Context) (s *mcp.Server, closeAll func(), err error)

// MainFunc is like [Main], for a server that is created only to serve. Help, the version, the
// commands install, uninstall, status and completion, and an invalid command line do not call open,
// so that they need no database and no secrets. Output of open to standard output would reach the
// client, unless package mcpstdout is imported.
//
//	func main() {
//		mcpcmd.MainFunc(open, mcpcmd.WithServerInfo(mcp.ServerInfo{Name: "books"}))
//	}
//
// After serving, MainFunc calls closeAll first, and then the functions of [WithCleanup].
func MainFunc(open OpenFunc, options ...Option) {
	os.Exit(start(func(ctx context.Context) error { return RunFunc(ctx, open, os.Args[1:], options...) }))
}

// RunFunc is like [Run], for a server that is created only to serve; see [MainFunc]. It wraps
// errors of open, but returns nil if open fails because ctx is cancelled.
func RunFunc(ctx context.Context, open OpenFunc, args []string, options ...Option) error {
	return newProgram(options).run(ctx, open, args)
}

// made returns an existing server as an [OpenFunc].
func made(s *mcp.Server) OpenFunc {
	return func(context.Context) (*mcp.Server, func(), error) { return s, nil, nil }
}

// WithServerInfo sets the name, version and texts that help, the version and the commands print
// before [MainFunc] or [RunFunc] creates the server. The version defaults to the build info, and
// without the option, the name defaults to the program's file name. If the name or version of the
// server differs, a warning is printed when it serves.
func WithServerInfo(info mcp.ServerInfo) Option {
	return func(p *program) { p.described = &info }
}

// info returns the identity of the server, as far as it is known.
func (p *program) info() mcp.ServerInfo {
	if p.server != nil {
		return p.server.Info()
	}
	var info mcp.ServerInfo
	if p.described != nil {
		info = *p.described
	}
	if info.Name == "" {
		info.Name = command()
	}
	return mcp.NewServer(info).Info() // with the version
}

// open creates the server, and returns the function that closes its dependencies. The server is
// nil, without an error, if ctx is cancelled meanwhile.
func (p *program) open(ctx context.Context, open OpenFunc) (closeAll func(), err error) {
	expected := p.info()
	opening, end := context.WithCancelCause(context.WithoutCancel(ctx))
	follows := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	s, closeOpened, err := open(opening)
	follows()
	closeAll = func() {
		if closeOpened != nil {
			closeOpened()
		}
		end(nil)
	}
	switch {
	case err != nil && ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))):
		return func() { end(nil) }, nil
	case err != nil:
		end(nil)
		return nil, fmt.Errorf("make the server: %w", err)
	case s == nil:
		closeAll()
		return nil, errors.New("make the server: the function has returned neither a server nor an error")
	}
	p.server = s
	if is := s.Info(); p.described != nil && (is.Name != expected.Name || is.Version != expected.Version) {
		fmt.Fprintf(p.stderr, "%s: mcpcmd.WithServerInfo says %s %s, and the server is %s\n", command(), expected.Name, expected.Version, p.identity())
	}
	return closeAll, nil
}
