package mcpcmd_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

func run(t *testing.T, args []string, options ...mcpcmd.Option) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs buffer
	options = append([]mcpcmd.Option{mcpcmd.WithOutput(&out, &errs)}, options...)
	err = mcpcmd.Run(t.Context(), newServer(never), args, options...)
	return out.String(), errs.String(), err
}

func TestUsage(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"-htpp 8080", "unknown flag -htpp: did you mean -http?"},
		{"-hepl", "unknown flag -hepl: did you mean -help?"},
		{"--alow-host x", "unknown flag -alow-host: did you mean -allow-host?"},
		{"-xyz 1", "unknown flag -xyz: -help lists those that there are"},
		{"instal cursor", "unknown command instal: did you mean install?"},
		{"Uninstall cursor", "unknown command Uninstall: did you mean uninstall?"},
		{"stats", "unknown command stats: did you mean status?"},
		{"completions bash", "unknown command completions: did you mean completion?"},
		{"help", "unknown command help: it is a flag: -help"},
		{"version", "unknown command version: it is a flag: -version"},
		{"halp", "unknown command halp: did you mean -help?"},
		{"serve", "argument serve is one too many: the commands are install, uninstall, status, completion, and -help lists the flags"},
		{"-http 0 install", "argument install is one too many: a command comes before its flags: " + filepath.Base(os.Args[0]) + " install"},
		{"localhost:80", "argument localhost:80 is one too many: write -http localhost:80 to serve there"},
		{"-http", "flag needs an argument: -http: a port or host:port, such as 8080"},
		{"-http localhost", `flag -http: address "localhost" has no port: write localhost:8080`},
		{"-http http://localhost:8080/mcp", "is a URL: write localhost:8080"},
		{"-http 99999", "ports end at 65535"},
		{"-http=", `flag -http: address "" is empty: `},
		{"8080", "argument 8080 is one too many: write -http 8080 to serve there"},
		{"-http 0 more", "argument more is one too many"},
		{"-version=maybe", "invalid boolean value"},
		{"-allow-host example.com", "flag -allow-host has no meaning without -http"},
		{"-allow-origin https://example.com", "flag -allow-origin has no meaning without -http"},
		{"-http 0 -allow-host a/b", `flag -allow-host: parse allowed host "a/b"`},
		{"-http 0 -allow-origin example.com", `flag -allow-origin: parse allowed origin "example.com"`},
		{"-http 0 -allow-origin *", "list those that may call"},
	} {
		cleaned := false
		stdout, stderr, err := run(t, strings.Fields(test.args), mcpcmd.WithCleanup(func() { cleaned = true }))
		_, usage := errors.AsType[*mcpcmd.UsageError](err)
		if !usage || !strings.Contains(err.Error(), test.want) || stdout+stderr != "" || !cleaned {
			t.Errorf("%s: %v, want %s\nstdout %q, stderr %q, cleaned up: %v", test.args, err, test.want, stdout, stderr, cleaned)
		}
	}
	if _, _, err := run(t, []string{"-http="}); !strings.HasSuffix(err.Error(), "such as 8080 or 127.0.0.1:8080") {
		t.Error(err)
	}
}

// Help fits a terminal of 80 columns.
func TestHelpWidth(t *testing.T) {
	flags := mcpcmd.WithHTTPFlags(func(set *flag.FlagSet) func(mcpcmd.HTTPServing) (mcpcmd.HTTPSetup, error) {
		set.String("issuer-of-tokens", "", strings.Repeat("an access token of `ISSUER` ", 10))
		return func(mcpcmd.HTTPServing) (mcpcmd.HTTPSetup, error) { return mcpcmd.HTTPSetup{}, nil }
	})
	for _, args := range []string{"-help", "install -help", "uninstall -help", "status -help", "completion -help"} {
		stdout, _, err := run(t, strings.Fields(args), flags)
		if err != nil || stdout == "" {
			t.Errorf("%s: %v", args, err)
		}
		for line := range strings.Lines(strings.ReplaceAll(stdout, "mcpcmd.test", "program")) {
			if line = strings.TrimSuffix(strings.ReplaceAll(line, "\t", "        "), "\n"); len(line) > 80 {
				t.Errorf("%s: %d columns: %s", args, len(line), line)
			}
		}
	}
}

func TestHelp(t *testing.T) {
	for _, arg := range []string{"-help", "-h", "--help"} {
		stdout, stderr, err := run(t, []string{arg, "-version"})
		if err != nil || stderr != "" {
			t.Errorf("%s: %v, %q", arg, err, stderr)
		}
		for _, want := range []string{
			"fixture 1.2.3 is a server of the Model Context Protocol with 3 tools, 1\nresource.\nIt is tested.\n",
			" install CLIENT\n", "CLIENT: claude-code, ", "-http ADDR ", "-allow-host NAME ", "-allow-origin ORIGIN ", "-version ", "-help ",
			"http://127.0.0.1:8080/mcp",
		} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: no %q in\n%s", arg, want, stdout)
			}
		}
		for line := range strings.Lines(stdout) {
			if len(line) > 84 && !strings.Contains(line, "claude") {
				t.Errorf("long line: %s", line)
			}
		}
	}
}

// TestQuoted quotes paths of every system.
func TestQuoted(t *testing.T) {
	for path, want := range map[string]string{
		"/usr/local/bin/shop-1.2":            "/usr/local/bin/shop-1.2",
		"/home/a b/shop":                     `"/home/a b/shop"`,
		"/home/o'neil/shop":                  `"/home/o'neil/shop"`,
		"/home/$a/shop":                      "'/home/$a/shop'",
		"/home/`a`'s/shop":                   "'/home/`a`'\\''s/shop'",
		`C:\shop.exe`:                        `"C:\shop.exe"`,
		`C:\Program Files (x86)\shop.exe`:    `"C:\Program Files (x86)\shop.exe"`,
		`\\server\share\größe\shop.exe`:      `"\\server\share\größe\shop.exe"`,
		`C:\Users\x\AppData\Local\a;b&c.exe`: `"C:\Users\x\AppData\Local\a;b&c.exe"`,
	} {
		if got := mcpcmd.Quoted(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestVersion(t *testing.T) {
	stdout, stderr, err := run(t, []string{"-version"})
	if err != nil || stdout != "fixture 1.2.3\n" || stderr != "" {
		t.Errorf("%v, %q, %q", err, stdout, stderr)
	}
}

// All functions of WithCleanup are called, in the order of deferred calls.
func TestCleanup(t *testing.T) {
	order := ""
	_, _, _ = run(t, []string{"-version"},
		mcpcmd.WithCleanup(func() { order += "a" }), mcpcmd.WithCleanup(func() { order += "b" }))
	if order != "ba" {
		t.Error(order)
	}
}

func TestWithFlags(t *testing.T) {
	newSet := func() (*flag.FlagSet, *string) {
		set := flag.NewFlagSet("program", flag.ContinueOnError)
		set.SetOutput(io.Discard)
		return set, set.String("db", "", "the database")
	}
	t.Run("parsed by the program", func(t *testing.T) {
		set, db := newSet()
		option := mcpcmd.WithFlags(set)
		if err := set.Parse([]string{"-version", "-db", "x", "rest"}); err != nil {
			t.Fatal(err)
		}
		stdout, _, err := run(t, []string{"-never", "looked at"}, option)
		if err != nil || stdout != "fixture 1.2.3\n" || *db != "x" {
			t.Errorf("%v, %q, %q", err, stdout, *db)
		}
	})
	t.Run("parsed by Run", func(t *testing.T) {
		set, db := newSet()
		stdout, _, err := run(t, []string{"-db", "x", "-version", "rest"}, mcpcmd.WithFlags(set))
		if err != nil || stdout != "fixture 1.2.3\n" || *db != "x" || set.Arg(0) != "rest" {
			t.Errorf("%v, %q, %q", err, stdout, *db)
		}
	})
	t.Run("wrong", func(t *testing.T) {
		set, _ := newSet()
		_, _, err := run(t, []string{"-bd", "x"}, mcpcmd.WithFlags(set))
		if _, ok := errors.AsType[*mcpcmd.UsageError](err); !ok {
			t.Error(err)
		}
	})
	t.Run("help", func(t *testing.T) {
		set, _ := newSet()
		var usage buffer
		set.SetOutput(&usage)
		stdout, _, err := run(t, []string{"-help"}, mcpcmd.WithFlags(set))
		if err != nil || stdout != "" {
			t.Errorf("%v, %q", err, stdout)
		}
		for _, want := range []string{"-http ADDR", "-allow-host NAME", "-allow-origin ORIGIN", "-version", "-db string"} {
			if !strings.Contains(usage.String(), want) {
				t.Errorf("no %s in\n%s", want, &usage)
			}
		}
	})
	t.Run("a version of its own", func(t *testing.T) {
		set, _ := newSet()
		own := set.Bool("version", false, "print the version of everything")
		option := mcpcmd.WithFlags(set)
		if err := set.Parse([]string{"-version", "-http", "x"}); err != nil {
			t.Fatal(err)
		}
		stdout, _, err := run(t, nil, option)
		if _, ok := errors.AsType[*mcpcmd.UsageError](err); !ok || stdout != "" || !*own {
			t.Errorf("%v, %q, %v", err, stdout, *own)
		}
	})
}

func TestEndpointURL(t *testing.T) {
	for _, test := range []struct{ address, bound, want string }{
		{"127.0.0.1:0", "127.0.0.1:4000", "http://127.0.0.1:4000/mcp"},
		{"localhost:80", "127.0.0.1:80", "http://localhost:80/mcp"},
		{"0.0.0.0:80", "0.0.0.0:80", "http://localhost:80/mcp"},
		{"[::]:80", "[::]:80", "http://localhost:80/mcp"},
		{"[::1]:0", "[::1]:81", "http://[::1]:81/mcp"},
		{"[fe80::1%eth0]:0", "[fe80::1%eth0]:81", "http://[fe80::1%25eth0]:81/mcp"},
	} {
		bound, err := net.ResolveTCPAddr("tcp", test.bound)
		if err != nil {
			t.Fatal(err)
		}
		if got := mcpcmd.EndpointURL(test.address, bound, false); got != test.want {
			t.Errorf("%s: %s, want %s", test.address, got, test.want)
		}
	}
}

// A program that listens for other machines prints a warning, unless it uses TLS and checks the
// callers.
func TestWarning(t *testing.T) {
	for bound, warned := range map[string]bool{
		"127.0.0.1:80": false, "127.8.8.8:80": false, "[::1]:80": false,
		"0.0.0.0:80": true, "[::]:80": true, "10.0.0.1:80": true,
	} {
		addr, err := net.ResolveTCPAddr("tcp", bound)
		if err != nil {
			t.Fatal(err)
		}
		for _, secure := range []bool{false, true} {
			for _, decided := range []bool{false, true} {
				var b strings.Builder
				mcpcmd.Warn(&b, addr, secure, decided)
				got := b.String()
				if (got != "") != (warned && !(secure && decided)) || got != "" && (!strings.Contains(got, "other machines") ||
					strings.Contains(got, "WithPrincipal") == decided || strings.Contains(got, "unencrypted") == secure ||
					strings.Contains(got, "-tls-cert") == secure || strings.Count(got, "\n") != 1) {
					t.Errorf("%s, TLS %v, decided %v: %q", bound, secure, decided, got)
				}
			}
		}
	}
}

func TestListenError(t *testing.T) {
	wrong := func(errno syscall.Errno) error {
		return &net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", errno)}
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{wrong(syscall.EADDRINUSE), "address already in use: another program listens at port 81; end it or take another port"},
		{wrong(10048), "another program listens at port 81"},
		{wrong(syscall.EACCES), "permission denied: port 81 needs privileges; use one from 1024 on"},
		{wrong(syscall.EADDRNOTAVAIL), "this machine does not have the address"},
		{&net.OpError{Op: "listen", Err: &net.DNSError{Err: "no such host", Name: "a"}}, "lookup a: no such host: write 127.0.0.1 for"},
		{wrong(syscall.EINVAL), "try another address"},
	} {
		got := mcpcmd.ListenError("a:81", test.err)
		if !strings.HasPrefix(got, "listen at a:81: ") || !strings.Contains(got, test.want) || strings.Contains(got, "listen tcp") {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// The address is in use: Run returns the error before it serves.
func TestAddressInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	address := l.Addr().String()
	_, stderr, err := run(t, []string{"-http", address})
	if err == nil || !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), "listen at "+address) || stderr != "" {
		t.Errorf("%v, stderr %q", err, stderr)
	}
	if _, ok := errors.AsType[*mcpcmd.UsageError](err); ok {
		t.Error("the command line was well formed")
	}
}

// A context that is cancelled before the start is not an error.
func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := mcpcmd.Run(ctx, newServer(never), []string{"-http", "127.0.0.1:0"}, mcpcmd.WithOutput(io.Discard, io.Discard)); err != nil {
		t.Error(err)
	}
}

func TestFeatures(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "empty", Version: "1"})
	var out buffer
	for _, want := range []string{"no features", "1 prompt", "2 prompts"} {
		if err := mcpcmd.Run(t.Context(), s, []string{"-help"}, mcpcmd.WithOutput(&out, io.Discard)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "with "+want+".\n") {
			t.Errorf("no %s in %s", want, &out)
		}
		s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: strings.ReplaceAll(want, " ", "_")},
			func(context.Context, map[string]string) (*mcp.PromptResult, error) { return nil, nil }))
	}
}
