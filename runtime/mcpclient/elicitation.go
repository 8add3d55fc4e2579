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

	link *shownLink // nil for a form
}

// Done is closed when what a link is for is done: when the server has said so, in revision
// 2025-11-25, or after Complete. It is nil for a form.
func (e *Elicitation) Done() <-chan struct{} {
	if e.link == nil {
		return nil
	}
	return e.link.done
}

// Complete says that what a link is for is done. A request that the server has refused until
// then (error -32042) is sent again when all its links are: servers need not say so, so a host
// gives the user a means to. It may be called more than once, and by any goroutine; for a form
// it does nothing.
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

// Accept returns the answer of a user who has filled in a form; for a link,
// content is nil.
func Accept(content any) ElicitAnswer { return ElicitAnswer{mcp.ActionAccept, content} }

// Decline returns the answer of a user who has declined.
func Decline() ElicitAnswer { return ElicitAnswer{Action: mcp.ActionDecline} }

// Cancel returns the answer of a user who has dismissed the question.
func Cancel() ElicitAnswer { return ElicitAnswer{Action: mcp.ActionCancel} }
