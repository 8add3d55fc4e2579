package subprocess

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

// endCheck is the interval at which the exit of the program is checked while its standard error
// stays open: another process may have inherited it.
const endCheck = time.Second

// stderr is the standard error of a program.
type stderr struct {
	file   *os.File
	to     io.Writer // nil after an error
	last   tail
	logger *slog.Logger
}

// copy reads to the end, or until the program exits.
func (s *stderr) copy(p *os.Process) {
	buf := make([]byte, 4<<10)
	_ = s.file.SetReadDeadline(time.Now().Add(endCheck))
	for {
		n, err := s.file.Read(buf)
		s.take(buf[:n])
		switch {
		case err == nil:
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return
		case hasEnded(p):
			s.rest(buf)
			return
		default:
			_ = s.file.SetReadDeadline(time.Now().Add(endCheck))
		}
	}
}

// rest reads the remaining output of a program that has exited.
func (s *stderr) rest(buf []byte) {
	_ = s.file.SetReadDeadline(time.Now().Add(grace))
	for {
		n, err := s.file.Read(buf)
		s.take(buf[:n])
		if err != nil {
			return
		}
	}
}

// take stores a part, and passes it on.
func (s *stderr) take(part []byte) {
	if len(part) == 0 {
		return
	}
	s.last.add(part)
	if s.to == nil {
		return
	}
	var err error
	usercode.Call(func() { _, err = s.to.Write(part) }, func(f usercode.Failure) {
		err = errors.New("panic: " + f.String())
	})
	if err != nil {
		s.to = nil
		s.logger.LogAttrs(context.Background(), slog.LevelWarn, "standard error of the server is not written any more", slog.Any("error", err))
	}
}

// tail stores the last bytes that are added. Its methods may be called by any goroutine.
type tail struct {
	limit int // bytes

	mu    sync.Mutex
	kept  []byte
	start int // index of the oldest byte, when kept is full
}

func (t *tail) add(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p = p[max(0, len(p)-t.limit):]
	if room := t.limit - len(t.kept); room > 0 {
		n := min(room, len(p))
		t.kept = append(t.kept, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(t.kept[t.start:], p)
		t.start = (t.start + n) % t.limit
		p = p[n:]
	}
}

// bytes returns the stored bytes.
func (t *tail) bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append(append(make([]byte, 0, len(t.kept)), t.kept[t.start:]...), t.kept[:t.start]...)
}
