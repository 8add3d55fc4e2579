package cli

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// cancelAt cancels a context when a text is written.
type cancelAt struct {
	text   string
	cancel context.CancelFunc
}

func (w cancelAt) Write(b []byte) (int, error) {
	if strings.Contains(string(b), w.text) {
		w.cancel()
	}
	return len(b), nil
}

// newProject runs new in a directory, and returns its output.
func newProject(ctx context.Context, dir string, p *progress, args ...string) (code int, said string) {
	var out, errs bytes.Buffer
	c := &command{ctx: ctx, dir: dir, invoked: "mcpgen", out: &out, err: &errs, progress: p}
	defer c.removeTemporary()
	code = c.run(append([]string{"new"}, args...))
	return code, out.String() + errs.String()
}

// TestNewInterrupted stops new in each of its stages.
func TestNewInterrupted(t *testing.T) {
	goEnvironment(t) // skips without a go command
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	for _, stage := range []string{"finding the modules", "loading", "writing the generated files"} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		code, said := newProject(ctx, dir, newProgress(cancelAt{stage, cancel}, true), "-replace", root, "shop")
		if ctx.Err() == nil {
			t.Fatalf("there is no stage %q; it said %q", stage, said)
		}
		cancel()
		if left, err := os.ReadDir(dir); code != exitFound || said != "" || err != nil || len(left) > 0 {
			t.Errorf("%s: exit code %d, left behind %v, %v; it said %q", stage, code, left, err, said)
		}
	}
}

func TestNewWithoutGo(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	code, said := newProject(t.Context(), dir, newProgress(new(bytes.Buffer), false), "-replace", root, "shop")
	const want = "there is no go command in PATH\n\thint: install Go, from https://go.dev/dl, or add its directory to PATH\n"
	if left, err := os.ReadDir(dir); code != exitFound || said != want || err != nil || len(left) > 0 {
		t.Errorf("exit code %d, left behind %v, %v; it said %q", code, left, err, said)
	}
}

func TestNewUnmade(t *testing.T) {
	n := &newCommand{shown: "shop"}
	const want = "make directory shop: permission denied\n\thint: make it where you may write, and where there is room; nothing is left of it"
	for _, err := range []error{
		&fs.PathError{Op: "mkdir", Path: "/d/.mcpgen-new-ABC", Err: syscall.EACCES},
		&os.LinkError{Op: "rename", Old: "/d/.mcpgen-new-ABC", New: "/d/shop", Err: syscall.EACCES},
	} {
		if got := n.unmade(err).Error(); got != want {
			t.Errorf("got %q\nwant %q", got, want)
		}
	}
}
