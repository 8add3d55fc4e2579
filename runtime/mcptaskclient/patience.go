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

// This file sends requests for a task again while its server cannot be reached, or cannot use its store. The task
// goes on meanwhile, or will: another replica of the server may have it.

// patience is for how long requests for a task may fail, beyond the attempts of [mcpclient.Retry].
const patience = time.Minute

// patiently calls a function until it succeeds, fails in another way, or has failed for [patience], with pauses of that time.
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

// isTemporary reports whether a request for a task may succeed later.
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
	// The reasons of our servers, where there is no status: the store fails, or the replica of a request was killed.
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || e.Code != jsonrpc.CodeInternal {
		return false
	}
	var data struct{ Reason string }
	return json.Unmarshal(e.Data, &data) == nil && slices.Contains([]string{"task store", "overloaded", "interrupted"}, data.Reason)
}
