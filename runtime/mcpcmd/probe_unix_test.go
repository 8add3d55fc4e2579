//go:build unix

package mcpcmd

import (
	"context"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/clients"
)

// A program that has started another one, as npx and go do, is given up in time, though that one
// keeps the output open.
func TestProbeGivesUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, _, err := probe(ctx, t.TempDir(), &clients.Status{
			Client: clients.Find("cursor"),
			Server: clients.Server{Command: "/bin/sh", Args: []string{"-c", "sleep 60 & wait"}},
		})
		ended <- err
	}()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(20 * time.Second):
		t.Error("status does not end")
	}
}
