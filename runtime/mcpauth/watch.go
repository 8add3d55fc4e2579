package mcpauth

import (
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/regularfile"
)

const (
	maxFileBytes = 16 << 20
	// lookTime is how often a file is looked at while it is used.
	lookTime = time.Second
	// coarseTime is how far the times of two changes of a file are apart at least, so that they
	// differ in every file system.
	coarseTime = 2 * time.Second
)

// watched is the content of a file, which is read again when it changes. A file that cannot be
// read is logged, and what was read before is kept.
type watched[T any] struct {
	path  string
	parse func([]byte) (T, error)
	wrong error // of reading it for the first time: an error of New

	mu      sync.Mutex
	log     *slog.Logger // nil is slog.Default
	value   T
	looked  time.Time
	read    time.Time
	changed time.Time // of the file that was read
	size    int64
}

// watch reads a file for the first time.
func watch[T any](path string, parse func([]byte) (T, error)) *watched[T] {
	w := &watched[T]{path: path, parse: parse}
	w.wrong = w.load()
	return w
}

// configuration is for New.
func (w *watched[T]) configuration() error { return w.wrong }

// logTo sets the log, for New.
func (w *watched[T]) logTo(l *slog.Logger) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = l
}

// load reads the file. The caller holds the lock, or is the only one.
func (w *watched[T]) load() error {
	w.looked, w.read = time.Now(), time.Now()
	if info, err := os.Stat(w.path); err == nil {
		w.changed, w.size = info.ModTime(), info.Size()
	}
	text, err := regularfile.ReadWithin(w.path, maxFileBytes)
	if err != nil {
		return err
	}
	value, err := w.parse(text)
	if err != nil {
		return err
	}
	w.value = value
	return nil
}

// get returns the content.
func (w *watched[T]) get() T {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wrong != nil || time.Since(w.looked) < lookTime {
		return w.value
	}
	w.looked = time.Now()
	info, err := os.Stat(w.path)
	if err == nil && info.ModTime().Equal(w.changed) && info.Size() == w.size && w.read.Sub(w.changed) > coarseTime {
		return w.value
	}
	if err == nil || !w.changed.IsZero() { // a file that has gone is logged once
		if err = w.load(); err != nil {
			loggerOr(w.log).Error("a file cannot be read again: what it had before holds", slog.String("file", w.path), slog.Any("error", err))
		}
	}
	if os.IsNotExist(err) {
		w.changed = time.Time{}
	}
	return w.value
}
