package bookstore

import (
	"context"
	"database/sql"
	_ "embed" // for the schema
	"errors"
	"fmt"
	"net/url"
	"time"

	"modernc.org/sqlite" // also registers the driver
)

// schema are the tables behind the catalogue.
//
//mcp:resource books://schema title="Tables of the catalogue" group=catalogue mime=application/sql priority=0.2 cache=public ttl=24h
//go:embed schema.sql
var schema string

// Store is the shop: its catalogue, its stock and its reservations. It is safe for concurrent use.
type Store struct {
	db  *sql.DB
	now func() time.Time
	// wakes calls that wait for copies, in this process only
	stocked  bell
	watchers watchers
}

// Open opens the shop in the given SQLite file, or creates the file and fills it with classics.
// Without a file name the shop is in memory and lost after Close.
func Open(ctx context.Context, file string) (*Store, error) {
	db, err := sql.Open("sqlite", dataSource(file))
	if err != nil {
		return nil, fmt.Errorf("open bookstore: %w", err)
	}
	if file == "" {
		// A memory database belongs to its connection, so the pool has exactly one, which stays
		// open.
		db.SetMaxOpenConns(1)
	}
	s := &Store{db: db, now: time.Now}
	if err := s.fill(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open bookstore: %w", err), db.Close())
	}
	return s, nil
}

// OpenMemory opens a shop in memory, and returns the function that closes it.
//
//mcp:constructor
func OpenMemory(ctx context.Context) (*Store, func(), error) {
	s, err := Open(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	return s, func() { _ = s.Close() }, nil
}

// Close closes the database. Calls in progress fail.
func (s *Store) Close() error {
	return s.db.Close()
}

// dataSource formats the driver's options: transactions take the write lock when they begin, since
// one that upgrades later fails if another was faster.
func dataSource(file string) string {
	options := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"foreign_keys(1)", "busy_timeout(10000)"},
	}
	if file == "" {
		return "file::memory:?" + options.Encode()
	}
	options.Add("_pragma", "journal_mode(wal)")
	return "file:" + (&url.URL{Path: file}).EscapedPath() + "?" + options.Encode()
}

// fill creates the tables and the first books in an empty database. PRAGMA user_version records
// that this is done.
func (s *Store) fill(ctx context.Context) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return fmt.Errorf("read version: %w", err)
		}
		if version != 0 {
			return nil
		}
		if _, err := tx.ExecContext(ctx, schema); err != nil {
			return fmt.Errorf("create tables: %w", err)
		}
		if err := seed(ctx, tx, s.now()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "PRAGMA user_version = 1")
		return err
	})
}

// transact runs f in a transaction, which is rolled back if f fails.
func (s *Store) transact(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	if err := f(tx); err != nil {
		return errors.Join(err, rollback(tx))
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit transaction: %w", err)
	}
	return nil
}

// rollback rolls tx back. A transaction whose context is cancelled is rolled back already.
func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}

// violatesUnique reports whether err is SQLite's SQLITE_CONSTRAINT_UNIQUE.
func violatesUnique(err error) bool {
	const constraintUnique = 2067
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == constraintUnique
}
