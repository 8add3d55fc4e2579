package bookstore

import "context"

// Caller is the customer on whose behalf something is done.
type Caller struct {
	Name string
}

// localCaller is who calls when nobody said otherwise: a server that one person
// runs for herself has no accounts.
var localCaller = Caller{Name: "local"}

type callerKey struct{}

// WithCaller returns a context in which everything is done for the given
// caller. Whoever authenticates requests calls it.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller of ctx, the local one where there is none, and
// ErrNameless for one without a name.
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
