package hardening_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// programVariable tells the test binary which program to run.
const programVariable = "HARDENING_PROGRAM"

// programs are the programs in the test binary, which return their exit statuses.
var programs = map[string]func() int{"printer": printer, "hostile": hostileProgram}

func TestMain(m *testing.M) {
	if program := programs[os.Getenv(programVariable)]; program != nil {
		os.Exit(program())
	}
	goleak.VerifyTestMain(spec.Main{M: m, Least: 20000})
}

// printer serves a tool that prints and reads, and whose child does the same.
func printer() int {
	// The file must live as long as the process: a collected file closes its descriptor.
	one := os.NewFile(1, "one")
	s := mcp.NewServer(mcp.ServerInfo{Name: "printer", Version: "1"})
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "print"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		fmt.Println("printed by Go")
		println("printed by the runtime")
		_, _ = one.WriteString("printed to descriptor 1\n")
		child := exec.Command("/bin/sh", "-c", "echo printed by a child; cat; echo the child has read all")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := child.Run(); err != nil {
			return nil, err
		}
		var word string
		n, _ := fmt.Scan(&word)
		return mcp.TextResult(fmt.Sprintf("read %d words", n)), nil
	}))
	if err := s.ServeStdio(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("restored")
	return 0
}

// testStdout runs a server as a process of its own.
func testStdout(t *testing.T, v target) {
	spec.Holds(t, "S083")
	switch runtime.GOOS {
	case "windows", "js", "wasip1":
		t.Skip("needs a shell")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var in []string
	if v.era == legacy {
		in = append(in, v.era.text("1", "initialize", initialize))
	}
	for _, id := range []string{"2", "3", "4"} {
		in = append(in, v.era.text(id, "tools/call", call("print", `{}`)))
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), programVariable+"=printer")
	cmd.Stdin = strings.NewReader(strings.Join(in, "\n") + "\n")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(in)+1 || lines[len(in)] != "restored" {
		t.Fatalf("%d lines, want %d and one after the end of Serve:\n%s", len(lines), len(in), out)
	}
	for _, line := range lines[:len(in)] {
		m := parse(line)
		if m.failed() || m.Result == nil || (m.id() != "1" && m.text() != "read 0 words") {
			t.Errorf("%v", m)
		}
	}
	for _, text := range []string{"printed by Go", "printed by the runtime", "printed to descriptor 1", "printed by a child", "the child has read all"} {
		if strings.Count(stderr.String(), text) != 3 {
			t.Errorf("%q is not on standard error:\n%s", text, &stderr)
		}
	}
}
