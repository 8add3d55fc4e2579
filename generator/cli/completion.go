package cli

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/bundle"
	"github.com/mcpgen/mcpgen/generator/internal/scaffold"
	"github.com/mcpgen/mcpgen/internal/clientcmd"
	"github.com/mcpgen/mcpgen/internal/clients"
	"github.com/mcpgen/mcpgen/internal/shellcomplete"
)

const helpCompletion = `usage: mcpgen completion SHELL

Prints the script by which a shell completes commands, flags and packages, and
for call, read and prompt the names of the package, the keys of their arguments
and the values of enumerations. SHELL is bash, fish, powershell or zsh:

%s If mcpgen is a tool of the module, alias mcpgen='go tool mcpgen' first. What
a package has is kept in the cache directory of the user until one of its files
changes, or for an hour. Servers are not called.
`

// completion prints a script, or the candidates that the script requests.
func (c *command) completion(args []string) int {
	if i := slices.Index(args, "--"); i == 1 && c.flagsOf == nil {
		return c.complete(args[0], args[2:])
	}
	f := newFlags("completion")
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	if len(rest) != 1 {
		return c.usage("completion", "completion takes one shell", "it is one of "+strings.Join(shellcomplete.Shells, ", "))
	}
	script := shellcomplete.Script(rest[0], "mcpgen", strings.Fields(c.invoked)...)
	if script == "" {
		return c.usage("completion", "unknown shell "+rest[0], "it is one of "+strings.Join(shellcomplete.Shells, ", "))
	}
	if _, err := io.WriteString(c.data, script); err != nil {
		return c.fail(fmt.Errorf("print the script: %w", err))
	}
	return exitDone
}

// complete prints the candidates for the last word of a command line. It prints nothing else, since
// a person is typing.
func (c *command) complete(shell string, args []string) int {
	words := shellcomplete.Words(shell, args)
	quiet := *c
	quiet.out, quiet.err, quiet.log, quiet.in = io.Discard, io.Discard, io.Discard, strings.NewReader("")
	quiet.progress = newProgress(io.Discard, false)
	all := quiet.candidates(words)
	c.temporary = quiet.temporary
	if err := shellcomplete.Print(c.data, shell, args, all); err != nil {
		return c.fail(err)
	}
	return exitDone
}

type candidate = shellcomplete.Candidate

// values makes candidates without a description.
func values(texts ...string) (all []candidate) {
	for _, t := range texts {
		all = append(all, candidate{Value: t})
	}
	return all
}

// candidates returns the candidates for the last word. The first word is the program.
func (c *command) candidates(words []string) []candidate {
	if len(words) < 2 {
		return nil
	}
	word, args := words[len(words)-1], words[1:len(words)-1]
	if len(args) == 0 {
		if strings.HasPrefix(word, "-") {
			return flagNames(c.definedFlags((*command).generate))
		}
		all := c.packages(word)
		for _, s := range subcommands() {
			all = append(all, candidate{Value: s.name, About: s.about})
		}
		return all
	}
	name, run := "", (*command).generate
	for _, s := range subcommands() {
		if s.name == args[0] {
			name, run, args = s.name, s.run, args[1:]
			break
		}
	}
	set := c.definedFlags(run)
	if set == nil || slices.Contains(args, "--") {
		return nil // the command line of another program follows
	}
	given, rest := read(set, args)
	switch {
	case given != "":
		return flagValues(given)
	case strings.HasPrefix(word, "-"):
		return flagNames(set)
	}
	return c.positional(name, rest, word, args)
}

// definedFlags returns the flags of a command.
func (c *command) definedFlags(run func(*command, []string) int) *flag.FlagSet {
	var set *flag.FlagSet
	in := *c
	in.flagsOf = func(f *flags) { set = f.FlagSet }
	run(&in, nil)
	return set
}

// read splits arguments. given is the flag whose value the next word is, or "" for an argument.
func read(set *flag.FlagSet, args []string) (given string, rest []string) {
	for _, a := range args {
		if given != "" {
			given = ""
			continue
		}
		name, isFlag := strings.CutPrefix(a, "-")
		if !isFlag || name == "" {
			rest = append(rest, a)
			continue
		}
		name = strings.TrimPrefix(name, "-")
		if def := set.Lookup(name); def != nil && !isBool(def) {
			given = name
		}
	}
	return given, rest
}

func isBool(def *flag.Flag) bool {
	b, ok := def.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

func flagNames(set *flag.FlagSet) (all []candidate) {
	if set == nil {
		return nil
	}
	set.VisitAll(func(def *flag.Flag) {
		_, about := flag.UnquoteUsage(def)
		all = append(all, candidate{Value: "-" + def.Name, About: about})
	})
	return append(all, candidate{Value: "-help", About: "describe the command"})
}

// flagValues returns the values of flags with a fixed set of values.
func flagValues(name string) []candidate {
	switch name {
	case "scope":
		return values("user", "project", "local")
	case "fail":
		return values("breaking", "any", "none")
	case "platform":
		return values(bundle.PlatformNames()...)
	case "template":
		return values(scaffold.Names()...)
	case "revision":
		return values("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
	}
	return nil
}

// positional returns the candidates for an argument without -, behind the others.
func (c *command) positional(name string, rest []string, word string, args []string) []candidate {
	switch name {
	case "", "list", "run", "docs", "vet", "diff", "doctor", "bundle", "registry":
		return c.packages(word)
	case "call", "read", "prompt":
		if len(rest) == 0 {
			return c.packages(word)
		}
		return c.completable(tagsOf(args), rest[0]).candidates(name, rest[1:], word)
	case "install":
		if len(rest) == 0 {
			return append(clientNames(), candidate{Value: clientcmd.JSON, About: "print the entry"})
		}
		return c.packages(word)
	case "uninstall", "status":
		if len(rest) == 0 {
			return clientNames()
		}
		return c.entryNames(rest[0])
	case "completion":
		return values(shellcomplete.Shells...)
	case "help":
		var all []candidate
		for _, s := range subcommands() {
			all = append(all, candidate{Value: s.name, About: s.about})
		}
		return append(all, candidate{Value: "generate", About: ""}, candidate{Value: "directives", About: ""})
	case "key":
		return values("new")
	case "app":
		if len(rest) == 0 {
			return values("types")
		}
		return c.packages(word)
	case "skill":
		switch len(rest) {
		case 0:
			return values("export")
		case 1:
			return c.packages(word)
		default:
			return c.directories(word)
		}
	}
	return nil
}

func clientNames() (all []candidate) {
	for _, c := range clients.All {
		all = append(all, candidate{Value: c.Name, About: c.Title})
	}
	return all
}

// entryNames returns the names of a client's entries.
func (c *command) entryNames(client string) []candidate {
	system, err := clientcmd.ThisSystem(c.dir)
	if err != nil {
		return nil
	}
	return clientcmd.EntryNames(system, client)
}

// tagsOf returns the value of -tags.
func tagsOf(args []string) string {
	for i, a := range args {
		if value, ok := strings.CutPrefix(strings.TrimPrefix(a, "-"), "-tags="); ok {
			return value
		}
		if value, ok := strings.CutPrefix(a, "-tags="); ok {
			return value
		}
		if (a == "-tags" || a == "--tags") && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

const (
	// mostWalked limits the number of directories that are read for a word, and mostDepth their
	// depth.
	mostWalked = 1000
	mostDepth  = 5
)

// packages returns the directories with directives below the current one, or, for a word that
// begins with a path to another place, the directories there.
func (c *command) packages(word string) []candidate {
	if slashed := filepath.ToSlash(word); strings.HasPrefix(slashed, "../") || filepath.IsAbs(word) {
		return c.directories(slashed)
	}
	var all []candidate
	walked := 0
	_ = filepath.WalkDir(c.dir, func(path string, d os.DirEntry, err error) error { // unreadable directories have no candidates
		if err != nil || !d.IsDir() {
			return nil
		}
		rel, _ := filepath.Rel(c.dir, path)
		rel = filepath.ToSlash(rel)
		if walked++; walked > mostWalked {
			return filepath.SkipAll
		}
		if base := d.Name(); rel != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") ||
			base == "testdata" || base == "vendor" || base == "node_modules" || strings.Count(rel, "/") >= mostDepth) {
			return filepath.SkipDir
		}
		if c.hasDirective(path) {
			if rel != "." {
				rel = "./" + rel
			}
			all = append(all, candidate{Value: rel})
		}
		return nil
	})
	return all
}

// directories returns the directories in a path that is being typed.
func (c *command) directories(word string) (all []candidate) {
	parent := word[:strings.LastIndexByte(word, '/')+1]
	entries, err := os.ReadDir(c.absolute(cmp.Or(filepath.FromSlash(parent), ".")))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			all = append(all, candidate{Value: parent + e.Name() + "/"})
		}
	}
	return all
}
