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

// probe gives up on a program that started another one, like npx and go, even if the other one
// keeps the output open.
func TestProbeGivesUp(t *testing.T) {
	input := filepath.Join(t.TempDir(), "input")
	if err := syscall.Mkfifo(input, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opened := make(chan *os.File, 1)
	go func() {
		f, err := os.OpenFile(input, os.O_WRONLY, 0) // when the second program opened it
		if err != nil {
			t.Error(err)
		}
		cancel()
		opened <- f
	}()
	_, _, err := probe(ctx, &clients.Status{
		Client: clients.Find("cursor"), Dir: t.TempDir(),
		Server: clients.Server{Command: "/bin/sh", Args: []string{"-c", `cat "$0" & wait`, input}},
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	(<-opened).Close() // ends the second program
}

// A program is started in the directory of its entry, whatever the current directory is.
func TestProbeDir(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	_, _, err = probe(t.Context(), &clients.Status{
		Client: clients.Find("cursor"), Dir: dir,
		Server: clients.Server{Command: "/bin/sh", Args: []string{"-c", `echo "$(/bin/pwd) $PWD" > started`}},
	})
	if err == nil {
		t.Error("the program answers")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "started")); err != nil || string(text) != dir+" "+dir+"\n" {
		t.Errorf("%q, %v, want %s", text, err, dir)
	}
}
