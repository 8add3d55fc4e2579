package mcptask

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
)

// propagator is a pair of functions of [WithContextPropagator].
type propagator struct {
	save    func(context.Context) ([]byte, error)
	restore func(context.Context, []byte) (context.Context, error)
}

// saveContext stores the results of all propagators for the context of a call.
func saveContext(ctx context.Context, all []propagator, w *taskcall.Work) error {
	for i, p := range all {
		saved, err := p.save(ctx)
		switch {
		case err != nil:
			return err
		case i == 0:
			w.Context = saved
		default:
			w.Contexts = append(w.Contexts, saved)
		}
	}
	return nil
}

// restoreContext returns the context of a run, with the values of all propagators. A process with
// fewer propagators may have stored the task.
func restoreContext(ctx context.Context, all []propagator, w *taskcall.Work) (context.Context, error) {
	for i, p := range all {
		var saved []byte
		switch {
		case i == 0:
			saved = w.Context
		case i <= len(w.Contexts):
			saved = w.Contexts[i-1]
		}
		var err error
		if ctx, err = p.restore(ctx, saved); err != nil {
			return nil, err
		}
	}
	return ctx, nil
}
