package mcpclient

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Elicitation is a question to the user: a form, or a link to open.
type Elicitation struct {
	Mode    string          `json:"mode,omitempty"` // "form" or "", which means the same, or "url"
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"requestedSchema,omitempty"` // of a form
	URL     string          `json:"url,omitempty"`
	ID      string          `json:"elicitationId,omitempty"` // of a link, in revision 2025-11-25

	link *shownLink // nil for a form
}

// Done returns a channel that is closed when the action behind a link is done: when the server
// reports it, in revision 2025-11-25, or after Complete. It returns nil for a form.
func (e *Elicitation) Done() <-chan struct{} {
	if e.link == nil {
		return nil
	}
	return e.link.done
}

// Complete reports that the action behind a link is done. The client sends a request that the
// server has refused until then (error -32042) again when all links of the request are done.
// Servers need not report that, so a host should let the user confirm it. Any goroutine may call
// Complete, more than once; for a form it does nothing.
func (e *Elicitation) Complete() {
	if e.link != nil {
		e.link.complete()
	}
}

// ElicitAnswer is the answer of the user.
type ElicitAnswer struct {
	Action  mcp.ElicitAction `json:"action"`
	Content any              `json:"content,omitempty"` // of an accepted form: an object
}

// Accept returns the answer of a user who filled in a form; content is nil for a link.
func Accept(content any) ElicitAnswer { return ElicitAnswer{mcp.ActionAccept, content} }

// Decline returns the answer of a user who declined.
func Decline() ElicitAnswer { return ElicitAnswer{Action: mcp.ActionDecline} }

// Cancel returns the answer of a user who dismissed the question.
func Cancel() ElicitAnswer { return ElicitAnswer{Action: mcp.ActionCancel} }
