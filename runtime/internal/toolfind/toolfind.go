// Package toolfind defines the interfaces between a server and package mcpfind. The server turns a
// call of [UseTool] or [UseReadOnlyTool] into a call of the tool that it names; mcpfind ranks and
// describes tools, and is linked only by programs that import it.
package toolfind

import "context"

// The names of the tools that find and call others.
const (
	SearchTools     = "search_tools"
	UseReadOnlyTool = "use_readonly_tool"
	UseTool         = "use_tool"
)

// Is reports whether a name is one of the three.
func Is(name string) bool {
	return name == SearchTools || name == UseReadOnlyTool || name == UseTool
}

// Finder is created by mcpfind. Its functions may be called by many goroutines.
type Finder struct {
	// Threshold is the number of tools up to which all are listed.
	Threshold int
	// Keeps reports whether a tool is listed with the three.
	Keeps func(name string, groups []string) bool
	// Instructions returns a text for the instructions of the server, by the number of tools in
	// each group.
	Instructions func(groups map[string]int, all int) string
	// Nearest returns the names that are most similar to a name that does not exist.
	Nearest func(name string, names []string) []string
}

// Host is the server.
type Host interface {
	// Changes returns a number that changes when a tool is registered or removed.
	Changes() uint64
	// Searchable reports whether the request of a context sees a tool, and may find it.
	Searchable(ctx context.Context, name string) bool
}
