package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/mcpgen/mcpgen/generator/internal/remote"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// startLog passes on standard error of a program. A program that exits at once is started again:
// output that a later start repeats is dropped.
type startLog struct {
	to io.Writer

	mu     sync.Mutex
	starts int
	first  []byte // of the first start, at most maxStartLog
	same   int    // length of first that this start has repeated; -1 after a difference
}

// maxStartLog limits the output of the first start that is compared, in bytes.
const maxStartLog = 64 << 10

// logged sets the standard error of a program.
func logged(cmd mcpclient.Command, to io.Writer) mcpclient.Command {
	log := &startLog{to: to}
	cmd.Stderr = log
	cmd.Prepare = func(*exec.Cmd) { log.started() }
	return cmd
}

func (l *startLog) started() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starts++
	l.same = 0
}

// Write writes the output that was not written before.
func (l *startLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := p
	switch {
	case l.starts <= 1:
		l.first = append(l.first, p[:min(len(p), maxStartLog-len(l.first))]...)
	case l.same >= 0:
		n := 0
		for n < len(p) && l.same < len(l.first) && p[n] == l.first[l.same] {
			n++
			l.same++
		}
		if n == len(p) {
			return len(p), nil
		}
		// The line that differs is written completely.
		line := l.first[bytes.LastIndexByte(l.first[:l.same], '\n')+1 : l.same]
		text = append(bytes.Clone(line), p[n:]...)
		l.same = -1
	}
	if _, err := l.to.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// programError returns an error with a hint for a program that does not start, or has exited.
func (r *remoteServer) programError(err error) error {
	cmd, ok := r.target.(mcpclient.Command)
	if !ok || r.built {
		return err
	}
	if e, ok := errors.AsType[*mcpclient.ExitError](err); ok {
		e.Stderr = nil // already shown
		return err
	}
	correct := "correct what follows --"
	if r.file != "" {
		correct = "correct the command of " + r.operand + " in " + r.c.relative(r.file)
	}
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("there is no program %s in PATH: install it, or %s", cmd.Path, correct)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no program %s, or not the interpreter that its first line names: install it, or %s", cmd.Path, correct)
	}
	return err
}

// revisionsFile returns the file, in the user's cache directory, that stores the revisions of
// servers.
func revisionsFile() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "mcpgen", "revisions.json"), nil
}

// revisions returns the store for the revisions of servers, or nil without a cache directory. A
// broken file is reported; the next verdict replaces it.
func (c *command) revisions() mcpclient.EraStore {
	path, err := revisionsFile()
	if err != nil {
		return nil
	}
	if err := remote.CheckRevisions(path); err != nil {
		c.noteln("mcpgen: the revisions of servers that were kept are not used: %v", err)
	}
	return mcpclient.FileEras(path)
}
