package testbed

import (
	"bytes"
	"log/slog"
	"sync"
)

// Log records log lines. It is safe for concurrent use.
type Log struct {
	// Ignore drops the records that contain this text, unless it is empty.
	Ignore string

	mu   sync.Mutex
	text bytes.Buffer
	held chan struct{} // closed when records are taken again; nil if they are not held
}

// Hold makes records wait until the function that it returns is called.
func (l *Log) Hold() (release func()) {
	held := make(chan struct{})
	set := func(to chan struct{}) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.held = to
	}
	set(held)
	return func() {
		set(nil)
		close(held)
	}
}

// Write adds a record.
func (l *Log) Write(record []byte) (int, error) {
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	if held != nil {
		<-held
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Ignore != "" && bytes.Contains(record, []byte(l.Ignore)) {
		return len(record), nil
	}
	return l.text.Write(record)
}

// String returns all records.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Logger returns a logger of all levels that writes to the log.
func (l *Log) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
