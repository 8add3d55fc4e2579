package mcpclient

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Tools returns the tools on all pages of the list, or no tools if the server does not declare
// them. It returns tools with the same name once, and omits tools without a name or with a schema
// that is not an object; [Options.OnProtocolError] gets both.
func (c *Client) Tools(ctx context.Context, options ...RequestOption) ([]Tool, error) {
	return all(c.EachTool(ctx, options...))
}

// Resources returns the resources on all pages of the list, like [Client.Tools].
func (c *Client) Resources(ctx context.Context, options ...RequestOption) ([]Resource, error) {
	return all(c.EachResource(ctx, options...))
}

// Templates returns the resource templates on all pages of the list, like [Client.Tools].
func (c *Client) Templates(ctx context.Context, options ...RequestOption) ([]Template, error) {
	return all(c.EachTemplate(ctx, options...))
}

// Prompts returns the prompts on all pages of the list, like [Client.Tools].
func (c *Client) Prompts(ctx context.Context, options ...RequestOption) ([]Prompt, error) {
	return all(c.EachPrompt(ctx, options...))
}

// EachTool iterates over the tools, page by page: it requests a page when the caller has received
// all tools of the page before. An error is the last element.
func (c *Client) EachTool(ctx context.Context, options ...RequestOption) iter.Seq2[*Tool, error] {
	return each(ctx, c, protocol.ToolsList, toolPages, c.tools.keep, options)
}

// EachResource iterates over the resources, like [Client.EachTool].
func (c *Client) EachResource(ctx context.Context, options ...RequestOption) iter.Seq2[*Resource, error] {
	return each(ctx, c, protocol.ResourcesList, resourcePages, nil, options)
}

// EachTemplate iterates over the resource templates, like [Client.EachTool].
func (c *Client) EachTemplate(ctx context.Context, options ...RequestOption) iter.Seq2[*Template, error] {
	return each(ctx, c, protocol.ResourcesTemplatesList, templatePages, nil, options)
}

// EachPrompt iterates over the prompts, like [Client.EachTool].
func (c *Client) EachPrompt(ctx context.Context, options ...RequestOption) iter.Seq2[*Prompt, error] {
	return each(ctx, c, protocol.PromptsList, promptPages, nil, options)
}

func all[T any](items iter.Seq2[*T, error]) ([]T, error) {
	list := []T{}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		list = append(list, *item)
	}
	return list, nil
}

// each reads the pages of a list. begin returns the page reader. keep reports whether an item may
// be used; it may be nil.
func each[T any](
	ctx context.Context, c *Client, method protocol.Method, begin func(*Limits, func(string)) *pages[T],
	keep func(x *connection, item *T, report func(string)) bool, options []RequestOption,
) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		o, keep := c.apply(options), keep
		fetch := func(r *Request) (json.RawMessage, error) { return c.cached(ctx, r) }
		x, err := c.connectedFor(ctx, o)
		if err = c.wrap(method.String(), err); err != nil {
			if !o.stale {
				yield(nil, err)
				return
			}
			fetch = func(r *Request) (json.RawMessage, error) { return c.cachedAfter(err, r) }
			keep = nil // keep needs a connection
		} else if need, _ := x.revision.Load().Required(method); !x.declares(need) && c.testing == nil {
			return // a server without the capability has an empty list
		}
		report := c.reporter(method.String())
		for p := begin(&c.limits, report); p.more; {
			var params json.RawMessage
			if p.cursor != nil {
				params = append(addMember([]byte{'{'}, "cursor", wire.AppendString(nil, *p.cursor)), '}')
			}
			result, err := fetch(&Request{Method: method.String(), Params: params, options: o})
			if err != nil {
				yield(nil, err)
				return
			}
			items, err := p.add(result)
			if err != nil {
				yield(nil, c.wrap(method.String(), err))
				return
			}
			for i := range items {
				if keep != nil && !keep(x, &items[i], report) {
					continue
				}
				if !yield(&items[i], nil) {
					return
				}
			}
		}
	}
}
