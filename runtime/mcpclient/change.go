package mcpclient

import "github.com/mcpgen/mcpgen/runtime/internal/protocol"

// Filter selects the changes to watch.
type Filter struct {
	Tools     bool     // the list of tools
	Prompts   bool     // the list of prompts
	Resources bool     // the lists of resources and of templates
	URIs      []string // the contents of resources
}

// Change is a notification of a change. Method is its kind.
type Change struct {
	Method string
	URI    string // of a resource that was updated
}

// The methods of a Change.
const (
	ToolsChanged     = protocol.ToolsListChanged
	PromptsChanged   = protocol.PromptsListChanged
	ResourcesChanged = protocol.ResourcesListChanged
	ResourceUpdated  = protocol.ResourceUpdated
)
