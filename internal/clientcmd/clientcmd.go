// Package clientcmd implements the commands install, uninstall and status, for the command mcpgen
// and for programs of package mcpcmd.
package clientcmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/clients"
	"github.com/mcpgen/mcpgen/internal/columns"
	"github.com/mcpgen/mcpgen/internal/shellcomplete"
	"github.com/mcpgen/mcpgen/internal/suggest"
)

// UsageError is an invalid command line.
type UsageError struct{ Problem, Hint string }

func (e *UsageError) Error() string { return e.Problem + ": " + e.Hint }

// Command contains the outputs of the commands.
type Command struct {
	Invoked  string // the name of the program in hints
	Out, Err io.Writer
	Screen   columns.Screen // of Out
	System   *clients.System
	// Probe calls tools/list of a server. It is nil if servers are not started.
	Probe func(ctx context.Context, s *clients.Status) (tools, tokens int, err error)
	// Current reports whether a program equals the one that would be built now. It may be nil.
	Current func(ctx context.Context, build *clients.Build) (bool, error)
}

// Options are the values of flags.
type Options struct {
	Name, Scope, URL string
	Env, Header      []string
	Force, DryRun    bool
}

// Define adds the flags of install.
func (o *Options) Define(set *flag.FlagSet) {
	set.StringVar(&o.Name, "name", "", "")
	set.StringVar(&o.URL, "url", "", "")
	set.Func("header", "", appendTo(&o.Header))
	o.DefineProgram(set)
}

// DefineProgram adds the flags of install that a program needs to install itself, except for the
// name.
func (o *Options) DefineProgram(set *flag.FlagSet) {
	set.Func("env", "", appendTo(&o.Env))
	set.BoolVar(&o.Force, "force", false, "")
	o.DefineShared(set)
}

func appendTo(list *[]string) func(string) error {
	return func(text string) error {
		*list = append(*list, text)
		return nil
	}
}

// DefineShared adds the flags that install shares with uninstall.
func (o *Options) DefineShared(set *flag.FlagSet) {
	set.StringVar(&o.Scope, "scope", "", "")
	set.BoolVar(&o.DryRun, "dry-run", false, "")
}

// ThisSystem returns the locations of clients' files on this machine.
func ThisSystem(dir string) (*clients.System, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("find the home directory: %w", err)
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("find the configuration directory: %w", err)
	}
	return &clients.System{OS: runtime.GOOS, Home: home, Dir: dir, Lookup: os.LookupEnv, Record: clients.RecordFile(config)}, nil
}

// JSON is the pseudo client that prints the entry.
const JSON = "json"

// client finds a client and its scope.
func (c *Command) client(name, scope string) (*clients.Client, clients.Scope, error) {
	client := clients.Find(name)
	if client == nil {
		names := clients.Names()
		hint := "the clients are " + strings.Join(names, ", ")
		if near := suggest.Word(name, names); near != "" {
			hint = "did you mean " + near + "? " + strings.ToUpper(hint[:1]) + hint[1:]
		}
		return nil, "", &UsageError{"unknown client " + name, hint}
	}
	if scope == "" {
		return client, clients.User, nil
	}
	if scopes := client.Scopes(); !slices.Contains(scopes, clients.Scope(scope)) {
		var names []string
		for _, s := range scopes {
			names = append(names, string(s))
		}
		return nil, "", &UsageError{client.Title + " has no scope " + scope, "it has " + strings.Join(names, ", ")}
	}
	return client, clients.Scope(scope), nil
}

// CheckClient reports an unknown client or scope before a package is loaded.
func (c *Command) CheckClient(name, scope string) error {
	if name == JSON {
		return nil
	}
	_, _, err := c.client(name, scope)
	return err
}

// Variables adds the values of -env and -header to a server.
func (o *Options) Variables(s *clients.Server) error {
	for _, text := range o.Env {
		name, value, given := strings.Cut(text, "=")
		if name == "" || strings.ContainsAny(name, "\x00 ${}") {
			return &UsageError{fmt.Sprintf("flag -env: %q is not the name of a variable", name), "write -env KEY=VALUE, or -env KEY for the value that the client has"}
		}
		s.Env = append(s.Env, clients.Variable{Name: name, Value: value, Refer: !given})
	}
	for _, text := range o.Header {
		name, value, given := strings.Cut(text, "=")
		if name == "" || !given || strings.ContainsAny(name, ": \t\r\n") || strings.ContainsAny(value, "\r\n\x00") {
			return &UsageError{"flag -header: it is not NAME=VALUE", "write -header 'Authorization=Bearer ${TOKEN}'"}
		}
		s.Header = append(s.Header, clients.Variable{Name: name, Value: value})
	}
	switch {
	case s.URL == "" && len(s.Header) > 0:
		return &UsageError{"flag -header has no meaning for a program", "give it with -url"}
	case s.URL != "" && len(s.Env) > 0:
		return &UsageError{"flag -env has no meaning for a URL", "a header field can refer to a variable: -header 'Authorization=Bearer ${TOKEN}'"}
	}
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return &UsageError{"flag -url: it is not the URL of a server", "write -url https://example.com/mcp"}
		}
		if u.User != nil {
			return &UsageError{"flag -url: the URL has a user name or a password", "leave them out, and write -header 'Authorization=Basic ${CREDENTIALS}'"}
		}
	}
	for _, text := range append([]string{s.Command}, s.Args...) {
		if strings.ContainsRune(text, 0) {
			return &UsageError{"an argument has a zero byte", "leave it out"}
		}
	}
	return nil
}

// maxName limits the length of an entry's name.
const maxName = 64

// checkName returns an error for a name that a client would refuse.
func checkName(name string) error {
	// JavaScript parsers that assign members, such as the one of VS Code, make __proto__ the
	// prototype of the object.
	if name == "" || name == "__proto__" || len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) {
		return &UsageError{fmt.Sprintf("%q cannot be the name of an entry", name), "write -name with a name of letters, digits, - and _"}
	}
	return nil
}

// Install adds a server to a client, or prints the entry. Options and the name come from the
// command line.
func (c *Command) Install(ctx context.Context, client, name string, server *clients.Server, o *Options, build *clients.Build) error {
	if err := errors.Join(checkName(name), o.Variables(server)); err != nil {
		return first(err)
	}
	if client == JSON {
		if o.Scope != "" {
			return &UsageError{"flag -scope has no meaning for json", "leave it out"}
		}
		any := &clients.Client{Title: "JSON", Holds: "mcpServers", URL: "url", Headers: "headers", Variable: "${%s}"}
		entry, err := any.Entry(server)
		if err != nil {
			return wrongEntry(err)
		}
		_, err = io.WriteString(c.Out, (&clients.Target{Client: any, Name: name}).Paste(entry))
		return err
	}
	to, scope, err := c.client(client, o.Scope)
	if err != nil {
		return err
	}
	entry, err := to.Entry(server)
	if err != nil {
		return wrongEntry(err)
	}
	if scope == clients.Project {
		c.warnSecrets(server)
	}
	c.warnRelative(scope, server.Args)
	if to.Bare {
		c.warnBare(to, server)
	}
	if to.NoMark && c.System.HasMark(to, scope) {
		fmt.Fprintf(c.Err, "warning: %s begins with a byte order mark: %s does not read it, and writes it anew without any server\n\thint: save it as UTF-8 without a byte order mark before you start the client\n", c.System.File(to, scope), to.Title)
	}
	t := &clients.Target{Client: to, Scope: scope, Name: name}
	result, err := c.System.Install(ctx, t, entry, clients.Change{Force: o.Force, DryRun: o.DryRun, Build: build})
	if err != nil {
		return c.explain(t, err)
	}
	path := c.System.File(to, scope)
	switch {
	case result == clients.Present:
		fmt.Fprintf(c.Out, "%s is there already: %s\n", name, path)
		return nil
	case o.DryRun:
		shown, _ := to.Shown(entry)
		fmt.Fprintf(c.Out, "%s would be %s: %s\n%s", name, result, path, t.Paste(shown))
		return nil
	}
	fmt.Fprintf(c.Out, "%s %s to %s: %s\n", result, name, to.Title, path)
	fmt.Fprintf(c.Err, "\thint: %s\n", to.Restart)
	return nil
}

// first returns the first of joined errors.
func first(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()[0]
	}
	return err
}

func wrongEntry(err error) error {
	if e, ok := errors.AsType[*clients.EntryError](err); ok {
		return &UsageError{e.Problem, e.Hint}
	}
	return err
}

func quote(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\"'\\${}[]()*?&;<>|`~#!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Uninstall removes an entry. Without a scope it removes the entry from the only scope that
// contains the name.
func (c *Command) Uninstall(ctx context.Context, client, name string, o *Options) error {
	from, scope, err := c.client(client, o.Scope)
	if err != nil {
		return err
	}
	if o.Scope == "" {
		if scope, err = c.scopeOf(from, name); err != nil {
			return err
		}
	}
	t := &clients.Target{Client: from, Scope: scope, Name: name}
	result, err := c.System.Uninstall(ctx, t, clients.Change{DryRun: o.DryRun})
	if err != nil {
		return c.explain(t, err)
	}
	path := c.System.File(from, scope)
	switch {
	case result == clients.Absent:
		return fmt.Errorf("%s has no entry %s: %s", from.Title, name, path)
	case o.DryRun:
		fmt.Fprintf(c.Out, "%s would be removed: %s\n", name, path)
	default:
		fmt.Fprintf(c.Out, "removed %s from %s: %s\n", name, from.Title, path)
	}
	return nil
}

// scopeOf returns the scope that contains a name.
func (c *Command) scopeOf(client *clients.Client, name string) (clients.Scope, error) {
	var has []clients.Scope
	for _, scope := range client.Scopes() {
		list, err := c.System.Entries(client, scope)
		if err != nil {
			continue // the chosen scope is read again
		}
		if slices.ContainsFunc(list, func(f clients.Found) bool { return f.Name == name }) {
			has = append(has, scope)
		}
	}
	switch len(has) {
	case 0:
		return clients.User, nil
	case 1:
		return has[0], nil
	}
	return "", &UsageError{fmt.Sprintf("%s has an entry %s in the scopes %v", client.Title, name, has), "name one of them with -scope"}
}

// EntryNames returns the names of a client's entries, for completion.
func EntryNames(system *clients.System, client string) (all []shellcomplete.Candidate) {
	c := clients.Find(client)
	if c == nil {
		return nil
	}
	for _, scope := range c.Scopes() {
		list, err := system.Entries(c, scope)
		if err != nil {
			continue // an unreadable file contributes no names
		}
		for _, e := range list {
			all = append(all, shellcomplete.Candidate{Value: e.Name, About: string(scope)})
		}
	}
	return all
}

// Program returns a program with its absolute path, so that clients find it without the PATH of a
// shell.
func Program(command []string) (*clients.Server, error) {
	path, err := exec.LookPath(command[0])
	if err == nil {
		path, err = absolute(path)
	}
	if err != nil {
		return nil, &UsageError{"there is no program " + command[0], "install it first, or correct what follows --"}
	}
	return &clients.Server{Command: path, Args: command[1:]}, nil
}
