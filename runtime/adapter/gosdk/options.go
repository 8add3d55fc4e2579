package gosdk

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type (
	subscribeHandler   = func(context.Context, *sdk.SubscribeRequest) error
	unsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error
	completionHandler  = func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error)
)

// Subscribable returns a copy of a server's options, which may be nil, and adds the functions that
// clients need to subscribe to resources of mounts, and to complete the arguments of their prompts
// and templates. The SDK calls these functions after all middleware, and they cannot be added
// later.
//
// Clients can subscribe to URIs of resources and templates, including the SDK server's own; others
// are refused. The largest [mcp.Limits] of the mounts limits the subscriptions of a session, and
// the bytes of their URIs. Before the first Mount, all subscriptions are refused.
//
// Existing functions in the options are kept: they are called for a subscription after the mounts,
// and they alone decide about URIs and arguments that no mount has.
func Subscribable(options *sdk.ServerOptions) *sdk.ServerOptions {
	o := sdk.ServerOptions{}
	if options != nil {
		o = *options
	}
	own := o
	completes := own.CompletionHandler != nil || own.Capabilities != nil && own.Capabilities.Completions != nil
	o.SubscribeHandler = func(ctx context.Context, req *sdk.SubscribeRequest) error {
		return passOf(ctx).subscribe(ctx, req, own.SubscribeHandler)
	}
	o.UnsubscribeHandler = func(ctx context.Context, req *sdk.UnsubscribeRequest) error {
		return passOf(ctx).unsubscribe(ctx, req, own.UnsubscribeHandler)
	}
	o.CompletionHandler = func(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
		return passOf(ctx).complete(ctx, req, own.CompletionHandler)
	}
	o.SetCacheable = func(ctx context.Context, req sdk.Request, c *sdk.Cacheable) {
		if found, ok := ctx.Value(optionsKey{}).(*hostOptions); ok {
			found.filledIn, found.completes = true, completes
		}
		if own.SetCacheable != nil {
			own.SetCacheable(ctx, req, c)
		}
	}
	return &o
}

// pass carries the data of a request through the middleware to a function of Subscribable. Its
// methods may be called on nil, if the request has bypassed the middleware of a host.
type pass struct {
	host   *host
	listen *listening // nil except for subscriptions/listen
}

type passKey struct{}

// in returns a context with the pass.
func (p *pass) in(ctx context.Context) context.Context { return context.WithValue(ctx, passKey{}, p) }

func passOf(ctx context.Context) *pass {
	p, _ := ctx.Value(passKey{}).(*pass)
	return p
}
