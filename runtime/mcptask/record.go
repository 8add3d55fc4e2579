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

// Key identifies a task. Tasks of other principals have other keys, also if the ids are equal.
type Key struct {
	Scope Digest // of the server and the principal
	ID    string // in the protocol
}

// Record is a task in a [Store]. What the client or the handler has given is in Head and Sealed, which a
// store cannot read.
type Record struct {
	Key     Key
	Account Digest // tasks of one account count together for a [Quota]
	Server  string // the name of the server
	Tool    string
	Status  Status
	Created time.Time // a store may round times to milliseconds
	Expires time.Time // when the store deletes the task

	// Ready reports that the task waits for a process that runs it. A task that has an Owner is
	// not Ready; one without either waits for answers, or has ended.
	Ready bool
	// Owner is the process that runs the task, "" if none does.
	Owner string
	// Attempt is the number of the run, from 1; 0 before the first one. With Owner, it
	// identifies a run among those of the task.
	Attempt int

	// Head is what requests need that look at the task, such as its message and open questions: less than 1 KB without
	// those.
	Head []byte
	// Sealed is the rest: the arguments, answers and values of a task that runs, and the result of one that has ended.
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

// recordSize is what a record takes besides Head and Sealed, at most.
const recordSize = 1 << 10

// Size returns for how many bytes a record counts in [Room]: 1 KiB more than those of Head and Sealed.
func (r *Record) Size() int64 { return recordSize + int64(len(r.Head)) + int64(len(r.Sealed)) }
