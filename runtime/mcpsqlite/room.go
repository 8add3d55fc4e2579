package mcpsqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// all is the key of the sum over all accounts in the table kept.
var all = []byte{}

// MakeRoom implements [mcptask.Store].
func (s *Store) MakeRoom(ctx context.Context, n mcptask.Need) error {
	enough, err := s.hasRoom(ctx, &n)
	if enough || err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM task WHERE expires <= ?", now()); err != nil {
			return err
		}
		for {
			own, err := exceeded(ctx, tx, n.Account[:], &n, n.Room.Tasks, n.Room.Bytes)
			if err != nil {
				return err
			}
			total, err := exceeded(ctx, tx, all, &n, n.Room.TotalTasks, n.Room.TotalBytes)
			switch {
			case err != nil:
				return err
			case own:
				err = deleteOldest(ctx, tx, n.Account[:])
			case total:
				err = deleteOldest(ctx, tx, nil)
			default:
				return nil
			}
			if err != nil {
				return err // and nothing is deleted
			}
		}
	})
}

// hasRoom reports whether nothing needs to be deleted. It does not lock the file.
func (s *Store) hasRoom(ctx context.Context, n *mcptask.Need) (bool, error) {
	if err := s.usable(ctx); err != nil {
		return false, err
	}
	own, err := exceeded(ctx, s.db, n.Account[:], n, n.Room.Tasks, n.Room.Bytes)
	if err != nil || own {
		return false, s.failed(ctx, err)
	}
	total, err := exceeded(ctx, s.db, all, n, n.Room.TotalTasks, n.Room.TotalBytes)
	return err == nil && !total, s.failed(ctx, err)
}

// exceeded reports whether an account exceeds limits after the addition of n.
func exceeded(ctx context.Context, q queryer, account []byte, n *mcptask.Need, tasks int, bytes int64) (bool, error) {
	var kept int
	var size int64
	err := q.QueryRowContext(ctx, "SELECT tasks, bytes FROM kept WHERE account = ?", account).Scan(&kept, &size)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	return tasks > 0 && kept+n.Tasks > tasks || bytes > 0 && size+n.Bytes > bytes, nil
}

// deleteOldest deletes the task of an account that ended first; without an account, of the account
// that stores the most bytes.
func deleteOldest(ctx context.Context, tx *sql.Tx, account []byte) error {
	const hasEnded = "SELECT 1 FROM task WHERE task.account = kept.account AND ended_at > 0"
	if account == nil {
		err := tx.QueryRowContext(ctx, "SELECT account FROM kept WHERE account <> x'' AND EXISTS ("+hasEnded+") ORDER BY bytes DESC LIMIT 1").Scan(&account)
		if errors.Is(err, sql.ErrNoRows) {
			return mcptask.ErrTooMany
		}
		if err != nil {
			return err
		}
	}
	result, err := tx.ExecContext(ctx, `DELETE FROM task WHERE (scope, id) IN
		(SELECT scope, id FROM task WHERE account = ? AND ended_at > 0 ORDER BY ended_at, created, id LIMIT 1)`, account)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); n != 1 || err != nil {
		return errors.Join(err, mcptask.ErrTooMany)
	}
	return nil
}
