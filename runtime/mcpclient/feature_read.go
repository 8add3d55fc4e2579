package mcpclient

import (
	"github.com/mcpgen/mcpgen/runtime/internal/uimeta"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var toolFields = wire.Fields{
	{Must: "name"}, {Name: "title"}, {Name: "description"}, {Must: "inputSchema"}, {Name: "outputSchema"},
	{Name: "annotations"}, {Name: "icons"}, {Name: "_meta"},
}

func (r *reader) tool(t *Tool) { readTool(&r.d, t) }

// readTool reads a tool. Its schemas remain text: the client follows no reference and compiles
// nothing.
func readTool(d *wire.Decoder, t *Tool) {
	var hints *toolHints
	for o := d.Object(toolFields); o.Next(); {
		switch o.Name() {
		case "name":
			readName(d, &t.Name)
		case "title":
			wire.String(d, &t.Title)
		case "description":
			wire.String(d, &t.Description)
		case "inputSchema":
			readObject(d, &t.InputSchema)
		case "outputSchema":
			readObject(d, &t.OutputSchema)
		case "annotations":
			wire.Ptr(d, &hints, readHints)
		case "icons":
			t.Icons = readIcons(d)
		case "_meta":
			readMeta(d, &t.Meta)
			t.UI = uimeta.Tool(t.Meta)
		}
	}
	if hints != nil {
		t.Hints = &hints.ToolHints
		if t.Title == "" {
			t.Title = hints.title
		}
	}
}

// toolHints are the annotations of a tool.
type toolHints struct {
	mcp.ToolHints
	title string // before revision 2025-06-18
}

// readName reads a name, which must not be empty.
func readName(d *wire.Decoder, name *string) {
	wire.String(d, name)
	wire.MinLength(d, *name, 1)
}

var hintFields = wire.Fields{{Name: "title"}, {Name: "readOnlyHint"}, {Name: "destructiveHint"}, {Name: "idempotentHint"}, {Name: "openWorldHint"}}

func readHints(d *wire.Decoder, h *toolHints) {
	h.Destructive, h.OpenWorld = true, true // unless the server sends another value
	for o := d.Object(hintFields); o.Next(); {
		switch o.Name() {
		case "title":
			wire.String(d, &h.title)
		case "readOnlyHint":
			wire.Bool(d, &h.ReadOnly)
		case "destructiveHint":
			wire.Bool(d, &h.Destructive)
		case "idempotentHint":
			wire.Bool(d, &h.Idempotent)
		case "openWorldHint":
			wire.Bool(d, &h.OpenWorld)
		}
	}
}

var resourceFields = wire.Fields{
	{Must: "uri"}, {Name: "name"}, {Name: "title"}, {Name: "description"}, {Name: "mimeType"}, {Name: "size"},
	{Name: "annotations"}, {Name: "icons"}, {Name: "_meta"},
}

func (r *reader) resource(v *Resource) {
	d := &r.d
	for o := d.Object(resourceFields); o.Next(); {
		switch o.Name() {
		case "uri":
			readName(d, &v.URI)
		case "name":
			wire.String(d, &v.Name)
		case "title":
			wire.String(d, &v.Title)
		case "description":
			wire.String(d, &v.Description)
		case "mimeType":
			wire.String(d, &v.MIMEType)
		case "size":
			wire.Int(d, &v.Size)
		case "annotations":
			wire.Ptr(d, &v.Annotations, r.annotations)
		case "icons":
			v.Icons = readIcons(d)
		case "_meta":
			readMeta(d, &v.Meta)
			v.UI = uimeta.Resource(v.Meta)
		}
	}
	if v.Name == "" && !d.Failed() {
		r.note("a resource has no name")
	}
}

var templateFields = wire.Fields{
	{Must: "uriTemplate"}, {Name: "name"}, {Name: "title"}, {Name: "description"}, {Name: "mimeType"},
	{Name: "annotations"}, {Name: "icons"}, {Name: "_meta"},
}

func (r *reader) template(v *Template) {
	d := &r.d
	for o := d.Object(templateFields); o.Next(); {
		switch o.Name() {
		case "uriTemplate":
			readName(d, &v.URITemplate)
		case "name":
			wire.String(d, &v.Name)
		case "title":
			wire.String(d, &v.Title)
		case "description":
			wire.String(d, &v.Description)
		case "mimeType":
			wire.String(d, &v.MIMEType)
		case "annotations":
			wire.Ptr(d, &v.Annotations, r.annotations)
		case "icons":
			v.Icons = readIcons(d)
		case "_meta":
			readMeta(d, &v.Meta)
			v.UI = uimeta.Resource(v.Meta)
		}
	}
	if v.Name == "" && !d.Failed() {
		r.note("a resource template has no name")
	}
}

var promptFields = wire.Fields{
	{Must: "name"}, {Name: "title"}, {Name: "description"}, {Name: "arguments"}, {Name: "icons"}, {Name: "_meta"},
}

func (r *reader) prompt(v *Prompt) {
	d := &r.d
	for o := d.Object(promptFields); o.Next(); {
		switch o.Name() {
		case "name":
			readName(d, &v.Name)
		case "title":
			wire.String(d, &v.Title)
		case "description":
			wire.String(d, &v.Description)
		case "arguments":
			arguments := []mcp.PromptArgument{}
			elements(d, func() { arguments = append(arguments, readPromptArgument(d)) })
			v.Arguments = arguments
		case "icons":
			v.Icons = readIcons(d)
		case "_meta":
			readMeta(d, &v.Meta)
		}
	}
}

var promptArgumentFields = wire.Fields{{Must: "name"}, {Name: "title"}, {Name: "description"}, {Name: "required"}}

func readPromptArgument(d *wire.Decoder) (a mcp.PromptArgument) {
	for o := d.Object(promptArgumentFields); o.Next(); {
		switch o.Name() {
		case "name":
			readName(d, &a.Name)
		case "title":
			wire.String(d, &a.Title)
		case "description":
			wire.String(d, &a.Description)
		case "required":
			wire.Bool(d, &a.Required)
		}
	}
	return a
}
