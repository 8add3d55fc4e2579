package mcpclient

import (
	"context"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
)

// knownTools contains the parts of tool definitions that calls need, for all lists that were read.
type knownTools struct {
	mu    sync.Mutex
	tools map[string]knownTool
}

type knownTool struct {
	params     []toolschema.HeaderParam // arguments that header fields mirror
	repeatable bool                     // by its hints
	output     outputKind
}

// keep stores a tool of a list. It reports whether the client may use the tool: over HTTP it must
// omit tools whose x-mcp-header breaks the rules (2026-07-28, streamable HTTP).
func (k *knownTools) keep(x *connection, t *Tool, report func(text string)) bool {
	var params []toolschema.HeaderParam
	if x.requester != nil && x.revision.Load().Fields.HeaderMirrors && strings.Contains(string(t.InputSchema), "x-mcp-header") {
		var err error
		if params, err = x.requester.HeaderParams(string(t.InputSchema)); err != nil {
			report("the tool " + t.Name + " is left out: " + err.Error())
			return false
		}
	}
	known := knownTool{params: params, output: outputOf(t.OutputSchema)}
	if h := t.Hints; h != nil {
		known.repeatable = h.ReadOnly || h.Idempotent
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tools == nil {
		k.tools = map[string]knownTool{}
	}
	if _, again := k.tools[t.Name]; again || len(k.tools) < maxKnownTools {
		k.tools[strings.Clone(t.Name)] = known // the name refers to the page's JSON text
	}
	return true
}

// maxKnownTools limits the stored tools. If the server requires header fields, a call of another
// tool fetches the list anew.
const maxKnownTools = 10_000

func (k *knownTools) get(name string) (knownTool, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t, ok := k.tools[name]
	return t, ok
}

// repeatable reports whether a tool declares that it may run twice.
func (k *knownTools) repeatable(name string) bool {
	t, _ := k.get(name)
	return t.repeatable
}

// refreshTool reads the list of tools to learn which arguments of a call header fields mirror. It
// reports whether the list contains the tool.
func (c *Client) refreshTool(ctx context.Context, r *Request) bool {
	o := *r.options
	o.noCache, o.progress = true, nil
	for _, err := range c.EachTool(ctx, func(to *requestOptions) { *to = o }) {
		if err != nil {
			return false
		}
	}
	_, ok := c.tools.get(r.Name)
	return ok
}
