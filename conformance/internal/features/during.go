package features

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// step is the time between two notifications of a tool.
const step = 50 * time.Millisecond

// pause waits, or returns an error if the call ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// toolWithLogging logs three messages on its way.
//
//mcp:tool
func toolWithLogging(ctx context.Context) (string, error) {
	log := mcp.Logger(ctx)
	log.Info("Tool execution started")
	for _, message := range []string{"Tool processing data", "Tool execution completed"} {
		if err := pause(ctx, step); err != nil {
			return "", err
		}
		log.Info(message)
	}
	return "The tool has logged three messages.", nil
}

// loggingTool logs one message, for clients that want it.
//
//mcp:tool
func loggingTool(ctx context.Context) string {
	mcp.Logger(ctx).Info("One message")
	return "The tool has logged a message."
}

// toolWithProgress reports its progress: none, half, all.
//
//mcp:tool
func toolWithProgress(ctx context.Context) (string, error) {
	for _, done := range []float64{0, 50, 100} {
		if done > 0 {
			if err := pause(ctx, step); err != nil {
				return "", err
			}
		}
		mcp.Progress(ctx, done, 100, "")
	}
	return "The tool has reported its progress.", nil
}

// reconnection releases its stream half-way, so that the client reconnects for the result.
//
//mcp:tool
func reconnection(ctx context.Context) (string, error) {
	const back = 2 * step
	if err := pause(ctx, step); err != nil {
		return "", err
	}
	mcp.ReleaseStream(ctx, back)
	if err := pause(ctx, back+step); err != nil {
		return "", err
	}
	return "The stream was let go, and the result is here nevertheless.", nil
}
