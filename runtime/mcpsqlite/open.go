package mcpsqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// Open opens the file, or creates it with mode 0600. A second file, with ".key" appended to the
// name, contains the keys that seal tasks of a server without its own state keys. A copy of the
// first file alone reveals no argument, answer or result.
//
// A write is on the disk when it returns (synchronous=FULL).
func Open(path string) (*Store, error) {
	s, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("mcpsqlite: open %s: %w", path, err)
	}
	return s, nil
}

func open(path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) // SQLite would create it readable for others
	if err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	key, err := readKey(path + ".key")
	if err != nil {
		return nil, err
	}
	options := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTime.Milliseconds()), "journal_mode(wal)", "synchronous(full)",
	}}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: options.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), busyTime)
	defer cancel()
	if err := migrate(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s := &Store{db: db, keys: [][]byte{key}, closed: make(chan struct{}), changed: make(chan struct{})}
	s.clean.Go(s.deleteExpired)
	return s, nil
}

// keySize is the size of a new key, in bytes.
const keySize = 32

// readKey reads the key from a file, or creates one.
func readKey(path string) ([]byte, error) {
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	// The file gets its name when it is complete, and never replaces another.
	made, err := os.CreateTemp(filepath.Dir(path), ".key-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(made.Name()) }()
	_, err = made.Write(key)
	if err = errors.Join(err, made.Sync(), made.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(made.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	// A database is unreadable without its key, so the name must survive a power cut. Not every
	// system can sync a folder.
	if folder, err := os.Open(filepath.Dir(path)); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
	key, err = os.ReadFile(path)
	if err == nil && len(key) != keySize {
		err = fmt.Errorf("%s has %d bytes, and a key has %d", path, len(key), keySize)
	}
	return key, err
}

// StateKeys returns the key from the file beside the database.
func (s *Store) StateKeys(context.Context) ([][]byte, error) { return s.keys, nil }

// deleteExpired deletes expired tasks until the store is closed.
func (s *Store) deleteExpired() {
	ticker := time.NewTicker(cleanTime)
	defer ticker.Stop()
	for {
		select {
		case <-s.closed:
			return
		case <-ticker.C:
		}
		s.writing.Lock()
		_, _ = s.db.Exec("DELETE FROM task WHERE expires <= ?", now()) // if it fails, the next run deletes them
		s.writing.Unlock()
	}
}
