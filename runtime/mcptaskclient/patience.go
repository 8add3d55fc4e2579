package mcptaskclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// This file sends requests for a task again while its server is unreachable, or cannot use its
// store. The task continues in the meantime, or will continue: another replica of the server may
// run it.

// patience limits the time for which requests for a task may fail, beyond the attempts of
// [mcpclient.Retry].
const patience = time.Minute

// patiently calls a function until it succeeds, fails permanently, or has failed for [patience]. It
// pauses between calls.
func (w *waiter) patiently(ctx context.Context, pause time.Duration, f func() error) error {
	for begin := time.Now(); ; {
		err := f()
		if err == nil || !isTemporary(err) || ctx.Err() != nil || time.Since(begin) >= patience {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
		case <-w.client.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// isTemporary reports whether a later request for a task may succeed.
func isTemporary(err error) bool {
	if errors.Is(err, mcpclient.ErrClosed) {
		return false
	}
	if _, lost := errors.AsType[*mcpclient.ConnectionError](err); lost {
		return true
	}
	if e, ok := errors.AsType[*mcpclient.StatusError](err); ok {
		switch e.Status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return false
	}
	// The reasons of mcpgen's servers, without a status: the store fails, or the replica of a
	// request was killed.
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || e.Code != jsonrpc.CodeInternal {
		return false
	}
	var data struct{ Reason string }
	return json.Unmarshal(e.Data, &data) == nil && slices.Contains([]string{"task store", "overloaded", "interrupted"}, data.Reason)
}
