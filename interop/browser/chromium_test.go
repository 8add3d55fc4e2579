package browser

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// names are the program names of Chromium on several systems.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// find returns the path of Chromium. It skips the test if Chromium is not installed.
func find(t *testing.T) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("none of %q is installed: on Debian, apt-get install chromium", names)
	return ""
}

// open opens a page in a separate browser until the end of ctx. Host names below test resolve to
// this machine, and no other names resolve.
func open(ctx context.Context, t *testing.T, page string) *running {
	t.Helper()
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	b := &running{ended: make(chan struct{}), profile: profile}
	b.cmd = exec.CommandContext(ctx, find(t),
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server",
		"--host-resolver-rules=MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--user-data-dir="+profile, page)
	b.cmd.Env = append(os.Environ(), "HOME="+profile, "XDG_CONFIG_HOME="+filepath.Join(profile, "config"), "XDG_CACHE_HOME="+filepath.Join(profile, "cache"))
	b.cmd.Stdout, b.cmd.Stderr = &b.said, &b.said
	b.cmd.Cancel = func() error { return b.cmd.Process.Signal(os.Interrupt) }
	b.cmd.WaitDelay = 10 * time.Second
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(b.ended)
		_ = b.cmd.Wait() // the exit code does not matter
	}()
	return b
}

// running is a browser.
type running struct {
	cmd     *exec.Cmd
	said    bytes.Buffer // read after the end
	ended   chan struct{}
	profile string
}

// close waits for the end of the browser, which follows the end of the context, and removes its
// files.
func (b *running) close() {
	<-b.ended
	_ = os.RemoveAll(b.profile) // a late process may still write to it
}
