// Package skillentry reads the entries of skills that a server publishes, and checks files against
// them, as the Skills extension (io.modelcontextprotocol/skills) requires from hosts. It sends no
// requests: package mcpskillclient and the command send them in their own ways.
package skillentry

import "encoding/json"

// Names of the extension.
const (
	Extension       = "io.modelcontextprotocol/skills"
	MethodList      = "skills/list"
	MethodGet       = "skills/get"
	MethodDirectory = "resources/directory/read"
)

// MinRevision is the first protocol revision that has the extension. Names of revisions are dates.
const MinRevision = "2026-07-28"

// Limits of the extension for one skill. A host need not accept more (Limits).
const (
	MaxFiles = 512
	MaxBytes = 16 << 20
)

// MainFile is the path of the file that every skill has.
const MainFile = "SKILL.md"

// Declared reports whether a server declares the extension, by its capabilities.
func Declared(capabilities map[string]json.RawMessage) bool {
	var extensions map[string]json.RawMessage
	if json.Unmarshal(capabilities["extensions"], &extensions) != nil {
		return false
	}
	var settings map[string]json.RawMessage
	return json.Unmarshal(extensions[Extension], &settings) == nil && settings != nil
}
