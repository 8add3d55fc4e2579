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

// Subscribable returns a copy of the options of a server, which may be nil, with the functions without
// which clients cannot subscribe to resources of mounts, nor complete the arguments of their prompts
// and templates. The SDK calls them behind all middleware, and nothing can add them later.
//
// Clients subscribe to URIs of resources and templates, those of the SDK's server included; others are
// refused. A session has as many subscriptions, and as many bytes of URIs, as the largest
// [mcp.Limits] of its mounts allow. Before the first Mount, all are refused.
//
// Functions that the options have stay: what they return for a subscription counts after that of the
// mounts, and they alone decide about URIs and arguments that no mount has.
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

// pass is what a request has, on its way through the middleware, for a function of Subscribable. Its
// methods may be called for nil, where the request has come past the middleware of a host.
type pass struct {
	host   *host
	listen *listening // nil but for subscriptions/listen
}

type passKey struct{}

// in returns a context with the pass.
func (p *pass) in(ctx context.Context) context.Context { return context.WithValue(ctx, passKey{}, p) }

func passOf(ctx context.Context) *pass {
	p, _ := ctx.Value(passKey{}).(*pass)
	return p
}
