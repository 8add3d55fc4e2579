package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ToolInfo describes a tool. Generated code points to variables of this type, which nothing
// changes.
type ToolInfo struct {
	Name        string // 1 to 64 of a-z A-Z 0-9 _ - work with every client; at most 128, and the dot is allowed
	Title       string
	Description string
	Symbol      string // the Go function, for diagnostics
	Groups      []string
	Scopes      []string // scopes that a caller needs, all of them
	Hints       ToolHints
	Icons       []Icon
	Aliases     []string // further names, which lists do not contain
	// ArgumentAliases are former names of arguments, which the tool reads and no schema contains.
	// Contracts have them: behind the path of the present name follow = and the former name, as in
	// filters[].field=column.
	ArgumentAliases []string

	// InputSchema is a JSON Schema with "type":"object" at its root. A hand-written tool may leave
	// it empty to accept any object. Properties with the annotation x-mcp-header must have types
	// that clients can send as header fields; otherwise [Server.Register] panics, since clients
	// would drop the tool.
	InputSchema string
	// OutputSchema is the JSON Schema of structured results, of any root type, or "" if results are
	// not structured. For revisions that require an object at the root, schema and value are
	// wrapped as {"result": ...}.
	//
	// Before revision 2026-07-28, the property schemas at the root of both schemas are objects:
	// true is published as {}, and false as {"not":{}}.
	OutputSchema string
	// TextOnly leaves the structured content of results out. Their content is then the blocks that
	// the tool returns, or else the structured content as JSON text.
	TextOnly bool
	// UI is the interface of the tool, or nil.
	UI *ToolUI
	// Meta is published with the tool, from revision 2025-06-18 on.
	Meta Meta

	// Embeds means that results may contain an [EmbeddedResource]. The server then declares the
	// capability resources, even if it has none at first (server/tools, embedded resources).
	// [NewTool] sets it.
	Embeds bool

	// Requires are capabilities without which a client cannot call the tool. It gets a
	// [*CapabilityError] instead.
	Requires []Capability
	// Errors returns the message of an error for the model, and whether it has one.
	Errors func(error) (text string, ok bool)
	// HideErrors hides the messages of all other errors from clients.
	HideErrors bool
	// MaxResult limits the size of a result in bytes; 0 means [Limits.ResultBytes].
	MaxResult int
	// Narrow are the arguments that make a result smaller.
	Narrow []string
	// Timeout limits the time of a call; 0 means [WithTimeout].
	Timeout time.Duration
	// Lenient accepts "5" for 5 and 5 for "5", "true" for true, a JSON text for an object, "a" for
	// ["a"], "1,2" for [1,2], and "" for an optional value that is not a text. See [wire.Options].
	Lenient bool

	choices map[string]*wire.Choices // choices of arguments, by their functions
}

// toolFunc answers the call of a tool.
type toolFunc = func(ctx context.Context, req *Request) (*ToolResult, error)

// NewTool returns a hand-written tool with the given schemas. The arguments that f gets are a valid
// JSON object, and a copy of their own; they are not checked against the schema.
//
// NewTool panics if a schema is not JSON, or the specification does not allow it for tools.
func NewTool(info ToolInfo, f func(ctx context.Context, arguments json.RawMessage) (*ToolResult, error)) Feature {
	info.Embeds = true // f may return any content
	if info.InputSchema == "" {
		info.InputSchema = `{"type":"object"}`
	}
	if err := toolschema.CheckInput(info.InputSchema); err != nil {
		panic(fmt.Sprintf("mcp: input schema of tool %q: %v", info.Name, err))
	}
	if info.OutputSchema != "" {
		if err := toolschema.CheckOutput(info.OutputSchema); err != nil {
			panic(fmt.Sprintf("mcp: output schema of tool %q: %v", info.Name, err))
		}
	}
	return newTool(&info, func(ctx context.Context, req *Request) (*ToolResult, error) {
		arguments, err := req.copyArguments()
		if err != nil {
			return nil, err
		}
		return f(ctx, arguments)
	})
}

// tool is the feature type of generated and hand-written tools.
type tool struct {
	info *ToolInfo
	name string
	also []string
	call toolFunc

	reads bool     // the call begins with [Request.decoder] and its Finish, as in generated code
	task  toolPart // nil if calls do not become tasks

	headers  []toolschema.HeaderParam // arguments that clients repeat in header fields
	mirrored error                    // reason why headers is empty although the schema has annotations

	traits  traits
	repeats bool // the tool may run twice with one request state

	listed listings
}

func newTool(info *ToolInfo, call toolFunc) *tool {
	help := wire.Advice()
	if info.Lenient {
		help = wire.Leniency()
	}
	t := &tool{
		info: info, name: info.Name, also: info.Aliases, call: call,
		traits: traits{help: help, choices: info.choices, output: outputForm{
			textOnly: info.TextOnly, declared: info.OutputSchema != "", most: info.MaxResult,
			wrapped: info.OutputSchema != "" && !toolschema.HasObjectRoot(info.OutputSchema),
		}},
		repeats: info.Hints.ReadOnly || info.Hints.Idempotent && !info.Hints.Destructive,
	}
	t.headers, t.mirrored = toolschema.HeaderParams(info.InputSchema)
	return t
}

func (t *tool) Info() FeatureInfo {
	return FeatureInfo{
		Task: t.taskSupport(),
		Kind: KindTool, Name: t.name, Title: t.info.Title,
		Description: t.info.Description, InputSchema: t.info.InputSchema,
		Groups: t.info.Groups, Symbol: t.info.Symbol, Hints: t.info.Hints, Aliases: t.also, ArgumentAliases: t.info.ArgumentAliases, Scopes: t.info.Scopes,
	}
}

// taskSupport returns the protocol's word for the tool's support of tasks, or "" if calls do not
// become tasks.
func (t *tool) taskSupport() string {
	if t.task == nil {
		return ""
	}
	return t.task.support()
}

// destructive reports whether the tool may destroy or overwrite something.
func (t *tool) destructive() bool {
	return t.info.Hints.Destructive && !t.info.Hints.ReadOnly
}

func (t *tool) renamed(prefix string) Feature {
	c := t.copied(t.info)
	c.name = prefix + "_" + t.name
	c.also = make([]string, len(t.also))
	for i, alias := range t.also {
		c.also[i] = prefix + "_" + alias
	}
	return c
}

// copied returns a copy with another description.
func (t *tool) copied(info *ToolInfo) *tool {
	c := newTool(info, t.call)
	c.reads, c.task = t.reads, t.task
	return c
}

func (t *tool) check(declared map[string]json.RawMessage) {
	for _, name := range t.names() {
		checkName(KindTool, name)
	}
	if t.info.InputSchema == "" {
		panic(fmt.Sprintf("mcp: tool %q has no input schema", t.name))
	}
	checkPublished(declared, KindTool, t.name, "", t.info.Scopes, nil, t.info.Icons, t.info.Meta)
	checkUI(KindTool, t.name, t.info.Meta, t.info.UI.check())
	if t.mirrored != nil {
		panic(fmt.Sprintf("mcp: input schema of tool %q: %v", t.name, t.mirrored))
	}
}

func (t *tool) names() []string {
	return append([]string{t.name}, t.also...)
}

// listing returns the entry of the tool in lists of a revision.
func (t *tool) listing(rev *protocol.Revision) []byte { return t.listed.get(t, rev) }

func (t *tool) completes() bool { return false }

// listingSize estimates the length of the entry.
func (t *tool) listingSize() int {
	return 200 + len(t.name) + 2*len(t.info.Title) + len(t.info.Description) + len(t.info.InputSchema) + len(t.info.OutputSchema)
}

func (t *tool) appendListing(b []byte, rev *protocol.Revision) []byte {
	f := &rev.Fields
	b = append(b, `{"name":`...)
	b = wire.AppendString(b, t.name)
	if f.Title {
		b = jsonobject.AppendText(b, "title", t.info.Title)
	}
	b = jsonobject.AppendText(b, "description", t.info.Description)
	b = append(b, `,"inputSchema":`...)
	b = toolschema.Append(b, t.info.InputSchema, toolschema.Form{
		DropHeaderKeyword: !f.HeaderMirrors,
		ObjectProperties:  !f.BooleanProperties,
	})
	if f.StructuredContent && t.info.OutputSchema != "" {
		b = append(b, `,"outputSchema":`...)
		b = toolschema.Append(b, t.info.OutputSchema, toolschema.Form{
			Wrap:             !f.AnyOutput && t.traits.output.wrapped,
			ObjectProperties: !f.BooleanProperties,
		})
	}
	if f.ToolAnnotations {
		b = append(b, `,"annotations":{`...)
		if !f.Title && t.info.Title != "" {
			b = append(b, `"title":`...)
			b = wire.AppendString(b, t.info.Title)
			b = append(b, ',')
		}
		b = appendHints(b, t.info.Hints)
		b = append(b, '}')
	}
	if rev.Tasks == protocol.TaskSession && t.task != nil {
		b = append(b, `,"execution":{"taskSupport":"`...)
		b = append(append(b, t.taskSupport()...), `"}`...)
	}
	if f.Icons {
		b = appendIcons(b, t.info.Icons)
	}
	// Hosts of every revision read the metadata of interfaces.
	ui := t.info.UI.appendTo(nil)
	if len(ui) > 0 || f.FeatureMeta && len(t.info.Meta) > 0 {
		b = append(append(b, `,"_meta":{`...), ui...)
		if f.FeatureMeta {
			r := rendering{revision: rev}
			b = r.appendMeta(b, t.info.Meta, len(ui) > 0)
		}
		b = append(b, '}')
	}
	return append(b, '}')
}

func appendHints(b []byte, h ToolHints) []byte {
	for i, hint := range [...]struct {
		name string
		on   bool
	}{
		{"readOnlyHint", h.ReadOnly},
		{"destructiveHint", h.Destructive},
		{"idempotentHint", h.Idempotent},
		{"openWorldHint", h.OpenWorld},
	} {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, hint.name...)
		if hint.on {
			b = append(b, `":true`...)
		} else {
			b = append(b, `":false`...)
		}
	}
	return b
}

// needsTask reports whether a feature is a tool that works only as a task, in a revision without
// tasks: such a tool is not listed, and not found when it is called.
func needsTask(f Feature, rev *protocol.Revision) bool {
	if rev.Tasks != protocol.NoTasks {
		return false
	}
	t, ok := f.(*tool)
	return ok && t.requiresTask()
}

// requiresTask reports whether each call of the tool must become a task.
func (t *tool) requiresTask() bool { return t.task != nil && t.task.support() == "required" }

// uiOf returns the interface of a tool, or nil.
func uiOf(f Feature) *ToolUI {
	if e, ok := f.(entry); ok {
		f = e.Feature
	}
	if t, ok := f.(*tool); ok {
		return t.info.UI
	}
	return nil
}

// appOnly reports whether a feature is a tool that the model does not call.
func appOnly(f Feature) bool { return uiOf(f).appOnly() }
