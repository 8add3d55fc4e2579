//go:build unix && !solaris

package cli

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestInterruptEndsServer checks that an interrupt kills the server behind "--" and its child
// processes, even if all of them ignore it and the children keep the pipes open.
func TestInterruptEndsServer(t *testing.T) {
	alive := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(alive, 0o600); err != nil {
		t.Fatal(err)
	}
	held := make(chan error, 1)
	go func() {
		f, err := os.Open(alive) // when the server opens it
		if err == nil {
			_, err = io.ReadAll(f) // until no process keeps it open
			_ = f.Close()
		}
		held <- err
	}()
	cmd, _, _ := startCommand(t, "ready", nil, "list", "--", "sh", "-c",
		`trap "" INT TERM; exec 3>"$0"; sh -c 'trap "" INT TERM; echo ready >&2; while :; do sleep 100; done' & while :; do sleep 100; done`, alive)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
	if err := <-held; err != nil {
		t.Error(err)
	}
}
