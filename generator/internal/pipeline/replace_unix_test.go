//go:build unix

package pipeline_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
)

// helperEnv makes this test binary do one thing and exit, instead of testing.
const helperEnv = "MCPGEN_TEST_HELPER"

func TestMain(m *testing.M) {
	switch name := os.Getenv(helperEnv); name {
	case "":
		os.Exit(m.Run())
	case "forever":
		for i := 0; ; i++ {
			if err := pipeline.Replace(os.Args[1], versions[i%2]); err != nil {
				helperFailed(err)
			}
			if i == 0 {
				fmt.Println("begun")
			}
		}
	case "limited":
		// Beyond the limit a write fails as on a full disk.
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 1 << 10, Max: 1 << 10}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			helperFailed(err)
		}
		fallthrough
	case "once":
		if err := pipeline.Replace(os.Args[1], versions[1]); err != nil {
			helperFailed(err)
		}
	default:
		helperFailed(errors.New("no helper " + name))
	}
	os.Exit(0)
}

func helperFailed(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// versions are two contents of a file, each of more than one write.
var versions = [2][]byte{
	bytes.Repeat([]byte("// the first version\n"), 50_000),
	bytes.Repeat([]byte("// another one, of another length\n"), 40_000),
}

// helper returns a command that runs the test binary as the named helper.
func helper(t *testing.T, name, path string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Args = []string{exe, path}
	cmd.Env = append(os.Environ(), helperEnv+"="+name)
	return cmd
}

// whole returns the index of the version in a file, and fails the test if the content is neither.
func whole(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, version := range versions {
		if bytes.Equal(data, version) {
			return i
		}
	}
	t.Fatalf("the file has %d bytes and is neither version", len(data))
	return 0
}

// TestKilled kills processes that only write the file.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp_gen.go")
	if err := pipeline.Replace(path, versions[0]); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	left := 0
	for range 60 {
		cmd := helper(t, "forever", path)
		var said bytes.Buffer
		cmd.Stderr = &said
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := stdout.Read(make([]byte, 1)); err != nil {
			t.Fatalf("it has not begun: %v %s", err, &said)
		}
		// The process is killed at a random moment.
		time.Sleep(time.Duration(random.IntN(8000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if said.Len() > 0 {
			t.Fatalf("it ended by itself: %s", &said)
		}
		whole(t, path)
		left = len(copies(t, path))
	}
	t.Logf("%d of the killed left a copy behind", left)
	// Copies that no run uses are removed by the next run.
	long := time.Now().Add(-2 * time.Hour)
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), ".mcp_gen.go.12345"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range copies(t, path) {
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	recent := filepath.Join(filepath.Dir(path), ".mcp_gen.go.1")
	foreign := filepath.Join(filepath.Dir(path), ".mcp_gen.go.swp")
	for _, name := range []string{recent, foreign} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(foreign, long, long); err != nil {
		t.Fatal(err)
	}
	if err := pipeline.Replace(path, versions[1]); err != nil {
		t.Fatal(err)
	}
	if kept := copies(t, path); len(kept) != 2 || kept[0] != recent || kept[1] != foreign {
		t.Errorf("kept %v", kept)
	}
}

// copies returns the files beside a file whose names begin with its name.
func copies(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestParallel lets several processes write the file at the same time, while it is read until both
// versions have occurred many times.
func TestParallel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp_gen.go")
	if err := pipeline.Replace(path, versions[0]); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		cmd := helper(t, "forever", path)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	}
	var seen [2]int
	for seen[0] < 20 || seen[1] < 20 {
		seen[whole(t, path)]++
	}
}

// TestNoSpace lets a process run out of space half-way.
func TestNoSpace(t *testing.T) {
	for _, there := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "mcp_gen.go")
		if there {
			if err := os.WriteFile(path, versions[0], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		out, err := helper(t, "limited", path).CombinedOutput()
		if _, failed := errors.AsType[*exec.ExitError](err); !failed || !strings.Contains(string(out), "too large") {
			t.Fatalf("err %v, said %s", err, out)
		}
		kept(t, path, there)
	}
}

// kept fails the test unless a file is the first version, or does not exist, and no copy lies
// beside it.
func kept(t *testing.T, path string, there bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if there && !bytes.Equal(data, versions[0]) || !there && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file has %d bytes now, err %v", len(data), err)
	}
	if left := copies(t, path); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestReadOnly writes where it must not. Root may write anywhere, so the test drops its rights.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mcp_gen.go")
	if err := os.WriteFile(path, versions[0], 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := helper(t, "once", path)
	if os.Getuid() == 0 {
		cmd.Path = openTo(t, cmd.Path, dir)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	out, err := cmd.CombinedOutput()
	_, failed := errors.AsType[*exec.ExitError](err)
	if !failed && err != nil && os.Getuid() == 0 {
		t.Skip("cannot run as another user:", err)
	}
	if !failed || !strings.Contains(string(out), "permission denied") {
		t.Errorf("err %v, said %s", err, out)
	}
	kept(t, path, true)
}

// openTo copies an executable to where every user can run it, and opens a directory to all of them.
func openTo(t *testing.T, exe, dir string) string {
	t.Helper()
	bin := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir), bin, filepath.Dir(bin)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	from, err := os.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	path := filepath.Join(bin, "helper")
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNewFileMode checks that a new file gets the process's default permissions, and an old one
// keeps its own.
func TestNewFileMode(t *testing.T) {
	for _, umask := range []int{0o002, 0o077} {
		path := filepath.Join(t.TempDir(), "mcp_gen.go")
		before := syscall.Umask(umask)
		err := pipeline.Replace(path, versions[0])
		syscall.Umask(before)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != fs.FileMode(0o666&^umask) {
			t.Errorf("umask %03o: %v, %v", umask, info.Mode(), err)
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
		if err := pipeline.Replace(path, versions[1]); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("the file had 0640, and has %v, %v", info.Mode(), err)
		}
	}
}
