package mcptest

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// Tools returns the listed tools of all pages.
func (c *Client) Tools() []Tool {
	c.t.Helper()
	return list[Tool](c, protocol.ToolsList, "tools")
}

// Resources returns the listed resources of all pages.
func (c *Client) Resources() []Resource {
	c.t.Helper()
	return list[Resource](c, protocol.ResourcesList, "resources")
}

// Templates returns the listed resource templates of all pages.
func (c *Client) Templates() []Template {
	c.t.Helper()
	return list[Template](c, protocol.ResourcesTemplatesList, "resourceTemplates")
}

// Prompts returns the listed prompts of all pages.
func (c *Client) Prompts() []Prompt {
	c.t.Helper()
	return list[Prompt](c, protocol.PromptsList, "prompts")
}

// list reads all pages of a list.
func list[T any](c *Client, method protocol.Method, member string) []T {
	c.t.Helper()
	all := []T{}
	seen := map[string]bool{}
	params := map[string]any{}
	for {
		var page map[string]json.RawMessage
		c.must(method.String(), params, &page)
		var items []T
		c.read(page[member], &items, "the result of "+method.String())
		all = append(all, items...)
		if page["nextCursor"] == nil {
			return all
		}
		var cursor string
		c.read(page["nextCursor"], &cursor, "the cursor of "+method.String())
		if seen[cursor] {
			c.t.Fatalf("mcptest: %s goes round in a circle: the cursor %q has come twice", method, cursor)
		}
		seen[cursor] = true
		params["cursor"] = cursor
	}
}

// StartRead reads a resource and does not wait.
func (c *Client) StartRead(uri string, options ...RequestOption) *Running[ReadResult] {
	c.t.Helper()
	return start[ReadResult](c, protocol.ResourcesRead.String(), uri, map[string]any{"uri": uri}, options)
}

// Read reads a resource.
func (c *Client) Read(uri string, options ...RequestOption) *ReadResult {
	c.t.Helper()
	return c.StartRead(uri, options...).Wait()
}

// StartPrompt gets a prompt and does not wait.
func (c *Client) StartPrompt(name string, arguments map[string]string, options ...RequestOption) *Running[PromptResult] {
	c.t.Helper()
	params := map[string]any{"name": name}
	if arguments != nil {
		params["arguments"] = arguments
	}
	return start[PromptResult](c, protocol.PromptsGet.String(), name, params, options)
}

// Prompt gets a prompt.
func (c *Client) Prompt(name string, arguments map[string]string, options ...RequestOption) *PromptResult {
	c.t.Helper()
	return c.StartPrompt(name, arguments, options...).Wait()
}

// CompletePrompt completes the typed beginning of an argument of a prompt. Given are
// the arguments that already have a value; clients send them from revision 2025-06-18
// on.
func (c *Client) CompletePrompt(prompt, argument, typed string, given map[string]string) Completion {
	c.t.Helper()
	return c.complete(map[string]any{"type": "ref/prompt", "name": prompt}, argument, typed, given)
}

// CompleteTemplate completes the typed beginning of a variable of a resource template,
// like [Client.CompletePrompt].
func (c *Client) CompleteTemplate(uriTemplate, variable, typed string, given map[string]string) Completion {
	c.t.Helper()
	return c.complete(map[string]any{"type": "ref/resource", "uri": uriTemplate}, variable, typed, given)
}

func (c *Client) complete(ref map[string]any, argument, typed string, given map[string]string) Completion {
	c.t.Helper()
	params := map[string]any{"ref": ref, "argument": map[string]any{"name": argument, "value": typed}}
	if given != nil && c.revision.ClientMessages.CompletionContext {
		params["context"] = map[string]any{"arguments": given}
	}
	var result struct {
		Completion Completion `json:"completion"`
	}
	c.must(protocol.Complete.String(), params, &result)
	return result.Completion
}
