package mcpclient

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// appendElicitAnswer appends an ElicitResult without line breaks. It adds the defaults of fields
// that the user left out to an accepted form, and checks it. form is nil for a link. The error
// names the invalid field.
func appendElicitAnswer(b []byte, form *Form, a ElicitAnswer) ([]byte, error) {
	switch a.Action {
	case mcp.ActionAccept, mcp.ActionDecline, mcp.ActionCancel:
	default:
		return b, fmt.Errorf("the action of an answer is %q: it must be accept, decline or cancel", string(a.Action))
	}
	b = append(b, `{"action":"`...)
	b = append(b, a.Action...)
	b = append(b, '"')
	if form != nil && a.Action == mcp.ActionAccept {
		content, err := form.Complete(a.Content)
		if err != nil {
			return b, err
		}
		b = append(b, `,"content":`...)
		b = append(b, content...)
	}
	return append(b, '}'), nil
}

// appendRoots appends a ListRootsResult without line breaks.
func appendRoots(b []byte, roots []mcp.Root) []byte {
	b = append(b, `{"roots":[`...)
	for i, r := range roots {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"uri":`...)
		b = wire.AppendString(b, r.URI)
		if r.Name != "" {
			b = append(b, `,"name":`...)
			b = wire.AppendString(b, r.Name)
		}
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

// sampleAnswer returns the answer with defaults for an empty role and an empty model.
func sampleAnswer(a mcp.SampleResult, model string) mcp.SampleResult {
	if a.Role == "" {
		a.Role = mcp.RoleAssistant
	}
	if a.Model == "" {
		a.Model = model
	}
	return a
}

// checkSample returns an error if a message is invalid or the revision cannot express it.
func checkSample(a *mcp.SampleResult, r *protocol.ServerRequests) error {
	if role := a.Role; role != "" && role != mcp.RoleAssistant && role != mcp.RoleUser {
		return fmt.Errorf("the role of a message is %q: it must be assistant or user", string(role))
	}
	if len(a.Content) == 0 {
		return errors.New("a message of a model must have content")
	}
	if len(a.Content) > 1 && !r.MessageBlocks {
		return fmt.Errorf("the revision allows one content block in a message, and the answer has %d", len(a.Content))
	}
	for _, block := range a.Content {
		lacks := ""
		switch block := block.(type) {
		case nil:
			return errors.New("a content block is nil")
		case mcp.RawContent:
			if block.Type == "" {
				return errors.New("a content block has no type")
			}
		case mcp.Audio, *mcp.Audio:
			if !r.MessageAudio {
				lacks = "audio"
			}
		case mcp.ToolUse, *mcp.ToolUse:
			if !r.MessageBlocks {
				lacks = "tool_use"
			}
		case mcp.ToolOutcome, *mcp.ToolOutcome:
			if !r.MessageBlocks {
				lacks = "tool_result"
			}
		}
		if lacks != "" {
			return fmt.Errorf("the revision has no content block of type %s in a message", lacks)
		}
	}
	return nil
}

// TextAnswer returns a model message that contains the text, for [Options].Sample.
func TextAnswer(text string) *mcp.SampleResult {
	return &mcp.SampleResult{Content: []mcp.SampleContent{mcp.Text{Text: text}}, StopReason: "endTurn"}
}
