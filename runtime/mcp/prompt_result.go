package mcp

import (
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// PromptResult is the result of getting a prompt (GetPromptResult in the specification).
type PromptResult struct {
	Description string          `json:"description,omitempty"` // "" = the description of the prompt
	Messages    []PromptMessage `json:"messages"`
	Meta        Meta            `json:"_meta,omitempty"`
}

// Text returns the texts in the messages, one per line, each with its role: "user: Review this".
func (p *PromptResult) Text() string {
	var lines []string
	for _, m := range p.Messages {
		if t, ok := m.Content.(Text); ok {
			lines = append(lines, string(m.Role)+": "+t.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// PromptMessage is one message, with content of any kind: text, image, audio, a link to a resource
// or a resource itself.
type PromptMessage struct {
	Role    Role    `json:"role"` // "" = [RoleUser]
	Content Content `json:"content"`
}

// FromUser returns a message of the user.
func FromUser(content Content) PromptMessage { return PromptMessage{RoleUser, content} }

// FromAssistant returns a message of the assistant.
func FromAssistant(content Content) PromptMessage { return PromptMessage{RoleAssistant, content} }

// PromptText returns a prompt of one text message of the user.
func PromptText(text string) *PromptResult {
	return PromptMessages(FromUser(Text{Text: text}))
}

// PromptMessages returns a prompt of the messages.
func PromptMessages(messages ...PromptMessage) *PromptResult {
	return &PromptResult{Messages: messages}
}

func (p *PromptResult) appendTo(b []byte, r *rendering) []byte {
	b = append(b, `{"messages":[`...)
	r.bound(b, r.resultLimit())
	for i, m := range p.Messages {
		if i > 0 {
			b = append(b, ',')
		}
		if m.Content == nil {
			r.fail(errors.New("write prompt: message without content"))
		}
		if r.checkSize(b); r.err != nil {
			return b
		}
		role := Role(orElse(string(m.Role), string(RoleUser)))
		r.check(role.check())
		b = append(b, `{"role":`...)
		b = wire.AppendString(b, string(role))
		b = append(b, `,"content":`...)
		b = m.Content.(contentWriter).appendTo(b, r)
		b = append(b, '}')
	}
	if r.checkSize(b); r.err != nil {
		return b
	}
	b = append(b, ']')
	description := p.Description
	if description == "" {
		description = r.description
	}
	b = jsonobject.AppendText(b, "description", description)
	return r.closeResult(b, p.Meta, false)
}

func (p *PromptResult) weight() int {
	size := metaWeight(p.Meta)
	for i := range p.Messages {
		size += contentWeight(p.Messages[i].Content)
	}
	return size
}

func (p *PromptResult) least() (size int) {
	for i := range p.Messages {
		size += contentSize(p.Messages[i].Content)
	}
	return size
}
