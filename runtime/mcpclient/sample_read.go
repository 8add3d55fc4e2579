package mcpclient

import "github.com/mcpgen/mcpgen/runtime/wire"

// readSampleRequest reads the params of sampling/createMessage. It refers to data, as a
// tool's result.
func readSampleRequest(data []byte, l *Limits) (*SampleRequest, error) {
	return read(data, l, nil, (*reader).sampleRequest)
}

var sampleFields = wire.Fields{
	{Name: "messages", Required: true}, {Name: "modelPreferences"}, {Name: "systemPrompt"}, {Name: "includeContext"}, {Name: "temperature"},
	{Name: "maxTokens", Required: true}, {Name: "stopSequences"}, {Name: "metadata"}, {Name: "tools"}, {Name: "toolChoice"}, {Name: "_meta"},
}

func (r *reader) sampleRequest(v *SampleRequest) {
	d := &r.d
	for o := d.Object(sampleFields); o.Next(); {
		switch o.Name() {
		case "messages":
			wire.Slice(d, &v.Messages, r.sampled)
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
			wire.Slice(d, &v.Tools, readTool)
		case "toolChoice":
			wire.Ptr(d, &v.ToolChoice, readToolChoice)
		case "_meta":
			readMeta(d, &v.Meta)
		}
	}
}

var sampleMessageFields = wire.Fields{{Name: "role", Required: true}, {Name: "content", Required: true}, {Name: "_meta"}}

func (r *reader) readSampleMessage(d *wire.Decoder, m *SampleMessage) {
	if !r.count() {
		return
	}
	for o := d.Object(sampleMessageFields); o.Next(); {
		switch o.Name() {
		case "role":
			wire.String(d, &m.Role)
		case "content":
			r.readBlocks(d, &m.Content)
		case "_meta":
			readMeta(d, &m.Meta)
		}
	}
}

// readBlocks reads one block, or an array of them.
func (r *reader) readBlocks(d *wire.Decoder, b *Blocks) {
	if d.Peek() == '[' {
		wire.Slice(d, b, r.block)
		return
	}
	one := make(Blocks, 1)
	r.readBlock(d, &one[0])
	*b = one
}

var preferencesFields = wire.Fields{{Name: "hints"}, {Name: "costPriority"}, {Name: "speedPriority"}, {Name: "intelligencePriority"}}

func readPreferences(d *wire.Decoder, p *ModelPreferences) {
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

func readModelHint(d *wire.Decoder, h *ModelHint) {
	for o := d.Object(modelHintFields); o.Next(); {
		wire.String(d, &h.Name)
	}
}

var toolChoiceFields = wire.Fields{{Name: "mode"}}

func readToolChoice(d *wire.Decoder, c *ToolChoice) {
	for o := d.Object(toolChoiceFields); o.Next(); {
		wire.String(d, &c.Mode)
	}
}
