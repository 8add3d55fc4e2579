package mcphttp

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/transport"
)

// This file ends a handler: requests in progress first, then sessions and streams.

// Shutdown shuts the handler down gracefully. New requests get 503, and listens and other
// long-lived streams end. Requests in progress are answered, then sessions are closed, with their
// hooks (mcp.WithSessionHook). Questions to clients fail, since no answer can arrive; questions of
// sessions that replicas share ([WithSessionStore]) wait until two seconds before the deadline of
// ctx. If ctx is cancelled first, Shutdown closes the handler and returns the cause.
//
// Call it before [http.Server.Shutdown], which would wait for the long-lived streams.
func (h *core) Shutdown(ctx context.Context) error {
	h.stop()
	defer h.closeInput(ctx)()
	err := h.waitRequests(ctx, false)
	for _, se := range h.sessions.all() {
		if err == nil {
			err = drain(ctx, se.conn)
		}
		h.sessions.end(se)
	}
	if err == nil {
		err = h.waitRequests(ctx, true)
	}
	if err == nil && h.replicas != nil {
		err = h.replicas.Logs.Wait(ctx)
	}
	if err == nil {
		err = h.endings.Wait(ctx)
	}
	if err == nil {
		h.host.PublishChanges(ctx)
	}
	if err != nil {
		_ = h.Close()
	}
	return err
}

// answerMargin is the time before the deadline of Shutdown at which questions fail that wait for an
// answer by another replica.
const answerMargin = 2 * time.Second

// closeInput fails the questions to clients whose answers can no longer arrive: at once, or, if
// other replicas can receive them, shortly before the deadline of ctx.
func (h *core) closeInput(ctx context.Context) (stop func()) {
	closeAll := func() {
		for _, se := range h.sessions.all() {
			se.conn.InputClosed()
		}
	}
	deadline, bounded := ctx.Deadline()
	switch {
	case h.replicas == nil:
		closeAll()
	case bounded:
		timer := time.AfterFunc(time.Until(deadline)-answerMargin, closeAll)
		return func() { timer.Stop() }
	}
	return func() {}
}

// drain waits for handlers that are still running although no client waits for them.
func drain(ctx context.Context, conn transport.Conn) error {
	within := time.Duration(1<<63 - 1)
	if deadline, ok := ctx.Deadline(); ok {
		within = time.Until(deadline)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		conn.Drain(within)
	}()
	select {
	case <-drained:
		if conn.Active() == 0 {
			return nil
		}
		<-ctx.Done() // Drain has used the same deadline
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

// Close closes the handler at once: it cancels running calls and closes sessions. It does not wait.
// It always returns nil.
func (h *core) Close() error {
	h.stop()
	h.closeOnce.Do(func() { close(h.closed) })
	for _, se := range h.sessions.all() {
		h.sessions.end(se)
	}
	return nil
}

// stop refuses new requests and ends long-lived streams.
func (h *core) stop() {
	h.mu.Lock()
	h.closing = true
	h.mu.Unlock()
	h.bodies.Close()
	h.stopOnce.Do(func() { close(h.stopping) })
}
