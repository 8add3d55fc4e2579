package cli

import (
	"context"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/program"
	"github.com/mcpgen/mcpgen/generator/internal/remote"
	"github.com/mcpgen/mcpgen/internal/children"
	"github.com/mcpgen/mcpgen/internal/mask"
	"github.com/mcpgen/mcpgen/internal/visible"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptaskclient"
)

// serverFlags are the flags of commands that call a server.
type serverFlags struct {
	header    http.Header
	bearerEnv string
	revision  string
	timeout   time.Duration
	trace     bool

	program []string // the words behind "--"
}

// define adds the flags.
func (s *serverFlags) define(f *flags) {
	s.header = http.Header{}
	f.Func("header", "", func(text string) error {
		name, value, ok := strings.Cut(text, ":")
		if !ok || name == "" {
			return errors.New("write -header 'Name: value'")
		}
		s.header.Add(name, strings.TrimSpace(value))
		return nil
	})
	f.StringVar(&s.bearerEnv, "bearer-env", "", "")
	f.StringVar(&s.revision, "revision", "", "")
	f.DurationVar(&s.timeout, "timeout", 0, "")
	f.BoolVar(&s.trace, "trace", false, "")
	f.server = s
}

// serverOnly are the flags that apply only to a server.
var serverOnly = []string{"header", "bearer-env", "revision", "timeout", "trace"}

// onServer takes the server from the operands of a command: the words behind "--", or the first
// operand. If done is false, the operands name a package.
func (c *command) onServer(f *flags, rest []string) (r *remoteServer, others []string, code int, done bool) {
	s := f.server
	r = &remoteServer{c: c, name: f.Name(), flags: s}
	switch {
	case len(s.program) > 0:
		if len(rest) > 0 && remote.IsServer(rest[0]) {
			return nil, nil, c.usage(f.Name(), "there are two servers: "+rest[0]+" and the program after --", "give one of them"), true
		}
		others = rest
	case len(rest) > 0 && remote.IsServer(rest[0]):
		r.operand, others = rest[0], rest[1:]
	default:
		if len(rest) > 0 {
			if url := remote.Meant(rest[0]); url != "" {
				return nil, nil, c.usage(f.Name(), rest[0]+" is the address of a server without its scheme", "write "+url), true
			}
		}
		return nil, nil, c.checkPackageFlags(f), false
	}
	if f.tags != "" {
		return nil, nil, c.usage(f.Name(), "flag -tags has no meaning for a server", "leave it out"), true
	}
	if code := r.resolve(); code != exitDone {
		return nil, nil, code, true
	}
	return r, others, exitDone, true
}

// checkPackageFlags reports a flag that does not apply to a package.
func (c *command) checkPackageFlags(f *flags) (code int) {
	f.Visit(func(def *flag.Flag) {
		for _, name := range serverOnly {
			if def.Name == name && code == exitDone {
				code = c.usage(f.Name(), "flag -"+name+" has no meaning for a package",
					"name a server: a URL, @NAME of .mcp.json, or -- and its command")
			}
		}
	})
	return code
}

// remoteServer is a server that a command calls by the protocol.
type remoteServer struct {
	c       *command
	name    string // name of the command
	operand string // "" for the program in flags, and for a built one
	file    string // file with the entry of operand, if that is @NAME
	address string // URL; "" for a program
	flags   *serverFlags
	built   bool // the server is a program built from a package
	target  mcpclient.Target
	client  *mcpclient.Client
	asking  sync.Mutex // held while the server's question is asked
	said    map[string]bool
}

// resolve finds the target of the operand.
func (r *remoteServer) resolve() (code int) {
	c := r.c
	bearer := ""
	if name := r.flags.bearerEnv; name != "" {
		if bearer = os.Getenv(name); bearer == "" {
			return c.usage(r.name, "the variable "+name+" of -bearer-env is not set", "")
		}
	}
	isURL := r.operand != "" && !strings.HasPrefix(r.operand, "@")
	if len(r.flags.program) > 0 {
		program := r.flags.program
		// A program that the user typed inherits the environment, like any command.
		if program[0] == "" {
			return c.usage(r.name, "the program after -- is empty", "write its name, or its path")
		}
		r.target = logged(mcpclient.Command{Path: program[0], Args: program[1:], Dir: c.dir, InheritEnv: true}, c.log)
	} else if isURL {
		if remote.HasUser(r.operand) {
			return c.usage(r.name, "the URL has a user name or a password",
				"leave them out, and give credentials: -bearer-env NAME, or -header 'Authorization: Basic ...'")
		}
		secrets := c.hide(r.operand, r.flags.header, bearer)
		r.address = r.operand
		r.target = remote.URL(r.operand, remote.Credentials{Header: r.flags.header, Bearer: bearer, Auth: c.authFor(r.operand, secrets)})
	}
	if r.target != nil {
		if (bearer != "" || len(r.flags.header) > 0) && (!isURL || !remote.TakesHeader(r.operand)) {
			return c.usage(r.name, "flags -header and -bearer-env have no meaning for this server", "only requests over HTTP have header fields")
		}
		return exitDone
	}
	entry, err := remote.Find(c.dir, strings.TrimPrefix(r.operand, "@"), os.LookupEnv)
	if wrong, ok := errors.AsType[*remote.ConfigError](err); ok {
		return c.usage(r.name, wrong.Message, wrong.Hint)
	}
	if err != nil {
		return c.fail(err)
	}
	if entry.Command != nil {
		// The user did not type the program: it comes from a file.
		shown, _ := mask.Command(entry.Command[0], entry.Command[1:])
		words := make([]string, 0, len(shown))
		for _, w := range shown {
			words = append(words, word(w))
		}
		c.noteln("starting %s, as %s says", strings.Join(words, " "), c.relative(entry.File))
	}
	for name, values := range r.flags.header {
		if entry.Header == nil {
			entry.Header = http.Header{}
		}
		entry.Header[name] = values
	}
	if entry.Command != nil && (bearer != "" || len(r.flags.header) > 0) {
		return c.usage(r.name, "flags -header and -bearer-env have no meaning for a program", "leave them out")
	}
	secrets := c.hide(entry.URL, entry.Header, bearer)
	r.address, r.file = entry.URL, entry.File
	r.target = entry.Target(remote.Credentials{Bearer: bearer, Auth: c.authFor(entry.URL, secrets)})
	if cmd, ok := r.target.(mcpclient.Command); ok {
		r.target = logged(cmd, c.log)
	}
	return exitDone
}

// onBuilt returns the server for a program built from a package. Standard error of the program is
// shown unchanged.
func (c *command) onBuilt(name string, built *program.Program) *remoteServer {
	return &remoteServer{
		c: c, name: name, flags: new(serverFlags), built: true,
		target: mcpclient.Command{Path: built.Path, InheritEnv: true, Stderr: c.log},
	}
}

// with connects, calls a function, and closes the connection.
func (r *remoteServer) with(use func(ctx context.Context, client *mcpclient.Client) int) int {
	c := r.c
	ctx := c.ctx
	if r.flags.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.flags.timeout, fmt.Errorf("%w %v (-timeout)", errFlagTimeout, r.flags.timeout))
		defer cancel()
	}
	r.begin("connecting to " + r.target.Name())
	client, err := mcpclient.Connect(ctx, r.target, r.options())
	c.progress.end()
	if err != nil {
		// Connect does not wait for a program that ignores the end of its input, and which would
		// outlive this command.
		children.Wait(endTime)
		if _, replied := err.(*jsonrpc.Error); replied {
			err = fmt.Errorf("%s: the server replied: %w", r.target.Name(), err)
		}
		return r.fail(err)
	}
	defer func() { _ = client.Close() }()
	r.client = client
	return use(ctx, client)
}

// errFlagTimeout begins the error for a server that has not replied within -timeout.
var errFlagTimeout = errors.New("no reply within")

// begin shows a stage, but not for a built program: its output must not be mixed with it, and it
// replies soon or prints the reason.
func (r *remoteServer) begin(stage string) {
	r.c.progress.begin(stage)
	if r.built {
		r.c.progress.clear()
	}
}

// endTime is longer than the steps in which a client stops a program.
const endTime = 10 * time.Second

// builtRevision is the revision for built programs. All versions of the runtime support it.
const builtRevision = "2026-07-28"

// noTime is longer than any call.
const noTime = 1000 * time.Hour

func (r *remoteServer) options() mcpclient.Options {
	c := r.c
	o := mcpclient.Options{
		Info: mcp.ClientInfo{Name: "mcpgen", Version: version()}, Revision: r.flags.revision,
		Elicit: r.elicit, OpenURL: r.openURL,
		OnLog:           func(m mcpclient.LogMessage) { c.noteln("%s", m) },
		OnProtocolError: r.violated,
		// A second attempt, since a stored revision may be wrong.
		Retry:  mcpclient.Retry{Attempts: 2},
		Logger: slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: slog.LevelError})),
	}
	if r.built {
		// For a built program the revision is known, and it must not be started twice. A tool may
		// take any time; Ctrl-C cancels it.
		o.Revision, o.Retry.Attempts = builtRevision, 1
		o.Limits = mcpclient.Limits{ConnectTime: noTime, RequestTime: noTime, MaxTime: noTime}
	} else {
		// A second command for a server with sessions does not wait for the probe.
		o.Eras = c.revisions()
		if t := r.flags.timeout; t > 0 {
			// The context expires first, and its cause names the flag.
			t += time.Minute
			o.Limits = mcpclient.Limits{ConnectTime: t, RequestTime: t, MaxTime: t}
		}
	}
	if r.flags.trace {
		o.OnMessage = r.trace
	}
	mcptaskclient.Enable(&o)
	return o
}

// violated prints the server's violations of the protocol, each once. It is called by one goroutine
// at a time.
func (r *remoteServer) violated(err error) {
	text := err.Error()
	if r.said[text] {
		return
	}
	if r.said == nil {
		r.said = map[string]bool{}
	}
	r.said[text] = true
	r.c.noteln("mcpgen: %v", err)
}

// fail reports the error that prevented a call of the server.
func (r *remoteServer) fail(err error) int {
	if r.c.ctx.Err() != nil {
		return exitFound
	}
	hint := ""
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		hint = "if you trust the authority, name a file with its certificate: SSL_CERT_FILE=FILE"
	}
	if s, ok := errors.AsType[*mcpclient.StatusError](err); ok && (s.Status == http.StatusUnauthorized || s.Status == http.StatusForbidden) {
		hint = "give credentials: -bearer-env NAME, or -header 'Name: value'"
		if server, wrong := loginURL(r.address); wrong == nil {
			needed, ok := errors.AsType[*needsLogin](err)
			if !ok {
				needed = new(needsLogin)
			}
			hint = fmt.Sprintf("log in: %s; or %s", needed.line(r.c.invoked, server), hint)
		}
	}
	if (errors.Is(err, mcpclient.ErrTimeout) || errors.Is(err, errFlagTimeout)) && !r.built {
		hint = "more time: -timeout 5m"
		if _, ok := r.target.(mcpclient.Command); ok {
			hint += "; a server over standard input and output answers on its standard output, and -trace shows what it writes"
		}
	}
	code := r.c.fail(withoutOptions(r.programError(err)))
	if hint != "" {
		r.c.noteln("\thint: %s", hint)
	}
	return code
}

// shown returns a server's text on one line, for people.
func shown(text string) string {
	return visible.Escape(strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(text))
}
