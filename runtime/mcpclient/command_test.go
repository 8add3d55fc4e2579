package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

const commandEnv = "MCPCLIENT_TEST_COMMAND"

// TestCommandProgram is the program of TestCommand. It prints its directory and environment.
func TestCommandProgram(t *testing.T) {
	if os.Getenv(commandEnv) == "" {
		t.Skip("this is the program of TestCommand")
	}
	wd, _ := os.Getwd()
	text, _ := json.Marshal(where{Args: os.Args[1:], Dir: wd, Env: os.Environ()})
	fmt.Printf("%s\n", text)
	os.Exit(0)
}

type where struct {
	Args []string
	Dir  string
	Env  []string
}

// command is the program of this test.
func command(change func(*mcpclient.Command)) mcpclient.Command {
	c := mcpclient.Command{Path: os.Args[0], Args: []string{"-test.run=^TestCommandProgram$"}, Env: []string{commandEnv + "=1"}}
	if change != nil {
		change(&c)
	}
	return c
}

func dialOptions(t *testing.T) dial.Options {
	return dial.Options{
		Limits: dial.Limits{MessageBytes: 1 << 20, StderrBytes: 1 << 10, WriteTime: 10 * time.Second, CloseTime: 10 * time.Second},
		Logger: slog.New(slog.DiscardHandler),
		Report: func(err error) { t.Errorf("reported: %v", err) },
	}
}

// start starts a program, and returns its output.
func start(t *testing.T, c mcpclient.Command) where {
	t.Helper()
	conn, err := c.Dial(t.Context(), dialOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	m, err := conn.(dial.Stream).Read()
	if err != nil {
		t.Fatal(err)
	}
	var w where
	if err := json.Unmarshal(m, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestCommand(t *testing.T) {
	t.Setenv("COMMAND_TEST_SECRET", "s3cret")
	t.Setenv("LANG", "C.UTF-8")
	t.Setenv("TMPDIR", t.TempDir())
	names := func(env []string) (names []string) {
		for _, entry := range env {
			name, _, _ := strings.Cut(entry, "=")
			names = append(names, name)
		}
		return names
	}
	w := start(t, command(nil))
	if runtime.GOOS != "windows" {
		var want []string
		for _, name := range []string{"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"} {
			if value, ok := os.LookupEnv(name); ok {
				want = append(want, name+"="+value)
			}
		}
		if want = append(want, commandEnv+"=1"); !slices.Equal(w.Env, want) {
			t.Errorf("the environment is %q, want %q", w.Env, want)
		}
	}
	if slices.Contains(names(w.Env), "COMMAND_TEST_SECRET") {
		t.Error("the program sees a variable that is not listed")
	}
	w = start(t, command(func(c *mcpclient.Command) { c.InheritEnv = true; c.Env = append(c.Env, "LANG=first", "LANG=de") }))
	if !slices.Contains(w.Env, "COMMAND_TEST_SECRET=s3cret") || !slices.Contains(w.Env, "LANG=de") || slices.Contains(w.Env, "LANG=C.UTF-8") {
		t.Errorf("the environment is %q", w.Env)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w = start(t, command(func(c *mcpclient.Command) {
		c.Path, _ = filepath.Abs(c.Path)
		c.Dir, c.Args = dir, append(c.Args, "two words")
		c.Prepare = func(cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "prepared"); cmd.Stdout = os.Stderr }
	}))
	if w.Dir != dir || !slices.Equal(w.Args[1:], []string{"two words", "prepared"}) {
		t.Errorf("the program runs in %s with %q", w.Dir, w.Args)
	}
}

// TestCommandFails: an error explains the fix, and whether a later attempt may succeed.
func TestCommandFails(t *testing.T) {
	dir := t.TempDir()
	text, plain := dir+"/text", dir+"/plain"
	for name, mode := range map[string]os.FileMode{text: 0o755, plain: 0o644} {
		if err := os.WriteFile(name, []byte("#!/no/such/interpreter\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("not now"))
	for want, c := range map[string]mcpclient.Command{
		"Command.Path is empty":                                    {},
		"there is no program no-such-program in PATH: install it":  {Path: "no-such-program"},
		"there is no program " + dir + "/none, or not the interpr": {Path: dir + "/none"},
		"there is no program " + text + ", or not the interpreter": {Path: text},
		"the program " + plain + " may not be executed":            {Path: plain},
		"the directory Command.Dir /no/such/dir does not exist":    {Path: os.Args[0], Dir: "/no/such/dir"},
		"the directory Command.Dir " + text + " does not exist":    {Path: os.Args[0], Dir: text},
		"Command.Env[1] does not have the form NAME=value":         {Path: os.Args[0], Env: []string{"A=", "s3cret"}},
		"Command.Env[0] does not have the form NAME=value":         {Path: os.Args[0], Env: []string{"=s3cret"}},
		"not now":                        {Path: os.Args[0]},
		"Command.Prepare has failed: oh": {Path: os.Args[0], Prepare: func(*exec.Cmd) { panic("oh") }},
	} {
		if runtime.GOOS == "windows" && (strings.Contains(want, text) || strings.Contains(want, plain)) {
			continue
		}
		ctx := t.Context()
		if want == "not now" {
			ctx = cancelled
		}
		conn, err := c.Dial(ctx, dialOptions(t))
		failed, ok := errors.AsType[*dial.Error](err)
		if !ok || conn != nil || failed.Sent || failed.Again != (want == "not now") || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v; want %s", c, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v shows a secret", err)
		}
	}
}

// TestCommandName: Name contains no arguments; Key depends on everything that is sent.
func TestCommandName(t *testing.T) {
	c := mcpclient.Command{Path: "/home/ann/bin/server", Args: []string{"--token", "s3cret"}, Env: []string{"TOKEN=s3cret"}}
	if c.Name() != "server" || strings.Contains(c.Key(), "s3cret") {
		t.Errorf("name %q, key %q", c.Name(), c.Key())
	}
	if (mcpclient.Command{}).Name() == "" {
		t.Error("a command without a path has no name")
	}
	if restarts := any(c).(dial.Restarter).Restarts(); !restarts {
		t.Error("a program is not started anew")
	}
	keys := map[string]bool{}
	list := []mcpclient.Command{
		c, {Path: c.Path}, {Path: c.Path, Args: []string{"--token s3cret"}}, {Path: c.Path, Args: []string{"--token", "other"}, Env: c.Env},
		{Path: c.Path, Args: c.Args}, {Path: c.Path, Args: c.Args, Env: c.Env, Dir: "/"}, {Path: c.Path, Args: c.Args, Env: c.Env, InheritEnv: true},
		{Path: c.Path, Env: c.Args}, {Path: c.Path, Args: []string{"a", ""}}, {Path: c.Path, Args: []string{"", "a"}}, {Path: c.Path, Args: []string{"a"}, Env: []string{""}},
	}
	for _, c := range list {
		keys[c.Key()] = true
	}
	for _, c := range list {
		keys[c.Key()] = true
	}
	if len(keys) != len(list) { // the same ones twice
		t.Errorf("%d keys of %d commands", len(keys), len(list))
	}
}

// TestCommandContext checks which credentials a program has: the credentials of this process's
// user, unless Prepare or the environment may add others.
func TestCommandContext(t *testing.T) {
	contexts := map[string]string{}
	for _, home := range []string{"/home/ada", "/home/bob"} {
		for _, name := range []string{"HOME", "USERPROFILE"} {
			t.Setenv(name, home)
		}
		context, ok := mcpclient.Command{Path: "p"}.AuthorizationContext()
		if context == "" || !ok || contexts[context] != "" {
			t.Errorf("in %s: %q, %v", home, context, ok)
		}
		contexts[context] = home
		t.Setenv("SECRET_OF_ANOTHER", home)
		if again, _ := (mcpclient.Command{Path: "q", Env: []string{"A=b"}}).AuthorizationContext(); again != context {
			t.Errorf("in %s: %q for another program", home, again)
		}
		for _, c := range []mcpclient.Command{{Path: "p", InheritEnv: true}, {Path: "p", Prepare: func(*exec.Cmd) {}}} {
			if context, ok := c.AuthorizationContext(); context != "" || !ok {
				t.Errorf("%+v: %q, %v", c, context, ok)
			}
		}
	}
}
