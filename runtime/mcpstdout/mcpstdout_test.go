package mcpstdout_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcpstdout"
)

const programEnv = "MCPSTDOUT_TEST_PROGRAM"

// mode selects the behaviour of the program that a test starts; "" runs the tests themselves.
var mode = func() string {
	mode := os.Getenv(programEnv)
	if mode != "" {
		fmt.Println("early")
		child := exec.Command(os.Args[0], "child")
		child.Env, child.Stdout, child.Stderr = append(os.Environ(), programEnv+"="), os.Stdout, os.Stderr
		if err := child.Run(); err != nil {
			panic(err)
		}
	}
	return mode
}()

func TestMain(m *testing.M) {
	server := mcp.NewServer(mcp.ServerInfo{Name: "shop", Version: "1"})
	serve := func() {
		if err := server.ServeStdio(context.Background()); err != nil {
			panic(err)
		}
	}
	switch {
	case len(os.Args) == 2 && os.Args[1] == "child":
		mcpstdout.Restore()
		fmt.Println("child")
		return
	case mode == "":
		os.Exit(m.Run())
	case mode == "restore":
		mcpstdout.Restore()
		mcpstdout.Restore()
		fmt.Println("main")
		serve()
	case mode == "unshielded":
		fmt.Println("main")
		server = mcp.NewServer(mcp.ServerInfo{Name: "shop", Version: "1"}, mcp.WithoutStdoutShield())
		serve()
	case mode == "serve":
		fmt.Println("main")
		serve()
	default:
		fmt.Println("main")
		mcpcmd.Main(server)
	}
	fmt.Println("late")
}

// TestOutput starts programs whose initialization prints, and starts a child that prints.
func TestOutput(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		return // programs cannot be started
	}
	const request = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	const reply = `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
	file := filepath.Join(t.TempDir(), "requests")
	if err := os.WriteFile(file, []byte(request), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		mode, stdin    string
		args           []string
		stdout, stderr string
	}{
		{"serve", "pipe", nil, reply + "late\n", "early\nchild\nmain\n"},
		{"serve", file, nil, reply + "late\n", "early\nchild\nmain\n"},
		{"serve", os.DevNull, nil, "early\nchild\nmain\nlate\n", ""},
		{"restore", "pipe", nil, "main\n" + reply + "late\n", "early\nchild\n"},
		{"unshielded", "pipe", nil, reply + "late\n", "early\nchild\nmain\n"},
		{"command", "pipe", nil, reply, "early\nchild\nmain\n"},
		{"command", "pipe", []string{"-version"}, "shop 1", "early\nchild\nmain\n"},
		{"command", os.DevNull, []string{"-version"}, "early\nchild\nmain\nshop 1", ""},
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], test.args...)
		cmd.Env = append(os.Environ(), programEnv+"="+test.mode)
		var stdout, stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(request), &stdout, &stderr
		if test.stdin != "pipe" {
			input, err := os.Open(test.stdin)
			if err != nil {
				t.Fatal(err)
			}
			defer input.Close()
			cmd.Stdin = input
		}
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s %s %v: %v\n%s", test.mode, test.stdin, test.args, err, &stderr)
		}
		if !strings.HasPrefix(stdout.String(), test.stdout) || len(test.args) == 0 && stdout.String() != test.stdout || !strings.HasPrefix(stderr.String(), test.stderr) {
			t.Errorf("%s %s %v: standard output\n%s\nwant\n%s\nstandard error\n%s\nwant\n%s", test.mode, test.stdin, test.args, &stdout, test.stdout, &stderr, test.stderr)
		}
	}
}
