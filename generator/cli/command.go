package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/program"
	"github.com/mcpgen/mcpgen/internal/columns"
	"github.com/mcpgen/mcpgen/internal/suggest"
)

// command is one run of mcpgen.
type command struct {
	ctx     context.Context
	dir     string // the current directory, absolute
	invoked string // "mcpgen" or "go tool mcpgen"

	in       io.Reader
	out      io.Writer      // requested output; escapes characters that a terminal would interpret
	err      io.Writer      // messages for people; escapes alike
	data     io.Writer      // results and contents, byte for byte unless a terminal shows them
	log      io.Writer      // output of programs that are started, byte for byte
	screen   columns.Screen // of out
	report   columns.Screen // of err
	progress *progress

	typed      chan string // lines of in, once a server has asked a question
	asksAnyway bool        // a person answers even without a terminal; for tests

	browser func(ctx context.Context, url string) error // nil means mcplogin.OpenBrowser; for tests

	// flagsOf receives the flags of a command, which then does not run; for completion.
	flagsOf func(*flags)

	buildProgram buildFunc
	temporary    string // see environment
}

// buildFunc is [program.Build]; tests replace it by a function that builds the same program once.
type buildFunc func(context.Context, *program.Target, program.Config) (*program.Program, error)

// subcommand is a command of mcpgen. Its function returns the exit code.
type subcommand struct {
	name  string
	args  string // text after the name, in its help
	about string // one line, for the list of commands
	run   func(c *command, args []string) int
}

// subcommands returns the commands in the order of the help.
func subcommands() []*subcommand {
	return []*subcommand{
		{"list", "PACKAGE", "show the features of a package or a server", (*command).list},
		{"call", "PACKAGE TOOL [key=value ... | JSON]", "call a tool from the shell", (*command).call},
		{"read", "PACKAGE URI", "read a resource from the shell", (*command).read},
		{"prompt", "PACKAGE NAME [key=value ... | JSON]", "get a prompt from the shell", (*command).prompt},
		{"run", "PACKAGE", "serve a package over standard input and output, or HTTP", (*command).serve},
		{"diff", "OLD NEW", "show what has changed between two contracts, and what it breaks", (*command).diff},
		{"docs", "PACKAGES", "write the reference of a server as Markdown or HTML", (*command).docs},
		{"app", "types [PACKAGES]", "write TypeScript types for pages that hosts show", (*command).app},
		{"vet", "PACKAGES", "look for faults in contracts that the generator accepts", (*command).vet},
		{"help", "[TOPIC]", "describe a command, or list the directives", (*command).help},
		{"login", "URL", "log in to a server, or list the logins", (*command).login},
		{"logout", "URL", "delete a login", (*command).logout},
		{"skill", "export SERVER DIR", "write the skills of a server where hosts look for skills", (*command).skill},
		{"key", "new NAME", "make an API key for a server with -keys", (*command).key},
		{"install", "CLIENT PACKAGE", "add a package or another server to a client", (*command).install},
		{"uninstall", "CLIENT NAME", "remove a server from a client", (*command).uninstall},
		{"status", "[CLIENT] [NAME]", "show which servers clients have, and whether they answer", (*command).status},
		{"new", "NAME", "make a directory with a server, its tests and a workflow", (*command).new},
		{"init", "[DIR]", "add what a package needs to be served, and print what to do next", (*command).init},
		{"bundle", "PACKAGE", "make files that clients install without Go (MCPB)", (*command).bundle},
		{"registry", "PACKAGE", "write server.json, by which the MCP registry lists a server", (*command).registry},
		{"doctor", "[PACKAGE]", "look for what is wrong, as a report to paste into an issue", (*command).doctor},
		{"completion", "SHELL", "print the script by which a shell completes command lines", (*command).completion},
		{"version", "", "print the version", (*command).showVersion},
	}
}

// bareWord matches an argument that is taken for a command and not for a package: "./word" is the
// package in a directory of that name.
var bareWord = regexp.MustCompile(`^[A-Za-z]+$`)

func (c *command) run(args []string) int {
	switch {
	case len(args) == 0 && !c.hasSource():
		fmt.Fprint(c.out, c.overview())
		c.noteln("mcpgen: there is no Go file in %s\n\thint: run it in the directory of a package, or name one", c.dir)
		return exitFound
	case len(args) > 0 && (args[0] == "-version" || args[0] == "--version"):
		return c.showVersion(args[1:])
	case len(args) == 0 || !bareWord.MatchString(args[0]):
		return c.generate(args)
	}
	all := subcommands()
	names := make([]string, 0, len(all))
	for _, s := range all {
		if s.name == args[0] {
			return s.run(c, args[1:])
		}
		names = append(names, s.name)
	}
	hint := c.invoked + " help lists the commands"
	if near := suggest.Word(args[0], names); near != "" {
		hint = "did you mean " + near + "?"
	}
	if meant, ok := elsewhere[strings.ToLower(args[0])]; ok {
		hint = "write " + c.invoked + " " + meant
	}
	if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
		hint = "for the package in that directory write ./" + args[0]
	}
	return c.usage("", fmt.Sprintf("unknown command %s", args[0]), hint)
}

// hasSource reports whether the current directory contains a Go file, or cannot be read.
func (c *command) hasSource() bool {
	entries, err := os.ReadDir(c.dir)
	return err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".go") })
}

// elsewhere maps words of other generators and frameworks to the command to use instead.
var elsewhere = map[string]string{
	"generate": "[packages], which needs no word, or //go:generate go tool mcpgen in the source", "gen": "[packages], which needs no word",
	"build": "[packages], which writes mcp_gen.go, and then go build", "update": "[packages], which writes mcp_gen.go anew",
	"check": "-check [packages]", "verify": "-check [packages]", "lint": "vet PACKAGES", "validate": "vet PACKAGES",
	"contract": "-contract FILE [packages]", "snapshot": "-contract FILE [packages]", "compare": "diff OLD NEW", "breaking": "diff OLD NEW",
	"serve": "run PACKAGE", "start": "run PACKAGE", "dev": "run PACKAGE", "inspect": "list PACKAGE", "describe": "list PACKAGE",
	"show": "list PACKAGE", "ls": "list PACKAGE", "tools": "list PACKAGE", "exec": "call PACKAGE TOOL", "invoke": "call PACKAGE TOOL",
	"get": "read PACKAGE URI", "test": "call PACKAGE TOOL to try a tool; go test runs tests, see package mcptest",
	"create": "new NAME", "scaffold": "new NAME", "add": "install CLIENT PACKAGE", "remove": "uninstall CLIENT NAME",
	"types": "app types -o FILE PACKAGES", "typescript": "app types -o FILE PACKAGES", "doc": "docs PACKAGES", "diagnose": "doctor [PACKAGE]", "env": "doctor [PACKAGE]", "auth": "login URL", "directives": "help directives", "usage": "help",
}

// environment returns the environment of the go command. It sets a separate directory for temporary
// files, because the go command leaves its files behind when it is interrupted.
func (c *command) environment() []string {
	if c.temporary == "" {
		dir, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "mcpgen-")
		if err != nil {
			return os.Environ() // if it matters, the go command reports it
		}
		c.temporary = dir
		c.progress.follow(dir)
	}
	return append(os.Environ(), "GOTMPDIR="+c.temporary)
}

func (c *command) removeTemporary() {
	if c.temporary == "" {
		return
	}
	// A compiler that outlives the interrupted go command may write again.
	for range 3 {
		if os.RemoveAll(c.temporary) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// usage reports a wrong command line.
func (c *command) usage(name, message, hint string) int {
	c.progress.clear()
	fmt.Fprintf(c.err, "%s: %s\n", strings.TrimSpace("mcpgen "+name), message)
	if hint == "" {
		hint = strings.TrimSpace(c.invoked + " help " + name)
	}
	fmt.Fprintf(c.err, "\thint: %s\n", hint)
	return exitUsage
}

// fail reports the error that prevented a command.
func (c *command) fail(err error) int {
	c.progress.clear()
	if errors.Is(err, syscall.EPIPE) {
		return exitPipe // the reader of the output, such as head, exited
	}
	if refused, ok := errors.AsType[*refusedFeature](err); ok {
		c.diagnostic(refused.Diagnostic)
		return exitFound
	}
	if c.ctx.Err() == nil { // otherwise the user knows the reason
		fmt.Fprintf(c.err, "mcpgen: %v\n", err)
	}
	return exitFound
}

// noteln writes a line for people.
func (c *command) noteln(format string, args ...any) {
	c.progress.clear()
	fmt.Fprintf(c.err, format+"\n", args...)
}

// diagnostics prints a list for people.
func (c *command) diagnostics(l *diag.List) {
	c.progress.clear()
	diag.Print(c.err, l, c.dir)
}

// diagnostic prints a single diagnostic.
func (c *command) diagnostic(d diag.Diagnostic) {
	var l diag.List
	l.Add(&d)
	c.diagnostics(&l)
}

// word quotes an argument for a shell if that is needed.
func word(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool {
		return !slices.Contains([]rune("./-_=,@:+%"), r) && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
