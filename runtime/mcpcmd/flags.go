package mcpcmd

import (
	"errors"
	"flag"
	"io"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/httpaddr"
	"github.com/mcpgen/mcpgen/internal/httpflags"
	"github.com/mcpgen/mcpgen/internal/suggest"
	"github.com/mcpgen/mcpgen/runtime/internal/access"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// UsageError is the error for an invalid command line. Its message explains how to correct it.
type UsageError struct {
	text string
	err  error // the cause, or nil
}

// Error returns the message.
func (e *UsageError) Error() string { return e.text }

// Unwrap returns the cause, such as a missing file. It may be nil.
func (e *UsageError) Unwrap() error { return e.err }

// WithFlags adds to the flags of the program -http, -allow-host, -allow-origin, -tls-cert, -tls-key
// and -client-ca, the flags of options, and, unless it is defined, -version. Call it before the
// flags are parsed, and pass its result to [Main] or [Run], which parse the flags unless the
// program has done so:
//
//	file := flag.String("db", "", "the database")
//	flags := mcpcmd.WithFlags(flag.CommandLine)
//	flag.Parse()
//	mcpcmd.Main(NewMCPServer(open(*file)), flags)
//
// The program then handles help and the remaining arguments.
func WithFlags(set *flag.FlagSet, options ...Option) Option {
	f := &flags{set: set}
	f.define()
	var given program
	for _, option := range options {
		option(&given)
	}
	f.defineMore(given.defines)
	return func(p *program) {
		later := p.defines
		for _, option := range options {
			option(p)
		}
		p.flags, p.defines = f, later
	}
}

// flags contains the values of the command line.
type flags struct {
	set *flag.FlagSet
	own bool // the program adds no flags to the set

	address        string
	http, version  bool
	hosts, origins []string
	tls            httpflags.TLS
	more           []func(HTTPServing) (HTTPSetup, error)
}

func ownFlags() *flags {
	f := &flags{set: flag.NewFlagSet("", flag.ContinueOnError), own: true}
	f.set.SetOutput(io.Discard)
	f.set.Usage = func() {}
	f.define()
	return f
}

func (f *flags) define() {
	f.set.Func("http", "serve over HTTP at `ADDR`, a port or host:port; without a host, for this machine alone", func(text string) error {
		f.address, f.http = text, true
		return nil
	})
	f.set.Func("allow-host", "with -http: answer to the host `NAME`, too, under which a proxy is called (repeatable)", func(text string) error {
		f.hosts = append(f.hosts, text)
		return nil
	})
	f.set.Func("allow-origin", "with -http: let web pages of `ORIGIN` call, such as https://app.example (repeatable)", func(text string) error {
		f.origins = append(f.origins, text)
		return nil
	})
	f.tls.Define(f.set)
	if f.set.Lookup("version") == nil {
		f.set.BoolVar(&f.version, "version", false, "print the version and end")
	}
}

// parse parses the command line, unless the program has done so. The error is [flag.ErrHelp] or a
// [*UsageError].
func (f *flags) parse(args []string) error {
	if f.own || !f.set.Parsed() {
		switch err := f.set.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			return flag.ErrHelp
		case err != nil:
			return wrongFlag(err, f.set)
		case f.own && f.set.NArg() > 0:
			return f.tooMany(args)
		}
	}
	if f.http {
		address, err := httpaddr.Parse(f.address)
		if err != nil {
			return &UsageError{text: "flag -http: " + err.Error()}
		}
		f.address = address
	} else if len(f.hosts) > 0 {
		return &UsageError{text: "flag -allow-host has no meaning without -http: give both or neither"}
	} else if len(f.origins) > 0 {
		return &UsageError{text: "flag -allow-origin has no meaning without -http: give both or neither"}
	}
	if err := f.tls.Check(f.http); err != nil {
		return &UsageError{text: err.Error()}
	}
	if _, err := access.New(f.hosts, nil); err != nil {
		return &UsageError{text: "flag -allow-host: " + err.Error()}
	}
	if _, err := access.New(nil, f.origins); err != nil {
		return &UsageError{text: "flag -allow-origin: " + err.Error()}
	}
	return nil
}

// tooMany returns the error for an argument that no flag takes. It may be the value of a flag that
// works without one and takes a value only after "=".
func (f *flags) tooMany(args []string) *UsageError {
	first := f.set.Arg(0)
	text := "argument " + first + " is one too many: "
	if before := len(args) - f.set.NArg() - 1; before >= 0 {
		name := strings.TrimLeft(args[before], "-")
		if def := f.set.Lookup(name); def != nil && optionalValue(def) != "" {
			return &UsageError{text: text + "write -" + name + "=" + quoted(first) + " if it is the value of this flag"}
		}
	}
	names := commandNames()
	near := suggest.Word(first, append(names, "help", "version"))
	switch {
	case first == "help" || first == "version":
		return &UsageError{text: "unknown command " + first + ": it is a flag: -" + first}
	case near == "help" || near == "version":
		return &UsageError{text: "unknown command " + first + ": did you mean -" + near + "?"}
	case isAddress(first):
		return &UsageError{text: text + "write -http " + first + " to serve there"}
	case slices.Contains(names, first):
		return &UsageError{text: text + "a command comes before its flags: " + command() + " " + first}
	case near != "":
		return &UsageError{text: "unknown command " + first + ": did you mean " + near + "?"}
	}
	return &UsageError{text: text + "the commands are " + strings.Join(names, ", ") + ", and -help lists the flags"}
}

// isAddress reports whether an argument can be the value of -http.
func isAddress(text string) bool {
	_, err := httpaddr.Parse(text)
	return err == nil
}

// optionalValue returns the name of the value of a flag that works without one, "" for other flags.
func optionalValue(def *flag.Flag) string {
	value, _ := flag.UnquoteUsage(def)
	if without, ok := def.Value.(interface{ IsBoolFlag() bool }); !ok || !without.IsBoolFlag() {
		return ""
	}
	return value
}

// options returns the options that the flags select.
func (f *flags) options() []mcphttp.Option {
	var options []mcphttp.Option
	if len(f.hosts) > 0 {
		options = append(options, mcphttp.WithAllowedHosts(f.hosts...))
	}
	if len(f.origins) > 0 {
		options = append(options, mcphttp.WithAllowedOrigins(f.origins...))
	}
	return options
}

func wrongFlag(err error, set *flag.FlagSet) *UsageError {
	text := err.Error()
	switch {
	case strings.HasPrefix(text, "flag needs an argument: -http"):
		text += ": a port or host:port, such as 8080 or 127.0.0.1:8080"
	case strings.HasPrefix(text, "flag provided but not defined: "):
		text = unknownFlag(text, set)
		if !strings.Contains(text, ": ") {
			text += ": -help lists those that there are"
		}
	default:
		text += ": -help says more"
	}
	return &UsageError{text: text}
}

// unknownFlag returns the message for a flag that a set does not define, with the flag that was
// probably meant.
func unknownFlag(text string, set *flag.FlagSet) string {
	name := strings.TrimPrefix(text, "flag provided but not defined: -")
	var known []string
	set.VisitAll(func(def *flag.Flag) { known = append(known, def.Name) })
	text = "unknown flag -" + name
	if near := suggest.Word(name, append(known, "help")); near != "" {
		text += ": did you mean -" + near + "?"
	}
	return text
}
