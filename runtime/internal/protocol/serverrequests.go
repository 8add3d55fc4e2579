package protocol

// ServerRequests describes the requests of servers to clients in a revision (ServerRequest in the
// schema of the specification), and how they are sent.
type ServerRequests struct {
	// Rounds is set if servers do not send requests: the requests are part of an input_required
	// result, and the client calls again with the answers (multi round-trip requests).
	Rounds bool
	// Capabilities are the possible capabilities of a client, each with the capability that
	// declares it: itself, or another one that implies it.
	Capabilities map[string]string

	RichForms     bool // defaults, titles of choices as oneOf, multi-select
	ElicitationID bool // elicitationId of links, and its notification
	MessageBlocks bool // messages of several blocks, tools and their use
	MessageAudio  bool // audio in messages
}

// Requests that a server sends, or includes in a result.
const (
	CreateElicitation = "elicitation/create"
	CreateMessage     = "sampling/createMessage"
	ListRoots         = "roots/list"
)

// Notifications that a server sends while it handles a request.
const (
	LogMessage          = "notifications/message"
	ElicitationComplete = "notifications/elicitation/complete"
)

// Levels are the severities of log messages, the least one first (RFC 5424).
var Levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// DefaultLevel is the index in Levels from which on a session gets messages before it has set a
// level.
const DefaultLevel = 1

// Capabilities of clients, by the revision that added them.
var (
	firstCapabilities = map[string]string{
		"sampling": "sampling", "sampling.context": "sampling", "roots": "roots",
	}
	formCapabilities = map[string]string{
		"sampling": "sampling", "sampling.context": "sampling", "roots": "roots",
		"elicitation": "elicitation",
	}
	allCapabilities = map[string]string{
		"sampling": "sampling", "sampling.context": "sampling.context", "sampling.tools": "sampling.tools",
		"roots": "roots", "elicitation": "elicitation", "elicitation.url": "elicitation.url",
	}
)
