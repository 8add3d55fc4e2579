package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/program"
	"github.com/mcpgen/mcpgen/generator/internal/remote"
	"github.com/mcpgen/mcpgen/internal/clientcmd"
	"github.com/mcpgen/mcpgen/internal/clients"
	"github.com/mcpgen/mcpgen/internal/regularfile"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// clientCommand returns the implementation of install, uninstall and status that programs share.
func (c *command) clientCommand() (*clientcmd.Command, error) {
	system, err := clientcmd.ThisSystem(c.dir)
	if err != nil {
		return nil, err
	}
	return &clientcmd.Command{Invoked: c.invoked, Out: c.out, Err: c.err, Screen: c.screen, System: system, Probe: c.probe, Current: c.isCurrent}, nil
}

// done reports the result of a command for clients.
func (c *command) done(name string, err error) int {
	if wrong, ok := errors.AsType[*clientcmd.UsageError](err); ok {
		return c.usage(name, wrong.Problem, wrong.Hint)
	}
	if err != nil {
		return c.fail(err)
	}
	return exitDone
}

// install adds a server to a client.
func (c *command) install(args []string) int {
	f := newFlags("install")
	var o clientcmd.Options
	var build string
	o.Define(f.FlagSet)
	f.StringVar(&build, "build", "", "")
	var literal []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, literal = args[:i], args[i+1:]
		if len(literal) == 0 || literal[0] == "" {
			return c.usage("install", "the program after -- is missing", "write its name, or its path")
		}
	}
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	cc, err := c.clientCommand()
	if err != nil {
		return c.fail(err)
	}
	if len(rest) == 0 {
		return c.usage("install", "the client is missing", "the clients are "+strings.Join(clients.Names(), ", "))
	}
	if err := cc.CheckClient(rest[0], o.Scope); err != nil {
		return c.done("install", err)
	}
	given := 0
	for _, is := range []bool{len(rest) > 1, len(literal) > 0, o.URL != ""} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		return c.usage("install", "the server is missing", "name a package: "+c.invoked+" install "+rest[0]+" .; or -url URL, or -- and a command")
	case given > 1 || len(rest) > 2:
		return c.usage("install", "install takes one server", "name a package, or a URL with -url, or a command after --")
	case build != "" && len(rest) == 1:
		return c.usage("install", "flag -build has no meaning without a package", "leave it out")
	case f.tags != "" && len(rest) == 1:
		return c.usage("install", "flag -tags has no meaning without a package", "leave it out")
	}
	server, built, name := &clients.Server{URL: o.URL}, (*clients.Build)(nil), o.Name
	switch {
	case len(literal) > 0:
		if server, err = clientcmd.Program(literal); err != nil {
			return c.done("install", err)
		}
		name = cmp.Or(name, strings.TrimSuffix(filepath.Base(literal[0]), ".exe"))
	case len(rest) > 1:
		if server, built, name, code = c.packageServer(f, rest[1], build, o.DryRun); code != exitDone {
			return code
		}
		name = cmp.Or(o.Name, name)
	case name == "":
		return c.usage("install", "the name is missing", "a server at a URL needs -name NAME")
	}
	return c.done("install", cc.Install(c.ctx, rest[0], name, server, &o, built))
}

// packageServer returns how a client starts a package: from its source, or, with a file, as the
// program built from it.
func (c *command) packageServer(f *flags, pkg, file string, dry bool) (server *clients.Server, build *clients.Build, name string, code int) {
	p, code, ok := c.load(f, pkg)
	if !ok {
		return nil, nil, "", code
	}
	dir := filepath.Dir(p.Path)
	root := moduleRoot(dir)
	rel, err := filepath.Rel(root, dir)
	if root == "" || err != nil {
		return nil, nil, "", c.usage("install", pkg+" is not in a module", "run go mod init")
	}
	name = model.ServerName(p.Model.Path)
	if p.Model.Server != nil && p.Model.Server.Name != "" {
		name = p.Model.Server.Name
	}
	pattern := "."
	if rel != "." {
		pattern = "./" + filepath.ToSlash(rel)
	}
	if file != "" {
		if file, err = filepath.Abs(file); err != nil {
			return nil, nil, "", c.fail(err)
		}
		if !dry {
			if code := c.buildTo(p, file); code != exitDone {
				return nil, nil, "", code
			}
		}
		return &clients.Server{Command: file}, &clients.Build{File: file, Dir: root, Package: pattern, Tags: f.tags}, name, exitDone
	}
	mod, err := regularfile.Read(filepath.Join(root, "go.mod"))
	if err != nil || !bytes.Contains(mod, []byte(commandPath)) {
		return nil, nil, "", c.usage("install", "the module in "+root+" does not have the tool mcpgen, by which the package would be served",
			"run go -C "+word(root)+" get -tool "+commandPath+", or build a program: -build FILE")
	}
	gocmd, err := exec.LookPath("go")
	if err == nil {
		gocmd, err = filepath.Abs(gocmd)
	}
	if err != nil {
		return nil, nil, "", c.fail(fmt.Errorf("find the go command: %w", err))
	}
	args := []string{"-C", root, "tool", "mcpgen", "run"}
	if f.tags != "" {
		args = append(args, "-tags", f.tags)
	}
	return &clients.Server{Command: gocmd, Args: append(args, pattern)}, nil, name, exitDone
}

// buildTo builds the program of a package into a file. A client that runs the old one keeps it.
func (c *command) buildTo(p *onePackage, file string) int {
	built, code, ok := c.build(p, false, false)
	if !ok {
		return code
	}
	defer c.remove(built)
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return c.usage("install", "flag -build: "+file+" is a directory", "name the program in it")
	}
	if err := hasDirectory(file); err != nil {
		return c.fail(err)
	}
	if err := copyProgram(built, file); err != nil {
		return c.fail(unwritable(file, err))
	}
	return exitDone
}

func copyProgram(built *program.Program, file string) error {
	from, err := os.Open(built.Path)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // closing a file that was only read
	temp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(temp, from)
	err = errors.Join(err, temp.Chmod(0o755), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // no other cleanup is possible
	}
	return err
}

// isCurrent reports whether a program equals a new build of its package.
func (c *command) isCurrent(_ context.Context, b *clients.Build) (bool, error) {
	f := newFlags("status")
	f.tags = b.Tags
	in := *c
	in.dir = b.Dir
	p, _, ok := in.load(f, b.Package)
	c.temporary = in.temporary
	if !ok {
		return false, errors.New("it cannot be loaded")
	}
	built, _, ok := c.build(p, false, false)
	if !ok {
		return false, errors.New("it cannot be built")
	}
	defer c.remove(built)
	now, err := hashOf(built.Path)
	if err != nil {
		return false, err
	}
	was, err := hashOf(b.File)
	return err == nil && now == was, nil
}

func hashOf(path string) (sum [sha256.Size]byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer func() { _ = file.Close() }() // closing a file that was only read
	h := sha256.New()
	_, err = io.Copy(h, file)
	return [sha256.Size]byte(h.Sum(nil)), err
}

// uninstall removes a server from a client.
func (c *command) uninstall(args []string) int {
	f := newFlags("uninstall")
	var o clientcmd.Options
	o.DefineShared(f.FlagSet)
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	cc, err := c.clientCommand()
	switch {
	case err != nil:
		return c.fail(err)
	case len(rest) == 0:
		return c.usage("uninstall", "the client is missing", "the clients are "+strings.Join(clients.Names(), ", "))
	case len(rest) == 1:
		return c.usage("uninstall", "the name of the entry is missing", c.invoked+" status "+rest[0]+" lists them")
	case len(rest) > 2:
		return c.usage("uninstall", "uninstall takes a client and a name", "")
	}
	return c.done("uninstall", cc.Uninstall(c.ctx, rest[0], rest[1], &o))
}

// status shows the servers of clients.
func (c *command) status(args []string) int {
	f := newFlags("status")
	var o clientcmd.StatusOptions
	o.Define(f.FlagSet)
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	cc, err := c.clientCommand()
	switch {
	case err != nil:
		return c.fail(err)
	case len(rest) > 2:
		return c.usage("status", "status takes a client and a name", "")
	}
	found, err := cc.Status(c.ctx, rest, o)
	if err == nil && found {
		return exitFound
	}
	return c.done("status", err)
}

// probe starts or calls a server, and counts its tools and their tokens.
func (c *command) probe(ctx context.Context, s *clients.Status) (tools, tokens int, err error) {
	expand := func(text string) string { return s.Client.Expand(text, os.LookupEnv) }
	var target mcpclient.Target
	if s.Server.URL != "" {
		header := http.Header{}
		for _, h := range s.Server.Header {
			header.Set(h.Name, expand(h.Value))
		}
		address := expand(s.Server.URL)
		if !remote.IsServer(address) || remote.HasUser(address) {
			return 0, 0, errors.New("its URL is not the URL of a server")
		}
		target = remote.URL(address, remote.Credentials{Header: header})
	} else {
		cmd := mcpclient.Command{Path: expand(s.Server.Command), Dir: s.Dir}
		for _, arg := range s.Server.Args {
			cmd.Args = append(cmd.Args, expand(arg))
		}
		for _, v := range s.Server.Env {
			value := expand(v.Value)
			if v.Refer {
				value = os.Getenv(v.Name)
			}
			cmd.Env = append(cmd.Env, v.Name+"="+value)
		}
		target = cmd
	}
	c.progress.begin("starting " + s.Name)
	defer c.progress.end()
	const most = time.Minute // ctx is cancelled first, and its cause names the limit
	client, err := mcpclient.Connect(ctx, target, mcpclient.Options{
		Info: mcp.ClientInfo{Name: "mcpgen", Version: version()}, Eras: c.revisions(),
		Logger: slog.New(slog.DiscardHandler),
		Limits: mcpclient.Limits{ConnectTime: most, RequestTime: most, MaxTime: most},
	})
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = client.Close() }() // its results are complete
	list, err := entries(ctx, client, "tools/list", "tools", defaultListBounds)
	for _, text := range list {
		tokens += row{kind: "tool", listing: text}.tokens()
	}
	return len(list), tokens, err
}
