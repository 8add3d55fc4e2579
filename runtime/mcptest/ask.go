package mcptest

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// answer sets the functions that answer the server.
func (c *Client) answer(o *mcpclient.Options) {
	if elicit := c.options.Elicit; elicit != nil {
		o.Elicit = func(ctx context.Context, e *mcpclient.Elicitation) (answer mcpclient.ElicitAnswer, err error) {
			answer = mcpclient.Cancel()
			c.ask(ctx, func(ctx context.Context) { answer = elicit(ctx, e) })
			return answer, nil
		}
		o.OpenURL = func(ctx context.Context, e *mcpclient.Elicitation) (mcp.ElicitAction, error) {
			answer, err := o.Elicit(ctx, e)
			return answer.Action, err
		}
	}
	if sample := c.options.Sample; sample != nil {
		o.SampleTools, o.SampleContext = true, true
		o.Sample = func(ctx context.Context, r *mcp.SampleRequest) (answer *mcp.SampleResult, err error) {
			c.ask(ctx, func(ctx context.Context) { answer, err = sample(ctx, r) })
			if answer == nil || answer.Model != "" {
				return answer, err
			}
			named := *answer
			named.Model = "mcptest"
			return &named, err
		}
	}
	if roots := c.options.Roots; roots != nil {
		o.Roots = func(ctx context.Context) (all []mcp.Root, err error) {
			c.ask(ctx, func(context.Context) { all = roots() })
			return all, nil
		}
	}
}

// ask calls a function of the test, unless the test is over. The function's context contains the
// values of Options.Context.
func (c *Client) ask(ctx context.Context, f func(context.Context)) {
	if !c.enter() {
		return
	}
	defer c.background.Done()
	own, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	defer stop()
	f(own)
}
