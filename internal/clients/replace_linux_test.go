package clients

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

func init() {
	path := os.Getenv("CLIENTS_TEST_FULL")
	if path == "" {
		return
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100_000, Max: 100_000}); err != nil {
		panic(err)
	}
	err := replaceFile(context.Background(), path, 0o600, func([]byte) (change, error) {
		return change{text: bytes.Repeat([]byte("b"), 1<<20)}, nil
	})
	if !errors.Is(err, syscall.EFBIG) {
		panic(err)
	}
	os.Exit(0)
}

// A write that the system refuses, as on a full disk, leaves the old file unchanged and no other
// file beside it.
func TestDiskFull(t *testing.T) {
	caches(t)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CLIENTS_TEST_FULL="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	wantFile(t, path, "a")
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
