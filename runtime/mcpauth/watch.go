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
	// lookTime is the minimum time between two checks of a file in use.
	lookTime = time.Second
	// coarseTime is the minimum time between two changes of a file whose modification times differ
	// in every file system.
	coarseTime = 2 * time.Second
)

// watched is the parsed content of a file, which is read again when it changes. If the file cannot
// be read, watched logs that and keeps the previous content.
type watched[T any] struct {
	path  string
	parse func([]byte) (T, error)
	wrong error // of the first read: an error of New

	mu      sync.Mutex
	log     *slog.Logger // nil is slog.Default
	value   T
	looked  time.Time
	read    time.Time
	changed time.Time // modification time of the file that was read
	size    int64
}

// watch reads a file for the first time.
func watch[T any](path string, parse func([]byte) (T, error)) *watched[T] {
	w := &watched[T]{path: path, parse: parse}
	w.wrong = w.load()
	return w
}

// configuration is called by New.
func (w *watched[T]) configuration() error { return w.wrong }

// logTo sets the log, for New.
func (w *watched[T]) logTo(l *slog.Logger) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = l
}

// load reads the file. The caller holds the lock, or has exclusive access.
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
	if err == nil || !w.changed.IsZero() { // a missing file is logged once
		if err = w.load(); err != nil {
			loggerOr(w.log).Error("a file cannot be read again: what it had before holds", slog.String("file", w.path), slog.Any("error", err))
		}
	}
	if os.IsNotExist(err) {
		w.changed = time.Time{}
	}
	return w.value
}
