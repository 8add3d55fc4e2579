package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// An error counts as an end only if it is the cancellation of its context, by its client and not by
// a timeout.
func TestIsEnd(t *testing.T) {
	gone, failed := errors.New("gone"), errors.New("failed")
	ended := func(cause error) context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		return ctx
	}
	expired, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	<-expired.Done()
	for name, row := range map[string]struct {
		ctx  context.Context
		err  error
		want bool
	}{
		"live, an error":         {t.Context(), failed, false},
		"live, Canceled":         {t.Context(), context.Canceled, false}, // an error of another context
		"ended, its cause":       {ended(gone), fmt.Errorf("read: %w", gone), true},
		"ended, Canceled":        {ended(gone), context.Canceled, true},
		"ended, a wrapped cause": {ended(fmt.Errorf("by its client: %w", gone)), gone, true},
		"ended, another error":   {ended(gone), failed, false},
		"too long":               {ended(fmt.Errorf("%w after 1s", mcp.ErrTimeout)), context.Canceled, false},
		"too long, its cause":    {ended(mcp.ErrTimeout), mcp.ErrTimeout, false},
		"a deadline":             {expired, context.Canceled, false},
		"a deadline, its error":  {expired, expired.Err(), false},
	} {
		if got := mcp.IsEnd(row.ctx, row.err); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
}
