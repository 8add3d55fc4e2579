package mcpclient

import (
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// readSampleRequest reads the params of sampling/createMessage. It refers to data, like a tool
// result.
func readSampleRequest(data []byte, l *Limits) (*mcp.SampleRequest, error) {
	v := new(mcp.SampleRequest)
	return whole(v, read(data, l, nil, func(r *reader) { r.sampleRequest(v) }))
}

var sampleFields = wire.Fields{
	{Must: "messages"}, {Name: "modelPreferences"}, {Name: "systemPrompt"}, {Name: "includeContext"}, {Name: "temperature"},
	{Must: "maxTokens"}, {Name: "stopSequences"}, {Name: "metadata"}, {Name: "tools"}, {Name: "toolChoice"},
}

func (r *reader) sampleRequest(v *mcp.SampleRequest) {
	d := &r.d
	for o := d.Object(sampleFields); o.Next(); {
		switch o.Name() {
		case "messages":
			v.Messages = []mcp.SampleMessage{}
			elements(d, func() { v.Messages = append(v.Messages, r.readSampleMessage(d)) })
		case "modelPreferences":
			wire.Ptr(d, &v.Preferences, readPreferences)
		case "systemPrompt":
			wire.String(d, &v.System)
		case "includeContext":
			wire.String(d, &v.Context)
		case "temperature":
			wire.Ptr(d, &v.Temperature, wire.Float)
		case "maxTokens":
			wire.Int(d, &v.MaxTokens)
		case "stopSequences":
			wire.Slice(d, &v.StopSequences, wire.String)
		case "metadata":
			readObject(d, &v.Metadata)
		case "tools":
			v.Tools = []mcp.SampleTool{}
			elements(d, func() { v.Tools = append(v.Tools, readSampleTool(d)) })
		case "toolChoice":
			readToolChoice(d, &v.ToolChoice)
		}
	}
}

var sampleMessageFields = wire.Fields{{Must: "role"}, {Must: "content"}, {Name: "_meta"}}

func (r *reader) readSampleMessage(d *wire.Decoder) (m mcp.SampleMessage) {
	if !r.count() {
		return m
	}
	for o := d.Object(sampleMessageFields); o.Next(); {
		switch o.Name() {
		case "role":
			wire.String(d, &m.Role)
		case "content":
			m.Content = r.readBlocks(d)
		case "_meta":
			readMeta(d, &m.Meta)
		}
	}
	return m
}

// readBlocks reads one block, or an array of them.
func (r *reader) readBlocks(d *wire.Decoder) []mcp.SampleContent {
	blocks := []mcp.SampleContent{}
	if d.Peek() == '[' {
		elements(d, func() { blocks = append(blocks, r.readSampled(d)) })
		return blocks
	}
	return append(blocks, r.readSampled(d))
}

var preferencesFields = wire.Fields{{Name: "hints"}, {Name: "costPriority"}, {Name: "speedPriority"}, {Name: "intelligencePriority"}}

func readPreferences(d *wire.Decoder, p *mcp.ModelPreferences) {
	for o := d.Object(preferencesFields); o.Next(); {
		switch o.Name() {
		case "hints":
			wire.Slice(d, &p.Hints, readModelHint)
		case "costPriority":
			wire.Ptr(d, &p.Cost, wire.Float)
		case "speedPriority":
			wire.Ptr(d, &p.Speed, wire.Float)
		case "intelligencePriority":
			wire.Ptr(d, &p.Intelligence, wire.Float)
		}
	}
}

var modelHintFields = wire.Fields{{Name: "name"}}

func readModelHint(d *wire.Decoder, name *string) {
	for o := d.Object(modelHintFields); o.Next(); {
		wire.String(d, name)
	}
}

// readSampleTool reads the members of a tool that a model needs.
func readSampleTool(d *wire.Decoder) mcp.SampleTool {
	var tool Tool
	readTool(d, &tool)
	return mcp.SampleTool{Name: tool.Name, Title: tool.Title, Description: tool.Description, InputSchema: string(tool.InputSchema)}
}

var toolChoiceFields = wire.Fields{{Name: "mode"}}

func readToolChoice(d *wire.Decoder, c *mcp.ToolChoice) {
	*c = mcp.ToolChoiceAuto // the mode of an object without one
	for o := d.Object(toolChoiceFields); o.Next(); {
		wire.String(d, c)
	}
}
