package cli

import (
	"errors"
	"flag"
	"io"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/suggest"
)

// flags are the flags of one subcommand.
type flags struct {
	*flag.FlagSet
	tags    string
	verbose bool
	server  *serverFlags // of commands that can call a server; otherwise nil
}

func newFlags(name string) *flags {
	f := &flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.StringVar(&f.tags, "tags", "", "build tags, separated by commas")
	f.BoolVar(&f.verbose, "v", false, "print what is done, with the time of each stage")
	return f
}

// parse reads a command line in which flags may be anywhere before "--", and returns the other
// arguments. For a command that can call a server, the words behind "--" are its command line. If
// parse returns false, the command exits with the code.
func (c *command) parse(f *flags, args []string) (rest []string, code int, ok bool) {
	if c.flagsOf != nil {
		c.flagsOf(f)
		return nil, exitDone, false
	}
	var literal []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, literal = args[:i], args[i+1:]
	}
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				topic := f.Name()
				if topic == "generate" { // without a topic, since the user may not know the commands
					topic = "help"
				}
				return nil, c.helpTopic(topic), false
			}
			return nil, c.wrongFlag(f, err), false
		}
		args = f.Args()
		if len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	c.progress.verbose = f.verbose
	if f.server != nil && len(literal) > 0 {
		f.server.program = literal
		return rest, exitDone, true
	}
	return append(rest, literal...), exitDone, true
}

// notDefined is the beginning of package flag's message for an unknown flag.
const notDefined = "flag provided but not defined: -"

func (c *command) wrongFlag(f *flags, err error) int {
	name, unknown := strings.CutPrefix(err.Error(), notDefined)
	if !unknown {
		return c.usage(command0(f.Name()), err.Error(), "")
	}
	hint := ""
	switch name {
	case "http", "allow-host", "allow-origin", "tls-cert", "tls-key", "client-ca", "auth", "url", "audience", "keys":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is one of "+c.invoked+" run")
	case "check", "contract":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is one of "+c.invoked+" [packages]")
	case "rules", "disable", "max-tools", "max-tokens":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is one of "+c.invoked+" vet")
	case "annotate", "expose", "main", "all":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is one of "+c.invoked+" init")
	case "client-id", "client-metadata":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is one of "+c.invoked+" login")
	case "file", "expires":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is one of "+c.invoked+" key new")
	case "scope", "env", "force", "dry-run", "build":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is one of "+c.invoked+" install")
	case "start":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is one of "+c.invoked+" status")
	case "platform", "config":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is one of "+c.invoked+" bundle")
	case "bundle", "image", "remote":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is one of "+c.invoked+" registry")
	case "version":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is a command: "+c.invoked+" version")
	case "allowed-tools", "yes":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is one of "+c.invoked+" skill export")
	case "fail":
		return c.usage(command0(f.Name()), "unknown flag -"+name, "it is one of "+c.invoked+" diff")
	}
	var known []string
	f.VisitAll(func(def *flag.Flag) { known = append(known, def.Name) })
	if near := suggest.Word(name, known); near != "" {
		hint = "did you mean -" + near + "?"
	}
	return c.usage(command0(f.Name()), "unknown flag -"+name, hint)
}

// command0 returns the name of a subcommand on the command line: generating has none.
func command0(name string) string {
	if name == "generate" {
		return ""
	}
	return name
}
