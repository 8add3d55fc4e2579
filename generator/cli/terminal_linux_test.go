package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// pseudoTerminal returns both sides of a terminal of a width.
func pseudoTerminal(t *testing.T, width uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	control := func(request uintptr, value unsafe.Pointer) {
		t.Helper()
		conn, err := master.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		var failed syscall.Errno
		if err := conn.Control(func(fd uintptr) { _, _, failed = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(value)) }); err != nil || failed != 0 {
			t.Fatal(err, failed)
		}
	}
	var unlock, number int32
	size := struct{ rows, columns, x, y uint16 }{rows: 24, columns: width}
	control(syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	control(syscall.TIOCGPTN, unsafe.Pointer(&number))
	control(syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// TestTerminal runs the command on a terminal of 80 columns, with and without colour, and beside a
// pipe, which gets everything.
func TestTerminal(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop"})
	properties := map[string]any{}
	for i := range 12 {
		properties[fmt.Sprintf("argument%d", i)] = map[string]any{"type": "string"}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		t.Fatal(err)
	}
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "search_books", InputSchema: string(schema)}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil }))
	server := httptest.NewServer(mcphttp.NewHandler(s))
	defer server.Close()

	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := writeModule(dir, root, "example.com/shop"); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"shop.go":   "// Package shop is a shop.\npackage shop\n\n// Greet greets.\n//\n//mcp:tool\nfunc Greet(times int) (string, error) { return \"\", nil }\n",
		".mcp.json": `{"mcpServers":{"shop":{"command":"/opt/` + strings.Repeat("long/", 20) + `shop","args":["serve"]}}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cache, home := t.TempDir(), t.TempDir()
	run := func(out *os.File, env string, args ...string) {
		t.Helper()
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), exe)
		cmd.Args, cmd.Dir = append([]string{"mcpgen"}, args...), dir
		cmd.Env = append(os.Environ(), goEnvironment(t)...)
		cmd.Env = append(cmd.Env, "PWD="+dir, "XDG_CACHE_HOME="+cache, "XDG_CONFIG_HOME="+home, "HOME="+home, "NO_COLOR=", "TERM=xterm", env)
		cmd.Stdout, cmd.Stderr = out, out
		err = cmd.Run()
		out.Close()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		args  []string
		bold  string // bold parts of the output
		whole string // parts that only a pipe gets
	}{
		{[]string{"list", server.URL}, "search_books", "argument9"},
		{[]string{"status"}, "shop", "/opt/" + strings.Repeat("long/", 20) + "shop"},
		{[]string{"vet", "."}, "shop.go:6:1:", "may read the text of every error, such as the errors of Greet [undecided-errors]"},
	} {
		for _, env := range []string{"TERM=xterm-256color", "NO_COLOR=1", "TERM=dumb"} {
			master, slave := pseudoTerminal(t, 80)
			text := make(chan string)
			go func() {
				b, _ := io.ReadAll(master) // fails when the other side is closed
				text <- strings.ReplaceAll(string(b), "\r\n", "\n")
			}()
			run(slave, env, test.args...)
			got := <-text
			if stands := strings.Contains(got, "\x1b[1m"+test.bold+"\x1b[0m"); stands != strings.HasPrefix(env, "TERM=xterm") || !stands && strings.Contains(got, "\x1b[1m") {
				t.Errorf("%s, %s: names stand out: %v\n%q", test.args, env, stands, got)
			}
			plain := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "", "\r\x1b[K", "\r").Replace(got) // progress clears its line
			if !strings.Contains(plain, test.bold) || strings.Contains(plain, test.whole) {
				t.Errorf("%s, %s: %q", test.args, env, got)
			}
			for line := range strings.Lines(strings.ReplaceAll(plain, "\t", strings.Repeat(" ", 8))) {
				for part := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\r") {
					if n := len([]rune(part)); n > 80 {
						t.Errorf("%s, %s: %d columns: %s", test.args, env, n, part)
					}
				}
			}
		}
		out, in, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		read := make(chan error)
		go func() {
			_, err := got.ReadFrom(out)
			read <- err
		}()
		run(in, "TERM=xterm-256color", test.args...)
		if err := <-read; err != nil {
			t.Fatal(err)
		}
		out.Close()
		if text := got.String(); strings.Contains(text, "\x1b") || strings.Contains(text, "…") || !strings.Contains(text, test.whole) {
			t.Errorf("%s: a pipe gets %q", test.args, text)
		}
	}
}
