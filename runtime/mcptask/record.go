package mcptask

import (
	"slices"
	"time"
)

// Status is the status of a task.
type Status uint8

// A task works, or waits for answers of its client, until it has completed, failed or been
// cancelled.
const (
	Working Status = iota
	InputRequired
	Completed
	Failed
	Cancelled
)

var statusNames = [...]string{"working", "input_required", "completed", "failed", "cancelled"}

// String returns the name in the protocol.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "unknown"
}

// Ended reports whether the status is the last one of a task.
func (s Status) Ended() bool { return s >= Completed }

// Digest is a digest that names something without revealing it.
type Digest [16]byte

// Key identifies a task. Tasks of different principals have different keys, even if their ids are
// equal.
type Key struct {
	Scope Digest // of the server and the principal
	ID    string // in the protocol
}

// Record is a task in a [Store]. Head and Sealed contain the data of the client and the handler,
// encrypted, so that a store cannot read it.
type Record struct {
	Key     Key
	Account Digest // tasks of one account count together for a [Quota]
	Server  string // the name of the server
	Tool    string
	Status  Status
	Created time.Time // stores may round times to milliseconds
	Expires time.Time // time when the store deletes the task

	// Ready means that the task waits for a process to run it. A task with an Owner is not Ready; a
	// task without an Owner that is not Ready waits for answers, or is finished.
	Ready bool
	// Owner is the process that runs the task, or "".
	Owner string
	// Attempt is the number of the run, from 1; 0 before the first one. Together with Owner, it
	// identifies a run of the task.
	Attempt int

	// Head contains the data for requests that look at the task, such as its message and open
	// questions: less than 1 KB without questions.
	Head []byte
	// Sealed contains the rest: the arguments, answers and values of a running task, and the result
	// of an ended task.
	Sealed []byte

	// Version is set by the store, and grows with each change of the record.
	Version uint64
}

// Clone returns a copy that shares nothing with r.
func (r *Record) Clone() *Record {
	c := *r
	c.Head, c.Sealed = slices.Clone(r.Head), slices.Clone(r.Sealed)
	return &c
}

// cloneHead returns a copy without Sealed.
func (r *Record) cloneHead() *Record {
	c := *r
	c.Head, c.Sealed = slices.Clone(r.Head), nil
	return &c
}

// recordSize is an upper bound for the size of a record without Head and Sealed.
const recordSize = 1 << 10

// Size returns the number of bytes that a record counts in [Room]: 1 KiB plus the sizes of Head and
// Sealed.
func (r *Record) Size() int64 { return recordSize + int64(len(r.Head)) + int64(len(r.Sealed)) }
