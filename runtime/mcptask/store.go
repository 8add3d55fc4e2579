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
	// ErrTooMany is the error of Create if the [Quota] is used up, and of MakeRoom if there is not
	// enough [Room].
	ErrTooMany = errors.New("mcptask: too many tasks")
	// ErrNotFound means that the task does not exist, or has expired.
	ErrNotFound = errors.New("mcptask: no such task")
	// ErrConflict is the error of Update if the record has changed: Get it and try again.
	ErrConflict = errors.New("mcptask: the task has changed")
	// ErrLeaseLost is the error of Renew if the run no longer owns the task.
	ErrLeaseLost = errors.New("mcptask: another process runs the task, or it has ended")
	// ErrStoreClosed is the error of every method after Close.
	ErrStoreClosed = errors.New("mcptask: the store is closed")
)

// Quota limits the tasks that have not ended, including a new one. Zero means no limit.
type Quota struct {
	Account int // of the account of the new task
	Total   int // of all accounts
}

// Room limits the stored tasks, including ended tasks, and their bytes by [Record.Size]. Zero means
// no limit.
type Room struct {
	Tasks, TotalTasks int // of the account of a new task, and of all accounts
	Bytes, TotalBytes int64
}

// Need is the space to be made in a store.
type Need struct {
	Account Digest
	Tasks   int   // 0 for a stored task that grows
	Bytes   int64 // bytes by which it grows
	Room    Room
}

// Claim describes the tasks that a process can run.
type Claim struct {
	Owner  string // name of the process
	Lease  time.Duration
	Server string
	Tools  []string // tools that the process has

	// Turn returns the number of running tasks of an account in the process, and whether the
	// process can run another one now. It does not wait; nil means 0 and true. Other receives a
	// value when a waiting claim must call Turn again.
	Turn  func(account Digest) (active int, ok bool)
	Other <-chan struct{}
}

// TurnOf calls Turn, or returns 0 and true if it is nil.
func (c *Claim) TurnOf(account Digest) (active int, ok bool) {
	if c.Turn == nil {
		return 0, true
	}
	return c.Turn(account)
}

// Store stores the tasks of any number of processes. TestTaskStore of package replicatest tests
// implementations.
//
// The methods may be called by several goroutines, and return when ctx is cancelled. A store
// retains neither the records that it gets nor the records that it returns. Leases are measured by
// one clock, the store's; the clocks of processes may differ.
type Store interface {
	// Create adds a task and sets its Version. When it returns, every process finds the task. The
	// check of the quota and the addition are one step. A record with an Owner is leased to it for
	// lease. The error is [ErrExists], [ErrTooMany] or an error of the store.
	Create(ctx context.Context, r *Record, q Quota, lease time.Duration) error
	// Get returns a task.
	Get(ctx context.Context, k Key) (*Record, error)
	// Update replaces a task that has the Version of r, and sets the Version of r to the next one.
	// It can end a run by an empty Owner, which ends the lease, but not begin one: an Owner must be
	// the present Owner, with the same Attempt. The lease goes on, or stays expired. The error is
	// [ErrConflict], [ErrNotFound] or an error of the store.
	Update(ctx context.Context, r *Record) error
	// Watch returns the task as it is now, and again after changes. It may leave out all but the
	// last of several changes. The sequence ends with an error: [ErrNotFound] when the task
	// expires, or the error of ctx.
	Watch(ctx context.Context, k Key) iter.Seq2[*Record, error]
	// Claim waits for a task of the server and one of the tools that is Ready, or whose lease has
	// expired, and whose account has its turn ([Claim]). It makes the process its owner for the
	// lease, adds one to Attempt, and returns it. Tasks of the account with the fewest active ones
	// come first; among those, tasks that have been Ready longer.
	Claim(ctx context.Context, c Claim) (*Record, error)
	// Renew begins the lease of a run again. Version stays the same. The error is [ErrLeaseLost] if
	// the task has another Owner or Attempt than r, or has expired.
	Renew(ctx context.Context, r *Record, lease time.Duration) error
	// MakeRoom deletes ended tasks until the needed space is within the limits: for the limits of
	// the account, its own tasks, the oldest first; then, for the limits of all accounts, the
	// oldest task of the account with the most bytes, again and again. The age of a task is
	// measured from its end or its creation. If that does not suffice, the error is [ErrTooMany],
	// and no task is deleted. Other calls may add tasks before the caller does.
	MakeRoom(ctx context.Context, n Need) error
	// CountActive counts the tasks of an account that have not ended.
	CountActive(ctx context.Context, account Digest) (int, error)
	// Close makes all calls return [ErrStoreClosed].
	Close() error
}

// HeadStore is a [Store] that reads tasks without Sealed, which is nil in the records that it
// returns. Requests that look at tasks use it, so that a poll does not read the arguments of the
// task.
type HeadStore interface {
	Store
	// GetHead is like Get without Sealed.
	GetHead(ctx context.Context, k Key) (*Record, error)
	// WatchHead is like Watch without Sealed.
	WatchHead(ctx context.Context, k Key) iter.Seq2[*Record, error]
}
