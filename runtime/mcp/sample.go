package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// SampleRequest asks the client's model for a message (client/sampling). It is also a [Question],
// for [InputRequired].
type SampleRequest struct {
	Messages    []SampleMessage   `json:"messages"`
	Preferences *ModelPreferences `json:"modelPreferences,omitempty"`
	System      string            `json:"systemPrompt,omitempty"` // the client may ignore it
	// Context includes context of servers, which needs [CapabilitySamplingContext] in revisions
	// that define this capability.
	Context SampleContext `json:"includeContext,omitempty"`
	// Temperature is chosen by the client if it is nil.
	Temperature *float64 `json:"temperature,omitempty"`
	// MaxTokens limits the tokens that the model may write; 0 means 1000.
	MaxTokens     int      `json:"maxTokens"`
	StopSequences []string `json:"stopSequences,omitempty"`
	// Metadata for the provider of the model: a JSON object, or nil.
	Metadata json.RawMessage `json:"metadata,omitempty"`

	// Tools are tools that the model may use. The client returns such a use as [ToolUse]; the
	// server runs the tool and asks again. They, and ToolChoice, need [CapabilitySamplingTools],
	// from revision 2025-11-25 on.
	Tools      []SampleTool `json:"tools,omitempty"`
	ToolChoice ToolChoice   `json:"toolChoice,omitempty"`
}

// Text returns the texts in the messages, one per line.
func (s *SampleRequest) Text() string {
	var lines []string
	for _, m := range s.Messages {
		for _, c := range m.Content {
			if t, ok := c.(Text); ok {
				lines = append(lines, t.Text)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// SampleMessage is a message of the conversation with the model. Before revision 2025-11-25 it
// contains exactly one block.
//
// After a message of the assistant with [ToolUse] blocks, the next message is a user message that
// contains a [ToolOutcome] for each of them and nothing else (client/sampling, tool use and result
// balance). Other conversations are not sent: [Sample] returns an error with the problem.
type SampleMessage struct {
	Role    Role // [RoleUser] or [RoleAssistant]
	Content []SampleContent
	Meta    Meta // from revision 2025-11-25 on
}

// UserMessage returns a message of the user.
func UserMessage(text string) SampleMessage {
	return SampleMessage{Role: RoleUser, Content: []SampleContent{Text{Text: text}}}
}

// SampleContent is a block of a message: [Text], [Image], [Audio] (from revision 2025-03-26 on),
// and from revision 2025-11-25 on [ToolUse] and [ToolOutcome]. A client that is asked gets a
// [RawContent] for a block of another type.
type SampleContent interface {
	json.Marshaler
	isSampleContent()
}

// sampleWriter is implemented by every [SampleContent]; see [contentWriter].
type sampleWriter interface {
	appendSample(b []byte, r *rendering) []byte
}

func (Text) isSampleContent()        {}
func (Image) isSampleContent()       {}
func (Audio) isSampleContent()       {}
func (ToolUse) isSampleContent()     {}
func (ToolOutcome) isSampleContent() {}
func (RawContent) isSampleContent()  {}

// ToolUse is a request of the model to use a tool.
type ToolUse struct {
	ID    string
	Name  string
	Input json.RawMessage // an object
	Meta  Meta
}

// ToolOutcome is the result of a [ToolUse].
type ToolOutcome struct {
	ID     string // id of the ToolUse
	Result *ToolResult
}

// SampleTool is a tool that the model may use.
type SampleTool struct {
	Name        string
	Title       string
	Description string
	InputSchema string // a JSON Schema with "type":"object" at its root
}

// ToolChoice determines whether the model must use tools.
type ToolChoice string

// The choices. The empty one leaves it out, which means auto.
const (
	ToolChoiceAuto     ToolChoice = "auto"
	ToolChoiceRequired ToolChoice = "required"
	ToolChoiceNone     ToolChoice = "none"
)

// SampleContext determines which context is included.
type SampleContext string

// The contexts. The empty one leaves it out, which means none.
const (
	ContextNone       SampleContext = "none"
	ContextThisServer SampleContext = "thisServer"
	ContextAllServers SampleContext = "allServers"
)

// ModelPreferences help the client to choose a model. Priorities are from 0 to 1; nil ones are left
// out.
type ModelPreferences struct {
	Hints                     []string // parts of model names, the best first
	Cost, Speed, Intelligence *float64
}

// SampleResult is the message of the model.
type SampleResult struct {
	Role       Role // "" in an answer of a client = [RoleAssistant]
	Content    []SampleContent
	Model      string // in an answer of a client, "" = the name of the client
	StopReason string // endTurn, stopSequence, maxTokens, toolUse, or the client's own; may be ""
	Meta       Meta
}

// Text returns the text blocks, joined.
func (r *SampleResult) Text() string {
	var b strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// ToolUses returns the uses of tools that the model requests.
func (r *SampleResult) ToolUses() []ToolUse {
	var uses []ToolUse
	for _, c := range r.Content {
		if u, ok := c.(ToolUse); ok {
			uses = append(uses, u)
		}
	}
	return uses
}

// capabilities returns the capabilities that the client needs.
func (s *SampleRequest) capabilities() []Capability {
	needs := []Capability{CapabilitySampling}
	if len(s.Tools) > 0 || s.ToolChoice != "" {
		needs = append(needs, CapabilitySamplingTools)
	}
	if s.Context != "" && s.Context != ContextNone {
		needs = append(needs, CapabilitySamplingContext)
	}
	return needs
}

func (s *SampleRequest) appendParams(b []byte, r *rendering) []byte {
	r.check(s.check())
	b = append(b, `{"messages":[`...)
	var open []string // ids of tools that the message before uses
	for i, m := range s.Messages {
		if i > 0 {
			b = append(b, ',')
		}
		r.tools = toolBlocks{}
		b = m.appendTo(b, r)
		if err := m.check(&r.tools, open); err != nil {
			r.fail(fmt.Errorf("message %d: %w", i+1, err))
		}
		open = r.tools.uses
	}
	if len(open) > 0 {
		r.fail(fmt.Errorf("message %d uses tools, and no message with their results follows", len(s.Messages)))
	}
	b = append(b, `],"maxTokens":`...)
	if s.MaxTokens > 0 {
		b = strconv.AppendInt(b, int64(s.MaxTokens), 10)
	} else {
		b = append(b, "1000"...)
	}
	b = jsonobject.AppendText(b, "systemPrompt", s.System)
	b = appendNumber(b, "temperature", s.Temperature)
	if len(s.StopSequences) > 0 {
		b = append(b, `,"stopSequences":[`...)
		for i, text := range s.StopSequences {
			if i > 0 {
				b = append(b, ',')
			}
			b = wire.AppendString(b, text)
		}
		b = append(b, ']')
	}
	if s.Preferences != nil {
		b = s.Preferences.appendTo(append(b, `,"modelPreferences":`...))
	}
	b = jsonobject.AppendText(b, "includeContext", string(s.Context))
	if s.Metadata != nil {
		metadata, err := compact(s.Metadata)
		if err == nil {
			err = isObjectText(metadata)
		}
		if err != nil {
			r.fail(fmt.Errorf("metadata: %w", err))
		}
		b = append(append(b, `,"metadata":`...), metadata...)
	}
	if len(s.Tools) > 0 {
		b = append(b, `,"tools":[`...)
		for i, t := range s.Tools {
			if i > 0 {
				b = append(b, ',')
			}
			b = t.appendTo(b, r)
		}
		b = append(b, ']')
	}
	if s.ToolChoice != "" {
		b = append(b, `,"toolChoice":{"mode":`...)
		b = append(wire.AppendString(b, string(s.ToolChoice)), '}')
	}
	return append(b, '}')
}

func (m SampleMessage) appendTo(b []byte, r *rendering) []byte {
	b = append(b, `{"role":`...)
	b = wire.AppendString(b, string(m.Role))
	b = append(b, `,"content":`...)
	many := len(m.Content) != 1
	switch {
	case len(m.Content) == 0:
		r.fail(errors.New("a message has no content"))
	case many && !r.revision.ServerRequests.MessageBlocks:
		r.fail(errors.New("the client's revision has one block in a message"))
	}
	if many {
		b = append(b, '[')
	}
	for i, c := range m.Content {
		if i > 0 {
			b = append(b, ',')
		}
		if c == nil {
			r.fail(errors.New("nil content block"))
			continue
		}
		b = c.(sampleWriter).appendSample(b, r)
	}
	if many {
		b = append(b, ']')
	}
	if !r.revision.ServerRequests.MessageBlocks {
		return append(b, '}')
	}
	return r.closeBlock(b, nil, m.Meta)
}

func (p *ModelPreferences) appendTo(b []byte) []byte {
	b = append(b, `{"hints":[`...)
	for i, name := range p.Hints {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = append(wire.AppendString(b, name), '}')
	}
	b = append(b, ']')
	b = appendNumber(b, "costPriority", p.Cost)
	b = appendNumber(b, "speedPriority", p.Speed)
	b = appendNumber(b, "intelligencePriority", p.Intelligence)
	return append(b, '}')
}

// appendNumber writes a member after others, unless it is nil.
func appendNumber(b []byte, name string, v *float64) []byte {
	if v == nil {
		return b
	}
	return appendJSON(b, name, string(wire.AppendFloat(nil, *v, 64)))
}

func (t *SampleTool) appendTo(b []byte, r *rendering) []byte {
	b = append(b, `{"name":`...)
	b = wire.AppendString(b, t.Name)
	b = jsonobject.AppendText(b, "title", t.Title)
	b = jsonobject.AppendText(b, "description", t.Description)
	schema := t.InputSchema
	if schema == "" {
		schema = `{"type":"object"}`
	}
	if err := toolschema.CheckInput(schema); err != nil {
		r.fail(fmt.Errorf("input schema of tool %q: %w", t.Name, err))
		return append(b, '}')
	}
	b = append(b, `,"inputSchema":`...)
	b = toolschema.Append(b, schema, toolschema.Form{
		DropHeaderKeyword: true,
		ObjectProperties:  !r.revision.Fields.BooleanProperties,
	})
	return append(b, '}')
}

func (c Text) appendSample(b []byte, r *rendering) []byte  { return c.appendTo(b, r) }
func (c Image) appendSample(b []byte, r *rendering) []byte { return c.appendTo(b, r) }

func (c RawContent) appendSample(b []byte, r *rendering) []byte { return c.appendTo(b, r) }

func (c Audio) appendSample(b []byte, r *rendering) []byte {
	if !r.revision.ServerRequests.MessageAudio {
		r.fail(errors.New("the client's revision has no audio in messages"))
	}
	return c.appendTo(b, r)
}

func (c ToolUse) appendSample(b []byte, r *rendering) []byte {
	if !r.revision.ServerRequests.MessageBlocks {
		r.fail(errors.New("the client's revision has no use of tools in messages"))
	}
	r.tools.uses = append(r.tools.uses, c.ID)
	b = append(b, `{"type":"tool_use","id":`...)
	b = wire.AppendString(b, c.ID)
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, c.Name)
	b = append(b, `,"input":`...)
	input := json.RawMessage(emptyObject)
	if c.Input != nil {
		var err error
		if input, err = compact(c.Input); err == nil {
			err = isObjectText(input)
		}
		if err != nil {
			r.fail(fmt.Errorf("input of tool %q: %w", c.Name, err))
		}
	}
	b = append(b, input...)
	return r.closeBlock(b, nil, c.Meta)
}

func (c ToolOutcome) appendSample(b []byte, r *rendering) []byte {
	if !r.revision.ServerRequests.MessageBlocks {
		r.fail(errors.New("the client's revision has no results of tools in messages"))
	}
	r.tools.outcomes = append(r.tools.outcomes, c.ID)
	b = append(b, `{"type":"tool_result","toolUseId":`...)
	b = wire.AppendString(b, c.ID)
	b = append(b, ',')
	result := c.Result
	if result == nil {
		result = nothingFound()
	}
	b = result.appendMembers(b, r)
	return r.closeBlock(b, nil, result.Meta)
}
