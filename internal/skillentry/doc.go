// Package skillentry reads the entries of skills that a server publishes, and checks files against
// them, as the Skills extension (io.modelcontextprotocol/skills) requires from hosts. It sends no
// requests: package mcpskillclient and the command send them in their own ways.
package skillentry

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/internal/skill"
)

// Methods of the extension.
const (
	MethodList = "skills/list"
	MethodGet  = "skills/get"
)

// MinRevision is the first protocol revision that has the extension. Names of revisions are dates.
const MinRevision = "2026-07-28"

// Declared reports whether a server declares the extension, by its capabilities.
func Declared(capabilities map[string]json.RawMessage) bool {
	var extensions map[string]json.RawMessage
	if json.Unmarshal(capabilities["extensions"], &extensions) != nil {
		return false
	}
	var settings map[string]json.RawMessage
	return json.Unmarshal(extensions[skill.Extension], &settings) == nil && settings != nil
}
