package mcp

import (
	"context"
	"time"
)

// StateStore records the request states that have been used, so that a tool that is neither
// read-only nor idempotent does not run twice with the same state. Several processes with the same
// state keys need a common store. Many goroutines may call its methods at the same time.
type StateStore interface {
	// Consume records that the state is used, and reports whether this is the first use. The record
	// may be deleted after expires.
	Consume(ctx context.Context, id string, expires time.Time) (first bool, err error)
}
