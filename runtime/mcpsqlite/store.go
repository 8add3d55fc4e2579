package mcpsqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

const (
	// pollTime is the interval at which Claim and Watch look for changes of other processes.
	// Changes of this process are noticed immediately.
	pollTime = 250 * time.Millisecond
	// cleanTime is the interval at which expired tasks are deleted.
	cleanTime = time.Minute
	// busyTime limits how long a write waits for another process.
	busyTime = 10 * time.Second
)

// Store is a [mcptask.Store] and a mcp.KeySource. Its methods are safe for concurrent use.
type Store struct {
	db     *sql.DB
	keys   [][]byte
	closed chan struct{}
	clean  sync.WaitGroup

	writing sync.Mutex // serializes writes of this process, so that they do not wait by polling

	mu      sync.Mutex
	over    bool
	changed chan struct{} // closed and replaced after each write of this process
}

func now() int64 { return time.Now().UnixMilli() }

// write runs a writing transaction.
func (s *Store) write(ctx context.Context, f func(tx *sql.Tx) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.failed(ctx, err)
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback()
		return s.failed(ctx, err)
	}
	if err := tx.Commit(); err != nil {
		return s.failed(ctx, err)
	}
	s.notify()
	return nil
}

// failed returns the error of a failed operation.
func (s *Store) failed(ctx context.Context, err error) error {
	if over := s.usable(ctx); over != nil {
		return over
	}
	return err
}

// usable returns an error if an operation cannot begin.
func (s *Store) usable(ctx context.Context) error {
	select {
	case <-s.closed:
		return mcptask.ErrStoreClosed
	default:
		return context.Cause(ctx)
	}
}

// Columns of a record.
const (
	headColumns = "scope, id, account, server, tool, status, created, expires, ready, owner, attempt, version, head"
	columns     = headColumns + ", sealed"
)

// scan reads the columns of a record, and further ones.
func scan(row interface{ Scan(...any) error }, more func(*mcptask.Record) []any) (*mcptask.Record, error) {
	var r mcptask.Record
	var scope, account []byte
	var created, expires, ready int64
	to := []any{&scope, &r.Key.ID, &account, &r.Server, &r.Tool, &r.Status, &created, &expires, &ready, &r.Owner, &r.Attempt, &r.Version, &r.Head}
	err := row.Scan(append(to, more(&r)...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, mcptask.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	copy(r.Key.Scope[:], scope)
	copy(r.Account[:], account)
	r.Created, r.Expires, r.Ready = time.UnixMilli(created), time.UnixMilli(expires), ready > 0
	return &r, nil
}

// queryer is a database or a transaction.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// withSealed and headOnly return the destinations of [scan] beyond headColumns.
func withSealed(r *mcptask.Record) []any { return []any{&r.Sealed} }

func headOnly(*mcptask.Record) []any { return nil }

const whereKey = " FROM task WHERE scope = ? AND id = ? AND expires > ?"

func get(ctx context.Context, q queryer, k mcptask.Key) (*mcptask.Record, error) {
	return scan(q.QueryRowContext(ctx, "SELECT "+columns+whereKey, k.Scope[:], k.ID, now()), withSealed)
}

func getHead(ctx context.Context, q queryer, k mcptask.Key) (*mcptask.Record, error) {
	return scan(q.QueryRowContext(ctx, "SELECT "+headColumns+whereKey, k.Scope[:], k.ID, now()), headOnly)
}

// readyAt is the value of the column ready.
func readyAt(r *mcptask.Record) int64 {
	if !r.Ready {
		return 0
	}
	return now()
}

// Create implements [mcptask.Store].
func (s *Store) Create(ctx context.Context, r *mcptask.Record, q mcptask.Quota, lease time.Duration) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		switch _, err := getHead(ctx, tx, r.Key); {
		case err == nil:
			return mcptask.ErrExists
		case !errors.Is(err, mcptask.ErrNotFound):
			return err
		}
		if !r.Status.Ended() {
			if err := within(ctx, tx, q, r.Account); err != nil {
				return err
			}
		}
		var ends int64
		if r.Owner != "" && !r.Status.Ended() {
			ends = now() + lease.Milliseconds()
		}
		r.Version = 1
		// An existing task with this key has expired.
		if _, err := tx.ExecContext(ctx, "DELETE FROM task WHERE scope = ? AND id = ?", r.Key.Scope[:], r.Key.ID); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO task ("+columns+", ended, ended_at, bytes, lease) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			r.Key.Scope[:], r.Key.ID, r.Account[:], r.Server, r.Tool, r.Status, r.Created.UnixMilli(), r.Expires.UnixMilli(), readyAt(r),
			r.Owner, r.Attempt, r.Version, blob(r.Head), blob(r.Sealed), r.Status.Ended(), endedAt(r), r.Size(), ends)
		return err
	})
}

// endedAt returns the value of the column ended_at for a task that has not ended before.
func endedAt(r *mcptask.Record) int64 {
	if !r.Status.Ended() {
		return 0
	}
	return now()
}

// blob returns the stored form of a part of a record, which is never NULL.
func blob(part []byte) []byte {
	if part == nil {
		return []byte{}
	}
	return part
}

// within returns an error if a quota is exhausted.
func within(ctx context.Context, tx *sql.Tx, q mcptask.Quota, account mcptask.Digest) error {
	for _, limit := range []struct {
		most  int
		where string
		args  []any
	}{{q.Account, " AND account = ?", []any{account[:]}}, {q.Total, "", nil}} {
		if limit.most == 0 {
			continue
		}
		n, err := count(ctx, tx, limit.where, limit.args...)
		if err != nil {
			return err
		}
		if n >= limit.most {
			return mcptask.ErrTooMany
		}
	}
	return nil
}

// count counts unfinished tasks.
func count(ctx context.Context, q queryer, where string, args ...any) (n int, err error) {
	err = q.QueryRowContext(ctx, "SELECT count(*) FROM task WHERE ended = 0 AND expires > ?"+where, append([]any{now()}, args...)...).Scan(&n)
	return n, err
}

// Get implements [mcptask.Store].
func (s *Store) Get(ctx context.Context, k mcptask.Key) (*mcptask.Record, error) {
	return s.read(ctx, k, get)
}

// GetHead implements [mcptask.HeadStore].
func (s *Store) GetHead(ctx context.Context, k mcptask.Key) (*mcptask.Record, error) {
	return s.read(ctx, k, getHead)
}

func (s *Store) read(ctx context.Context, k mcptask.Key, get func(context.Context, queryer, mcptask.Key) (*mcptask.Record, error)) (*mcptask.Record, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	r, err := get(ctx, s.db, k)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	return r, nil
}

// Update implements [mcptask.Store].
func (s *Store) Update(ctx context.Context, r *mcptask.Record) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		before, err := getHead(ctx, tx, r.Key)
		if err != nil {
			return err
		}
		if before.Version != r.Version || r.Owner != "" && (r.Owner != before.Owner || r.Attempt != before.Attempt) {
			return mcptask.ErrConflict
		}
		lease := "lease"
		if r.Owner == "" || r.Status.Ended() {
			lease = "0"
		}
		ready := readyAt(r)
		if ready > 0 && before.Ready {
			ready = 0 // the task keeps its place in the queue
		}
		_, err = tx.ExecContext(ctx, `UPDATE task SET account = ?, server = ?, tool = ?, status = ?, ended = ?,
			ended_at = CASE WHEN ended_at > 0 THEN ended_at ELSE ? END, bytes = ?, created = ?, expires = ?,
			ready = CASE WHEN ? THEN ready ELSE ? END, owner = ?, attempt = ?, lease = `+lease+`, version = ?, head = ?, sealed = ? WHERE scope = ? AND id = ?`,
			r.Account[:], r.Server, r.Tool, r.Status, r.Status.Ended(), endedAt(r), r.Size(), r.Created.UnixMilli(), r.Expires.UnixMilli(),
			before.Ready && readyAt(r) > 0, ready, r.Owner, r.Attempt, r.Version+1, blob(r.Head), blob(r.Sealed), r.Key.Scope[:], r.Key.ID)
		if err == nil {
			r.Version++
		}
		return err
	})
}

// Renew implements [mcptask.Store].
func (s *Store) Renew(ctx context.Context, r *mcptask.Record, lease time.Duration) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE task SET lease = ? WHERE scope = ? AND id = ? AND expires > ? AND ended = 0
			AND owner <> '' AND owner = ? AND attempt = ?`, now()+lease.Milliseconds(), r.Key.Scope[:], r.Key.ID, now(), r.Owner, r.Attempt)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); n != 1 || err != nil {
			return errors.Join(err, mcptask.ErrLeaseLost)
		}
		return nil
	})
}

// CountActive implements [mcptask.Store].
func (s *Store) CountActive(ctx context.Context, account mcptask.Digest) (int, error) {
	if err := s.usable(ctx); err != nil {
		return 0, err
	}
	n, err := count(ctx, s.db, " AND account = ?", account[:])
	if err != nil {
		return 0, s.failed(ctx, err)
	}
	return n, nil
}

// Close implements [mcptask.Store]. Other processes may continue to use the file.
func (s *Store) Close() error {
	s.mu.Lock()
	first := !s.over
	s.over = true
	s.mu.Unlock()
	if !first {
		return nil
	}
	close(s.closed)
	s.clean.Wait()
	s.writing.Lock() // waits for a write in progress
	defer s.writing.Unlock()
	return s.db.Close()
}
