package mcpclient

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Elicitation is a question to the user: a form, or a link to open.
type Elicitation struct {
	Mode    string          `json:"mode,omitempty"` // "form", which "" means as well, or "url"
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"requestedSchema,omitempty"` // of a form
	URL     string          `json:"url,omitempty"`
	ID      string          `json:"elicitationId,omitempty"` // of a link, in revision 2025-11-25

	done <-chan struct{}
}

// Done is closed when the server has said that what a link is for is done, in revision
// 2025-11-25. It is never closed for a form.
func (e *Elicitation) Done() <-chan struct{} { return e.done }

// ElicitAnswer is the answer of the user.
type ElicitAnswer struct {
	Action  mcp.ElicitAction `json:"action"`
	Content any              `json:"content,omitempty"` // of an accepted form: an object
}

// Accept returns the answer of a user who has filled in a form; for a link,
// content is nil.
func Accept(content any) ElicitAnswer { return ElicitAnswer{mcp.ActionAccept, content} }

// Decline returns the answer of a user who has declined.
func Decline() ElicitAnswer { return ElicitAnswer{Action: mcp.ActionDecline} }

// Cancel returns the answer of a user who has dismissed the question.
func Cancel() ElicitAnswer { return ElicitAnswer{Action: mcp.ActionCancel} }
