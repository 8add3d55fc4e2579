//go:build unix && !solaris

package regularfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(at("file"), []byte("text"), 0o600))
	must(os.WriteFile(at("empty"), nil, 0o600))
	must(os.WriteFile(at("large"), []byte("123456789"), 0o600))
	must(os.Symlink("file", at("link")))
	must(os.Symlink("/dev/zero", at("zero")))
	must(os.Symlink("nowhere", at("dangling")))
	must(syscall.Mkfifo(at("pipe"), 0o600))
	must(os.Symlink("pipe", at("topipe")))
	must(os.Mkdir(at("dir"), 0o700))
	for name, want := range map[string]string{
		"file": "text", "empty": "", "link": "text",
		"large": "larger than 8 bytes", "zero": "not a regular file (a device)", "pipe": "not a regular file (a pipe)",
		"topipe": "not a regular file (a pipe)", "dir": "not a regular file (a directory)",
		"dangling": "no such file", "missing": "no such file",
	} {
		data, err := ReadWithin(at(name), 8)
		if strings.Contains(name, "pipe") {
			// A pipe without a reader cannot be opened for writing.
			if f, open := os.OpenFile(at("pipe"), os.O_WRONLY|FlagNonblock, 0); !errors.Is(open, syscall.ENXIO) {
				t.Errorf("%s stays open: %v, %v", name, f, open)
			}
		}
		if err == nil {
			if string(data) != want {
				t.Errorf("%s: %q", name, data)
			}
			continue
		}
		if _, ok := errors.AsType[*fs.PathError](err); !ok || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if runtime.GOOS == "linux" { // a regular file whose first byte cannot be read
		if data, err := Read("/proc/self/mem"); err == nil || !errors.Is(err, syscall.EIO) {
			t.Errorf("/proc/self/mem: %d bytes, %v", len(data), err)
		}
	}
}
