package mcpcmd_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

// opener counts the calls for a server that the program has to create.
type opener struct {
	did    []string
	err    error
	server *mcp.Server
	ctx    context.Context // the context of the call
	ended  bool            // ctx was cancelled before everything was closed
}

func (o *opener) open(ctx context.Context) (*mcp.Server, func(), error) {
	o.did, o.ctx = append(o.did, "open"), ctx
	return o.server, func() { o.did, o.ended = append(o.did, "close"), ctx.Err() != nil }, o.err
}

// run runs a command line, and returns its output on both streams.
func (o *opener) run(ctx context.Context, args []string, options ...mcpcmd.Option) (stdout, stderr string, err error) {
	var out, errs buffer
	options = append([]mcpcmd.Option{mcpcmd.WithOutput(&out, &errs), mcpcmd.WithCleanup(func() { o.did = append(o.did, "cleanup") })}, options...)
	err = mcpcmd.RunFunc(ctx, o.open, args, options...)
	return out.String(), errs.String(), err
}

// Command lines that do not serve create no server, but know the name and the version.
func TestNothingIsOpened(t *testing.T) {
	dir := home(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := strings.TrimSuffix(filepath.Base(exe), ".exe")
	info := mcpcmd.WithServerInfo(mcp.ServerInfo{Name: "books", Version: "2.0.0", Title: "The books", Description: "Lends books."})
	config := `{"mcpServers":{"books":{"command":"nowhere"}}}`
	if err := errors.Join(os.Mkdir(filepath.Join(dir, ".cursor"), 0o700), os.WriteFile(filepath.Join(dir, ".cursor", "mcp.json"), []byte(config), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args    string
		options []mcpcmd.Option
		stdout  string
		err     string
	}{
		{"-version", []mcpcmd.Option{info}, "books 2.0.0\n", ""},
		{"-version", nil, program + " ", ""},
		{"-version", []mcpcmd.Option{mcpcmd.WithServerInfo(mcp.ServerInfo{Version: "3.1.0"})}, program + " 3.1.0\n", ""},
		{"-help", []mcpcmd.Option{info}, "The books 2.0.0 is a server of the Model Context Protocol.\nLends books.\n", ""},
		{"-help", nil, program + " ", ""},
		{"install -help", []mcpcmd.Option{info}, "usage: ", ""},
		{"status cursor", []mcpcmd.Option{info}, "books", ""},
		{"uninstall cursor -dry-run", []mcpcmd.Option{info}, "books", ""},
		{"uninstall gemini", []mcpcmd.Option{info}, "", "has no entry books"},
		{"-http", []mcpcmd.Option{info}, "", "flag needs an argument"},
		{"more", []mcpcmd.Option{info}, "", "argument more is one too many"},
		{"install", []mcpcmd.Option{info}, "", "the client is missing"},
	} {
		o := &opener{err: errors.New("it must not be called")}
		stdout, _, err := o.run(t.Context(), strings.Fields(test.args), test.options...)
		if (err != nil) != (test.err != "") && !strings.HasPrefix(test.args, "status") || err != nil && !strings.Contains(err.Error(), test.err) || !strings.Contains(stdout, test.stdout) {
			t.Errorf("%s: %v, stdout %q, want %q", test.args, err, stdout, test.stdout)
		}
		if got := strings.Join(o.did, " "); got != "cleanup" {
			t.Errorf("%s: it did %s", test.args, got)
		}
	}
	// Flags of the program are parsed before the server is created.
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.String("db", "", "the database")
	o := new(opener)
	if stdout, _, err := o.run(t.Context(), []string{"-db", "x", "status", "-help"}, mcpcmd.WithFlags(set), mcpcmd.WithCommands(), info); err != nil || !strings.Contains(stdout, "status [flags]") || len(o.did) != 1 {
		t.Errorf("%v, %q, %v", err, stdout, o.did)
	}
	t.Setenv("MCPCMD_TEST_OPEN", "fail")
	path := testProgram(t)
	for _, args := range []string{"install json", "install cursor", "completion bash", "completion fish", "uninstall cursor"} {
		if code, stdout, stderr := output(t, path, strings.Fields(args)...); code != 0 || !strings.Contains(stdout, "notes") || strings.Contains(stderr, "opening") {
			t.Errorf("%s: %d, %q, %q", args, code, stdout, stderr)
		}
	}
}

// A server is created once, serves, and is closed before the functions registered elsewhere are
// called.
func TestOpenedServer(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o := &opener{server: newServer(never)}
	answered := make(chan string, 1)
	_, stderr, err := o.run(ctx, []string{"-http", "127.0.0.1:0"}, mcpcmd.WithReady(func(url string) {
		go func() {
			defer stop()
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			_, text, err := answer(client, request(ctx, url, "tools/call", "greet"))
			if err != nil {
				text = err.Error()
			}
			answered <- text
		}()
	}), mcpcmd.WithServerInfo(mcp.ServerInfo{Name: "fixture", Version: "1.2.3"}))
	if text := <-answered; err != nil || !strings.Contains(text, "hello ") || !strings.HasPrefix(stderr, "fixture 1.2.3 serves 3 tools") {
		t.Errorf("%v, %s, stderr %q", err, text, stderr)
	}
	if want := []string{"open", "close", "cleanup"}; !slices.Equal(o.did, want) || o.ended || o.ctx.Err() == nil {
		t.Errorf("it did %v, want %v; context ended before %v, after %v", o.did, want, o.ended, o.ctx.Err())
	}
	// A WithServerInfo that differs from the server prints a warning.
	for _, info := range []mcp.ServerInfo{{Name: "other", Version: "1.2.3"}, {Name: "fixture", Version: "1.0.0"}} {
		o := &opener{server: newServer(never)}
		_, stderr, err := o.run(ctx, []string{"-http", "127.0.0.1:0"}, mcpcmd.WithServerInfo(info))
		if want := "mcpcmd.WithServerInfo says " + info.Name + " " + info.Version + ", and the server is fixture 1.2.3\n"; err != nil || !strings.Contains(stderr, want) {
			t.Errorf("%v, stderr %q, want %q", err, stderr, want)
		}
	}
}

// A server that cannot be created is an error, and nothing is closed.
func TestNoServer(t *testing.T) {
	failed := errors.New("no database")
	o := &opener{err: failed, server: newServer(never)}
	if _, stderr, err := o.run(t.Context(), nil); !errors.Is(err, failed) || err.Error() != "make the server: no database" || stderr != "" || !slices.Equal(o.did, []string{"open", "cleanup"}) {
		t.Errorf("%v, %q, %v", err, stderr, o.did)
	}
	o = new(opener)
	if _, _, err := o.run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "neither a server nor an error") || !slices.Equal(o.did, []string{"open", "close", "cleanup"}) {
		t.Errorf("%v, %v", err, o.did)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("a signal"))
	for _, end := range []error{context.Canceled, context.Cause(ctx)} {
		o = &opener{err: end}
		if _, _, err := o.run(ctx, nil); err != nil {
			t.Errorf("%v: %v", end, err)
		}
	}
	o = &opener{err: failed}
	if _, _, err := o.run(ctx, nil); !errors.Is(err, failed) {
		t.Errorf("another error after the end: %v", err)
	}
}

// The process calls open only to serve, and exits like the process of Main.
func TestMainFunc(t *testing.T) {
	for _, test := range []struct {
		open, args string
		code       int
		stderr     string // a pattern
	}{
		{"ok", "-version", 0, ""},
		{"fail", "-help", 0, ""},
		{"fail", "-htpp", 2, "unknown flag -htpp"},
		{"fail", "", 1, "opening\n"},
	} {
		p := start(t, []string{"MCPCMD_TEST_OPEN=" + test.open}, strings.Fields(test.args)...)
		code, stderr := p.end()
		if code != test.code || !strings.Contains(stderr, test.stderr) || (stderr == "") != (test.stderr == "") || !p.cleanedUp() {
			t.Errorf("%s %s: exit code %d, stderr %q", test.open, test.args, code, stderr)
		}
		if test.open == "fail" && test.args == "" && !strings.HasSuffix(stderr, ": make the server: no database\n") {
			t.Errorf("stderr %q", stderr)
		}
	}
	p := start(t, []string{"MCPCMD_TEST_OPEN=ok"})
	p.line("^opening\n$")
	p.line(stdioLine)
	p.stdin.Close()
	if code, stderr := p.end(); code != 0 || stderr != "closing\n" || !p.cleanedUp() {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	// A signal cancels open.
	p = start(t, []string{"MCPCMD_TEST_OPEN=wait"})
	p.line("^opening\n$")
	p.signal(os.Interrupt)
	if code, stderr := p.end(); code != 0 || stderr != "" || !p.cleanedUp() {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}
