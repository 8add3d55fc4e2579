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

// This file restarts the server after failed writes, for instance on a full disk. Then JetStream
// ends and the server continues without it, or a stream accepts no more writes. After that, its
// copies are outdated, and only a restart repairs them.

const (
	// lookTime is the time between two checks of JetStream.
	lookTime = time.Second
	// minPause and maxPause limit the time between two restarts, if JetStream ends soon after each.
	minPause, maxPause = 2 * time.Second, time.Minute
	// roomToStart is the free space in bytes that the directory needs before a restart.
	roomToStart = 8 << 20
)

// errDisabled is returned for a server without JetStream whose directory is writable.
var errDisabled = errors.New("JetStream has ended by itself")

// Ready returns an error if JetStream cannot write in this process: the directory is full, or
// read-only. The server restarts by itself when it can. Ready returns nil while JetStream is
// running, even if other servers are missing: mcpnats.Cluster.Ready reports that.
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

// failure returns the reason for a restart, or nil. The caller holds the lock.
func (s *Server) failure() error {
	switch {
	case s.failed != "":
		return errors.New(s.failed)
	case !s.server.JetStreamEnabled():
		return errDisabled
	}
	return nil
}

// writeFailed records the server's log line about a failed write.
func (s *Server) writeFailed(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == "" {
		s.failed = text
	}
}

// watch restarts the server after the end of JetStream, until the server is closed.
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
			one.LameDuckShutdown() // transfers leaderships first
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

// disable records why JetStream is not running, and logs a new or changed reason.
func (s *Server) disable(err error) {
	s.mu.Lock()
	changed := s.disabled == nil || s.disabled.Error() != err.Error()
	s.disabled = err
	s.mu.Unlock()
	if changed {
		s.log.write(slog.LevelError, "JetStream cannot write in this process, and starts again when it can", err.Error())
	}
}

// tryDir creates a directory, and checks that it has room for the given bytes.
func tryDir(dir string, bytes int) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	path := filepath.Join(dir, ".room") // the error contains the name
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
