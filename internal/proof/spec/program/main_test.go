package program

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// The test binary is both the program and the process inside.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv(inside) != "":
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/wrong"}`)
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		os.Exit(3)
	case os.Getenv("MCPGEN_SPEC_PROGRAM") != "":
		Dir = os.Getenv("MCPGEN_SPEC_PROGRAM")
		Main(nil)
	}
	os.Exit(m.Run())
}

// An invalid message of the server is reported on standard error, by a program that was started
// without MCP_SPEC_DIR. Its output and exit code come from the process inside.
func TestAround(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = []string{"MCPGEN_SPEC_PROGRAM=" + spec.Dir(t)}
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("%v, want exit code 3", err)
	}
	if strings.Count(stderr.String(), "invalid message: ") != 1 || !strings.Contains(stderr.String(), "notifications/wrong") {
		t.Errorf("standard error: %s", &stderr)
	}
	if strings.Count(stdout.String(), "\n") != 2 {
		t.Errorf("standard output: %s", &stdout)
	}
}
