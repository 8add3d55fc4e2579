package mcpsqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// Claim implements [mcptask.Store].
func (s *Store) Claim(ctx context.Context, c mcptask.Claim) (*mcptask.Record, error) {
	for {
		changed := s.change()
		r, err := s.claim(ctx, &c)
		if r != nil || err != nil {
			return r, err
		}
		s.wait(ctx, changed, c.Other)
	}
}

// claim claims a task, or returns nil without one. It reads before it writes, since writing needs
// the lock of the file.
func (s *Store) claim(ctx context.Context, c *mcptask.Claim) (*mcptask.Record, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	switch _, err := claimable(ctx, s.db, c); {
	case errors.Is(err, mcptask.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, s.failed(ctx, err)
	}
	var claimed *mcptask.Record
	err := s.write(ctx, func(tx *sql.Tx) error {
		r, err := claimable(ctx, tx, c)
		if err != nil {
			return err
		}
		r.Ready, r.Owner = false, c.Owner
		r.Attempt++
		r.Version++
		_, err = tx.ExecContext(ctx, "UPDATE task SET ready = 0, owner = ?, attempt = ?, version = ?, lease = ? WHERE scope = ? AND id = ?",
			r.Owner, r.Attempt, r.Version, now()+c.Lease.Milliseconds(), r.Key.Scope[:], r.Key.ID)
		claimed = r
		return err
	})
	if errors.Is(err, mcptask.ErrNotFound) { // another process was faster
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

// claimable returns the next task to claim: of the accounts that have a turn, the account with the
// fewest runs, and of its tasks the one that has waited longest.
func claimable(ctx context.Context, q queryer, c *mcptask.Claim) (*mcptask.Record, error) {
	if len(c.Tools) == 0 {
		return nil, mcptask.ErrNotFound
	}
	args := []any{c.Server, now(), now()}
	for _, tool := range c.Tools {
		args = append(args, tool)
	}
	const since = "CASE WHEN ready > 0 THEN ready ELSE lease END"
	from := ` FROM task WHERE server = ? AND expires > ? AND ended = 0
		AND (ready > 0 AND owner = '' OR lease > 0 AND lease <= ?) AND tool IN (?` + strings.Repeat(",?", len(c.Tools)-1) + ")"
	account, err := nextAccount(ctx, q, c, "SELECT account"+from+" GROUP BY account ORDER BY min("+since+"), min(created), min(id)", args)
	if err != nil {
		return nil, err
	}
	return scan(q.QueryRowContext(ctx, "SELECT "+columns+from+" AND account = ? ORDER BY "+since+", created, id LIMIT 1", append(args, account)...), withSealed)
}

// nextAccount returns the account whose task is claimed next. query returns the candidates in the
// order in which they wait.
func nextAccount(ctx context.Context, q queryer, c *mcptask.Claim, query string, args []any) (next []byte, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	fewest := 0
	for rows.Next() {
		var account []byte
		if err := rows.Scan(&account); err != nil {
			return nil, err
		}
		var d mcptask.Digest
		copy(d[:], account)
		if active, ok := c.TurnOf(d); ok && (next == nil || active < fewest) {
			next, fewest = account, active
		}
	}
	if next == nil && rows.Err() == nil {
		return nil, mcptask.ErrNotFound
	}
	return next, rows.Err()
}
