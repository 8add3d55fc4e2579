//go:build unix && !solaris

package mcpcmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mcpgen/mcpgen/internal/clients"
)

// A program that has started another one, as npx and go do, is given up, though that one keeps
// the output open.
func TestProbeGivesUp(t *testing.T) {
	input := filepath.Join(t.TempDir(), "input")
	if err := syscall.Mkfifo(input, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opened := make(chan *os.File, 1)
	go func() {
		f, err := os.OpenFile(input, os.O_WRONLY, 0) // when the second program has opened it
		if err != nil {
			t.Error(err)
		}
		cancel()
		opened <- f
	}()
	_, _, err := probe(ctx, t.TempDir(), &clients.Status{
		Client: clients.Find("cursor"),
		Server: clients.Server{Command: "/bin/sh", Args: []string{"-c", `cat "$0" & wait`, input}},
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	(<-opened).Close() // ends the second program
}
