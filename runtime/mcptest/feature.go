package mcptest

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// Tools returns the listed tools on all pages.
func (c *Client) Tools() []mcpclient.Tool {
	c.t.Helper()
	return has(c, protocol.ToolsList, c.client.Tools)
}

// Resources returns the listed resources on all pages.
func (c *Client) Resources() []mcpclient.Resource {
	c.t.Helper()
	return has(c, protocol.ResourcesList, c.client.Resources)
}

// Templates returns the listed resource templates on all pages.
func (c *Client) Templates() []mcpclient.Template {
	c.t.Helper()
	return has(c, protocol.ResourcesTemplatesList, c.client.Templates)
}

// Prompts returns the listed prompts on all pages.
func (c *Client) Prompts() []mcpclient.Prompt {
	c.t.Helper()
	return has(c, protocol.PromptsList, c.client.Prompts)
}

// has sends a request that must succeed.
func has[T any](c *Client, m protocol.Method, send func(context.Context, ...mcpclient.RequestOption) (T, error)) T {
	c.t.Helper()
	q, options := c.newRequest(m.String(), nil)
	result, err := send(q.in(context.Background()), options...)
	if err == nil {
		return result
	}
	err = c.reason(err)
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		c.t.Fatalf("mcptest: %s: the server refused: %v", m, e)
	}
	c.t.Fatalf("mcptest: %s: %v", m, err)
	return result
}

// StartRead starts reading a resource without waiting.
func (c *Client) StartRead(uri string, options ...RequestOption) *Running[mcp.ResourceResult] {
	c.t.Helper()
	method := protocol.ResourcesRead.String()
	q, below := c.newRequest(method, options)
	return start(c, method+" "+uri, q, func(ctx context.Context) (*mcp.ResourceResult, error) {
		return c.client.Read(ctx, uri, below...)
	})
}

// Read reads a resource.
func (c *Client) Read(uri string, options ...RequestOption) *mcp.ResourceResult {
	c.t.Helper()
	return c.StartRead(uri, options...).Wait()
}

// StartPrompt starts getting a prompt without waiting.
func (c *Client) StartPrompt(name string, arguments map[string]string, options ...RequestOption) *Running[mcp.PromptResult] {
	c.t.Helper()
	method := protocol.PromptsGet.String()
	q, below := c.newRequest(method, options)
	return start(c, method+" "+name, q, func(ctx context.Context) (*mcp.PromptResult, error) {
		return c.client.Prompt(ctx, name, arguments, below...)
	})
}

// Prompt gets a prompt.
func (c *Client) Prompt(name string, arguments map[string]string, options ...RequestOption) *mcp.PromptResult {
	c.t.Helper()
	return c.StartPrompt(name, arguments, options...).Wait()
}

// CompletePrompt completes the typed prefix of a prompt argument. given contains the arguments that
// already have a value; clients send them from revision 2025-06-18 on.
func (c *Client) CompletePrompt(prompt, argument, typed string, given map[string]string) mcp.Completion {
	c.t.Helper()
	return has(c, protocol.Complete, func(ctx context.Context, options ...mcpclient.RequestOption) (mcp.Completion, error) {
		return c.client.CompletePrompt(ctx, prompt, argument, typed, given, options...)
	})
}

// CompleteTemplate completes the typed prefix of a variable of a resource template, like
// [Client.CompletePrompt].
func (c *Client) CompleteTemplate(uriTemplate, variable, typed string, given map[string]string) mcp.Completion {
	c.t.Helper()
	return has(c, protocol.Complete, func(ctx context.Context, options ...mcpclient.RequestOption) (mcp.Completion, error) {
		return c.client.CompleteTemplate(ctx, uriTemplate, variable, typed, given, options...)
	})
}
