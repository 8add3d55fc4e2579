package dial

import (
	"context"
	"net/netip"
	"sync/atomic"
)

// Authorization is the state of an Authorizer over the attempts of one request, in the context of
// its methods. Except for Remote, one goroutine uses it at a time.
type Authorization struct {
	Logins int // tokens that were obtained for the request
	Nonces int // nonces for DPoP that the server requested
	// Remote is the address of the server, from the connection of the latest attempt. Nil if it is
	// unknown, as behind a proxy.
	Remote atomic.Pointer[netip.Addr]
}

type authorizationKey struct{}

// WithAuthorization returns a context for the methods of an Authorizer, for one request.
func WithAuthorization(ctx context.Context) (context.Context, *Authorization) {
	a := new(Authorization)
	return context.WithValue(ctx, authorizationKey{}, a), a
}

// AuthorizationOf returns the Authorization of a context, or a new one.
func AuthorizationOf(ctx context.Context) *Authorization {
	if a, ok := ctx.Value(authorizationKey{}).(*Authorization); ok {
		return a
	}
	return new(Authorization)
}
