package mcpcmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/clientcmd"
	"github.com/mcpgen/mcpgen/internal/clients"
	"github.com/mcpgen/mcpgen/internal/columns"
	"github.com/mcpgen/mcpgen/internal/visible"
)

// WithCommands adds commands to a program with its own flags: install, uninstall and status, which
// manage its entries in the configuration files of clients, and completion, which prints a shell
// completion script. A command follows the flags of the program; [Main] or [Run] executes it.
// Programs without their own flags always have the commands.
//
//	program -db books.db install cursor -- -db /var/lib/books.db
//
// The client starts the program with the arguments after "--".
func WithCommands() Option {
	return func(p *program) { p.commands = true }
}

// subcommand is a command of the program.
type subcommand struct {
	name string
	help string // %[1]s is the program
}

// subcommands are the commands in the order of the help.
var subcommands = []subcommand{
	{"install", helpInstall},
	{"uninstall", helpUninstall},
	{"status", helpStatus},
	{"completion", helpCompletion},
}

// run runs the command.
func (i *invocation) run() error {
	switch i.name {
	case "install":
		return i.install()
	case "uninstall":
		return i.uninstall()
	case "status":
		return i.status()
	}
	return i.completion()
}

// commandNames returns the names of the commands, in the order of the help.
func commandNames() (names []string) {
	for _, s := range subcommands {
		names = append(names, s.name)
	}
	return names
}

// invocation is a command with its arguments.
type invocation struct {
	*program
	*subcommand
	ctx     context.Context
	set     *flag.FlagSet
	args    []string // without flags
	literal []string // after "--"
	dashes  bool     // "--" is present

	options clientcmd.Options
	show    clientcmd.StatusOptions
}

// clientNames returns the possible values of CLIENT.
func clientNames() string { return strings.Join(clients.Names(), ", ") }

// given returns the command that begins a list of arguments, or nil.
func given(args []string) *subcommand {
	if len(args) == 0 {
		return nil
	}
	for i := range subcommands {
		if s := &subcommands[i]; s.name == args[0] {
			return s
		}
	}
	return nil
}

// runCommand runs a command. args begins with its name.
func (p *program) runCommand(ctx context.Context, s *subcommand, args []string) error {
	i := &invocation{program: p, subcommand: s, ctx: ctx, set: flag.NewFlagSet(s.name, flag.ContinueOnError)}
	i.define()
	switch err := i.parse(args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		_, err = fmt.Fprintf(p.stdout, s.help, command())
		return err
	case err != nil:
		if text := err.Error(); strings.HasPrefix(text, "flag provided but not defined: ") {
			text, hint, _ := strings.Cut(unknownFlag(text, i.set), ": ")
			return i.wrong(text, hint)
		}
		return i.wrong(err.Error(), "")
	}
	err := i.run()
	if wrong, ok := errors.AsType[*clientcmd.UsageError](err); ok {
		return i.wrong(wrong.Problem, wrong.Hint)
	}
	return err
}

// wrong returns an error about the command line.
func (i *invocation) wrong(problem, hint string) error {
	if hint == "" {
		hint = command() + " " + i.name + " -help says more"
	}
	return &UsageError{text: i.name + ": " + problem + ": " + hint}
}

// define adds the flags of the command.
func (i *invocation) define() {
	i.set.SetOutput(io.Discard)
	i.set.Usage = func() {}
	if i.name != "completion" {
		i.set.StringVar(&i.options.Name, "name", i.info().Name, "")
	}
	switch i.name {
	case "install":
		i.options.DefineProgram(i.set)
	case "uninstall":
		i.options.DefineShared(i.set)
	case "status":
		i.show.Define(i.set)
	}
}

// parse reads flags, which may be anywhere before --.
func (i *invocation) parse(args []string) error {
	if at := slices.Index(args, "--"); at >= 0 {
		args, i.literal, i.dashes = args[:at], args[at+1:], true
	}
	for len(args) > 0 {
		if err := i.set.Parse(args); err != nil {
			return err
		}
		if args = i.set.Args(); len(args) > 0 {
			i.args, args = append(i.args, args[0]), args[1:]
		}
	}
	return nil
}

// command returns the part of a command that is shared with mcpgen.
func (i *invocation) command() (*clientcmd.Command, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the current directory: %w", err)
	}
	system, err := clientcmd.ThisSystem(dir)
	if err != nil {
		return nil, err
	}
	// Names and paths come from files that other users may have written.
	return &clientcmd.Command{
		Invoked: command(), Out: visible.Writer(i.stdout), Err: visible.Writer(i.stderr), Screen: screenOf(i.stdout), System: system,
		Probe: probe,
	}, nil
}

// screenOf returns the terminal that a command writes to, if any.
func screenOf(w io.Writer) columns.Screen {
	f, ok := w.(*os.File)
	if !ok {
		return columns.Screen{}
	}
	return columns.ScreenOf(f, isTerminal(f))
}

// one checks that a command names a client, and has no further argument.
func (i *invocation) one() error {
	switch {
	case len(i.args) == 0:
		return &clientcmd.UsageError{Problem: "the client is missing", Hint: "the clients are " + clientNames()}
	case len(i.args) > 1:
		return &clientcmd.UsageError{Problem: i.name + " takes one client", Hint: "it gets the name " + i.options.Name + ", or that of -name"}
	case i.dashes && i.name != "install":
		return &clientcmd.UsageError{Problem: i.name + " takes no arguments of the program", Hint: "leave out --"}
	}
	return nil
}

func (i *invocation) install() error {
	if err := i.one(); err != nil {
		return err
	}
	if err := i.serves(); err != nil {
		return err
	}
	path, err := ownPath()
	if err != nil {
		return err
	}
	c, err := i.command()
	if err != nil {
		return err
	}
	return c.Install(i.ctx, i.args[0], i.options.Name, &clients.Server{Command: path, Args: i.literal}, &i.options, nil)
}

// serves checks the arguments with which a client would start the program: the program must then
// serve its standard streams. It does not check the program's own flags: parsing them has effects.
func (i *invocation) serves() error {
	f := i.program.flags
	if !f.own {
		return nil
	}
	const hint = "a client starts the program, and calls it over standard input and output: leave it out"
	switch err := f.parse(i.literal); {
	case errors.Is(err, flag.ErrHelp), f.version:
		return &clientcmd.UsageError{Problem: "with " + strings.Join(i.literal, " ") + " the program does not serve", Hint: hint}
	case err != nil:
		return &clientcmd.UsageError{Problem: "behind --", Hint: err.Error()}
	case f.http:
		return &clientcmd.UsageError{Problem: "flag -http behind --", Hint: hint}
	}
	return nil
}

// ownPath returns the absolute path of the program, as it was called: a package manager may
// maintain a link to the current version.
func ownPath() (string, error) {
	real, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the program: %w", err)
	}
	path := real
	if called, err := exec.LookPath(os.Args[0]); err == nil {
		if called, err = filepath.Abs(called); err == nil && sameFile(called, real) {
			path = called
		}
	}
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(real)), "/") {
		if strings.HasPrefix(part, "go-build") {
			return "", &clientcmd.UsageError{Problem: "go run has built the program for this once", Hint: "build it with go build or go install, and call that"}
		}
	}
	return path, nil
}

// absolute returns an absolute path for an entry that applies to a directory.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

func (i *invocation) uninstall() error {
	if err := i.one(); err != nil {
		return err
	}
	c, err := i.command()
	if err != nil {
		return err
	}
	return c.Uninstall(i.ctx, i.args[0], i.options.Name, &i.options)
}

// errFindings makes the exit code 1.
var errFindings = errors.New("status has findings")

func (i *invocation) status() error {
	if len(i.args) > 0 || i.dashes {
		if err := i.one(); err != nil {
			return err
		}
	}
	c, err := i.command()
	if err != nil {
		return err
	}
	path, err := ownPath()
	if err != nil {
		path = ""
	}
	i.show.Only = func(s *clients.Status) bool {
		return s.Name == i.options.Name || path != "" && s.Server.Command != "" && sameFile(absolute(s.Dir, s.Server.Command), path)
	}
	found, err := c.Status(i.ctx, i.args, i.show)
	if err == nil && found {
		return errFindings
	}
	return err
}

const helpInstall = `usage: %[1]s install [flags] CLIENT [-- ARGS]

Adds this program to a client, which then starts it with ARGS. CLIENT is
claude-code, claude-desktop, codex, cursor, gemini, vscode or windsurf; with
json the entry is printed and nothing is written.

The entry is inserted into the file of the client, and every other byte stays.
A file that cannot be parsed is not written: what to paste is printed. The old
file of a user is kept beside it as .bak the first time. The file of Claude
Code for a user is changed by the command claude, which has to be in PATH and
gets no values of -env.

	-name NAME  the name of the entry; default: that of the server
	-scope SCOPE
	            user (default), project for a file in the current directory,
	            which is meant to be committed, or local, which Claude Code
	            alone has
	-env KEY=VALUE
	            a variable of the program; -env KEY refers to the variable
	            of the client, so that its value is not in the file. May be
	            repeated
	-force      replace an entry of that name which is different
	-dry-run    print what would be done, and write nothing
`

const helpUninstall = `usage: %[1]s uninstall [flags] CLIENT

Takes this program out of a client again. The file is what it was before it was
installed, with everything that has been changed since.

	-name NAME  the name of the entry; default: that of the server
	-scope SCOPE
	            user, project or local, if more than one has that name
	-dry-run    print what would be done, and write nothing
`

const helpStatus = `usage: %[1]s status [flags] [CLIENT]

Shows the entries with the name of this server, and those that start this
program, for this user and in the current directory. Those that install has
written are started, in the home directory or in that of the project, and have
to answer tools/list within 10 seconds. Exits with 1 if something is wrong.

	-name NAME  the name of the entries; default: that of the server
	-start      also start entries that install has not written
	-json       write one array with an object for each entry
	-wide       cut nothing: on a terminal, lines are cut to its width
`
