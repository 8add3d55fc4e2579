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
	// ErrTooMany is the error of Create if the [Quota] is used up, and of MakeRoom without enough [Room].
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

// Room limits what a store keeps, tasks that have ended included: how many tasks, and their bytes by [Record.Size].
// Zero means any number.
type Room struct {
	Tasks, TotalTasks int // of the account, and of all accounts
	Bytes, TotalBytes int64
}

// Need is what is to be added to a store.
type Need struct {
	Account Digest
	Tasks   int   // 0 for a task that the store has
	Bytes   int64 // by which it grows
	Room    Room
}

// Claim is what a process looks for.
type Claim struct {
	Owner  string // the process
	Lease  time.Duration
	Server string
	Tools  []string // that the process has

	// Turn returns how many tasks of an account the process runs, and whether it runs another one now. It does not wait; nil
	// means 0 and true. Other has a value when a claim that waits is to ask again.
	Turn  func(account Digest) (active int, ok bool)
	Other <-chan struct{}
}

// TurnOf calls Turn, which may be nil.
func (c *Claim) TurnOf(account Digest) (active int, ok bool) {
	if c.Turn == nil {
		return 0, true
	}
	return c.Turn(account)
}

// Store has the tasks of any number of processes. TestTaskStore of package replicatest tests implementations.
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
	// ended, and whose account has its turn ([Claim]). It makes the process its owner for the lease, adds one to
	// Attempt, and returns it. Tasks of the account with the fewest active ones come first; among those, tasks
	// that have been Ready longer.
	Claim(ctx context.Context, c Claim) (*Record, error)
	// Renew begins the lease of a run again. Version stays the same. The error is [ErrLeaseLost]
	// if the task has another Owner or Attempt than r, or has expired.
	Renew(ctx context.Context, r *Record, lease time.Duration) error
	// MakeRoom deletes ended tasks until what is needed is within the limits: for those of the account its own, the
	// oldest first; then, for those of all accounts, the oldest one of the account that keeps the most bytes, again and
	// again. The age of a task is measured from its end or its creation. The error is [ErrTooMany] if that is not enough,
	// and then nothing is deleted. Tasks of other calls can be added before those of the caller.
	MakeRoom(ctx context.Context, n Need) error
	// CountActive counts the tasks of an account that have not ended.
	CountActive(ctx context.Context, account Digest) (int, error)
	// Close ends all calls with [ErrStoreClosed].
	Close() error
}

// HeadStore is a [Store] that reads tasks without Sealed, which is nil in the records that it returns. Requests that look at
// tasks use it, so that a poll does not read the arguments of the task.
type HeadStore interface {
	Store
	// GetHead is Get without Sealed.
	GetHead(ctx context.Context, k Key) (*Record, error)
	// WatchHead is Watch without Sealed.
	WatchHead(ctx context.Context, k Key) iter.Seq2[*Record, error]
}
