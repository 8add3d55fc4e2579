package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// This file starts the server again after it could not write, as on a full disk. JetStream ends then and the server goes on without, or a
// stream takes no more writes. Copies are not current after that, and nothing but a new start changes it.

const (
	// lookTime is the time between two looks at JetStream.
	lookTime = time.Second
	// minPause and maxPause bound the time between two starts, if JetStream ends soon after each one.
	minPause, maxPause = 2 * time.Second, time.Minute
	// roomToStart is how many bytes the directory needs to have room for before the server starts again.
	roomToStart = 8 << 20
)

// errDisabled is the error of a server without JetStream whose directory can be written.
var errDisabled = errors.New("JetStream has ended by itself")

// Ready reports by its error that JetStream cannot write in this process, and why: the directory is full, or read-only. The server starts
// again by itself when it can. Ready returns nil while JetStream runs, also where other servers are missing: that is
// what mcpnats.Cluster.Ready reports.
func (s *Server) Ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.disabled
	if err == nil {
		err = s.failure()
	}
	if err != nil {
		return fmt.Errorf("embedded: JetStream cannot write here, and starts again when it can: %w", err)
	}
	return nil
}

// failure returns why the server has to start again, nil if it has not. The caller has the lock.
func (s *Server) failure() error {
	switch {
	case s.failed != "":
		return errors.New(s.failed)
	case !s.server.JetStreamEnabled():
		return errDisabled
	}
	return nil
}

// writeFailed notes that the server has logged that it could not write.
func (s *Server) writeFailed(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == "" {
		s.failed = text
	}
}

// watch starts the server again when JetStream has ended, until the server is closed.
func (s *Server) watch() {
	ticker := time.NewTicker(lookTime)
	defer ticker.Stop()
	pause, next := minPause, time.Time{}
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
		}
		s.mu.Lock()
		one, failure := s.server, s.failure()
		s.mu.Unlock()
		if failure == nil {
			if time.Since(next) > maxPause {
				pause = minPause
			}
			continue
		}
		if err := tryDir(s.dir, roomToStart); err != nil {
			s.disable(err)
			continue
		}
		s.disable(failure)
		if time.Now().Before(next) {
			continue
		}
		next, pause = time.Now().Add(pause), min(2*pause, maxPause)
		if one.JetStreamEnabled() {
			one.LameDuckShutdown() // what it leads goes to others first
		}
		one.Shutdown()
		one.WaitForShutdown()
		s.mu.Lock()
		s.failed = ""
		s.mu.Unlock()
		again, err := s.startOne()
		if err != nil {
			s.disable(err)
			continue
		}
		s.mu.Lock()
		s.server, s.disabled = again, nil
		s.mu.Unlock()
		s.log.write(slog.LevelInfo, "JetStream runs again", "")
	}
}

// disable notes why JetStream does not run, and logs it when that begins or changes.
func (s *Server) disable(err error) {
	s.mu.Lock()
	changed := s.disabled == nil || s.disabled.Error() != err.Error()
	s.disabled = err
	s.mu.Unlock()
	if changed {
		s.log.write(slog.LevelError, "JetStream cannot write in this process, and starts again when it can", err.Error())
	}
}

// tryDir makes a directory, and tries whether that many bytes can be written there.
func tryDir(dir string, bytes int) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	path := filepath.Join(dir, ".room") // its name is in the error
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, bytes))
	return errors.Join(err, f.Close(), os.Remove(path))
}

// write writes a line about this server.
func (l *logger) write(level slog.Level, message, reason string) {
	var attrs []slog.Attr
	if reason != "" {
		attrs = append(attrs, slog.String("reason", l.secrets.Replace(reason)))
	}
	l.log.Client(context.Background(), level, message, attrs...)
}
