//go:build !unix

package cli

import (
	"os"
	"os/exec"
	"testing"
)

func leadGroup(*exec.Cmd) {}

func signalGroup(t *testing.T, _ *exec.Cmd, _ os.Signal) {
	t.Helper()
	t.Skip("there are no signals to send")
}
