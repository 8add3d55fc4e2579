package mcpcmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// OpenFunc makes the server of a program, with what it needs, such as a database. The second result
// closes that again; it may be nil, and is not called after an error. The context has the values of
// that of [RunFunc], whose end, in [MainFunc] by a signal, it follows until the server is made.
// From then on it lasts until all is closed: calls may go on for a while after a signal.
type OpenFunc = func(context.Context) (s *mcp.Server, closeAll func(), err error)

// MainFunc is [Main] for a server that is made only to serve. Help, the version, the commands
// install, uninstall, status and completion, and an invalid command line do not call open, so that
// they need no database and no secrets. Output of open to standard output would reach the client,
// unless package mcpstdout is imported.
//
//	func main() {
//		mcpcmd.MainFunc(open, mcpcmd.WithServerInfo(mcp.ServerInfo{Name: "books"}))
//	}
//
// After serving, what open has returned is closed first, then what the functions of [WithCleanup]
// close.
func MainFunc(open OpenFunc, options ...Option) {
	os.Exit(start(func(ctx context.Context) error { return RunFunc(ctx, open, os.Args[1:], options...) }))
}

// RunFunc is [Run] for a server that is made only to serve, as [MainFunc] has it. The errors of
// open are wrapped; one by which open reports the end of ctx is none.
func RunFunc(ctx context.Context, open OpenFunc, args []string, options ...Option) error {
	return newProgram(options).run(ctx, open, args)
}

// made returns a server that is there already as an [OpenFunc].
func made(s *mcp.Server) OpenFunc {
	return func(context.Context) (*mcp.Server, func(), error) { return s, nil, nil }
}

// WithServerInfo sets the name, the version and the texts of a server that [MainFunc] or [RunFunc]
// has not made, for help, the version and the commands. The version is that of the build info
// unless it is given. Without the option, the name is that of the program's file. A server that has
// another name or version than the option says is reported when it serves.
func WithServerInfo(info mcp.ServerInfo) Option {
	return func(p *program) { p.described = &info }
}

// info is the identity of the server, as far as it is known.
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

// open makes the server, and returns what closes it again. The server is nil, without an error, if
// ctx has ended meanwhile.
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
