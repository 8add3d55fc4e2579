package mcpclient

import (
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Progress is a progress notification of a request.
type Progress struct {
	Done    float64 `json:"progress"`
	Total   float64 `json:"total,omitempty"`   // 0 = unknown
	Message string  `json:"message,omitempty"` // from revision 2025-03-26 on
}

// LogMessage is a log message of the server.
type LogMessage struct {
	Level  string          `json:"level"`
	Logger string          `json:"logger,omitempty"`
	Data   json.RawMessage `json:"data"`
}

// String returns the message as one line: level, logger, data.
func (m LogMessage) String() string {
	return fmt.Sprintf("%s %s: %s", m.Level, m.Logger, string(m.Data))
}

// DiscoverResult is a server's description of itself: the result of server/discover, or of
// initialize.
type DiscoverResult struct {
	mcp.ServerInfo // without ListTTL and PrivateLists, which only the author of a server sets
	Capabilities   map[string]json.RawMessage
	// Versions are the protocol versions of the server, from revision 2026-07-28 on.
	Versions []string
}
