package bookstore

import "context"

// Caller is the customer on whose behalf a request runs.
type Caller struct {
	Name string
}

// localCaller is the caller for a context without one: a server for one local user has no accounts.
var localCaller = Caller{Name: "local"}

type callerKey struct{}

// WithCaller returns a context with a caller. The code that authenticates requests calls it.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller of ctx, or the local caller, and ErrNameless for a caller without a
// name.
//
//mcp:inject
func CallerFrom(ctx context.Context) (Caller, error) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	if !ok {
		return localCaller, nil
	}
	if c.Name == "" {
		return Caller{}, ErrNameless
	}
	return c, nil
}
