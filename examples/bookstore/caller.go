package bookstore

import "context"

// Caller is the customer on whose behalf something is done.
type Caller struct {
	Name string
}

// localCaller is the caller of a context without one: a server that one person runs for herself has
// no accounts.
var localCaller = Caller{Name: "local"}

type callerKey struct{}

// WithCaller returns a context in which everything is done for the given caller. The code that
// authenticates requests calls it.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller of ctx, the local one if there is none, and ErrNameless for one
// without a name.
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
