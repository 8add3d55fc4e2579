package mcptask

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Errors of a [Store].
var (
	// ErrExists is the error of Create for a key that is in use.
	ErrExists = errors.New("mcptask: the task exists")
	// ErrTooMany is the error of Create if the [Quota] is used up.
	ErrTooMany = errors.New("mcptask: too many tasks")
	// ErrNotFound means that there is no such task, or that it has expired.
	ErrNotFound = errors.New("mcptask: no such task")
	// ErrConflict is the error of Update if the record has changed: Get it and try again.
	ErrConflict = errors.New("mcptask: the task has changed")
	// ErrLeaseLost is the error of Renew if the run is no longer the one of the task.
	ErrLeaseLost = errors.New("mcptask: another process runs the task, or it has ended")
	// ErrStoreClosed is the error of every method after Close.
	ErrStoreClosed = errors.New("mcptask: the store is closed")
)

// Quota is how many tasks there may be that have not ended, with a new one. Zero means any number.
type Quota struct {
	Account int // of the account of the new task
	Total   int // of all accounts
}

// Claim is what a process looks for.
type Claim struct {
	Owner  string // the process
	Lease  time.Duration
	Server string
	Tools  []string // that the process has
}

// Store has the tasks of any number of processes. Package storetest tests implementations.
//
// The methods may be called by several goroutines, and return when ctx ends. A store retains
// neither the records that it is given nor those that it returns. Leases are measured by one
// clock, the store's; the processes may have others.
type Store interface {
	// Create adds a task and sets its Version. When it returns, every process finds the task. The
	// check of the quota and the addition are one step. A record with an Owner is leased to it
	// for lease. The error is [ErrExists], [ErrTooMany] or another one of the store.
	Create(ctx context.Context, r *Record, q Quota, lease time.Duration) error
	// Get returns a task.
	Get(ctx context.Context, k Key) (*Record, error)
	// Update replaces a task whose Version is that of r, and sets that of r to the next one. It
	// can end a run by an empty Owner, which ends the lease, but not begin one: an Owner must be
	// that of the task, with the Attempt. The lease goes on, or stays ended. The error is
	// [ErrConflict], [ErrNotFound] or another one of the store.
	Update(ctx context.Context, r *Record) error
	// Watch returns the task as it is now, and again after changes. It may leave out all but
	// the last of several changes. The sequence ends with an error: [ErrNotFound] when the task
	// expires, or that of ctx.
	Watch(ctx context.Context, k Key) iter.Seq2[*Record, error]
	// Claim waits for a task of the server and one of the tools that is Ready, or whose lease has
	// ended. It makes the process its owner for the lease, adds one to Attempt, and returns it.
	// Tasks that have been Ready longer come first.
	Claim(ctx context.Context, c Claim) (*Record, error)
	// Renew begins the lease of a run again. Version stays the same. The error is [ErrLeaseLost]
	// if the task has another Owner or Attempt than r, or has expired.
	Renew(ctx context.Context, r *Record, lease time.Duration) error
	// CountActive counts the tasks of an account that have not ended.
	CountActive(ctx context.Context, account Digest) (int, error)
	// Close ends all calls with [ErrStoreClosed].
	Close() error
}
