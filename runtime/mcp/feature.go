package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// FeatureKind is a kind of feature.
type FeatureKind string

// The kinds of features.
const (
	KindTool     FeatureKind = "tool"
	KindResource FeatureKind = "resource"
	KindTemplate FeatureKind = "resource template"
	KindPrompt   FeatureKind = "prompt"
)

// FeatureInfo describes a feature, for [Select], [Policy], [Visible], [WithListed] and [Access].
// Its slices must not be changed.
type FeatureInfo struct {
	Kind  FeatureKind
	Name  string // as published
	Title string

	Description string
	InputSchema string // of a tool

	URI    string    // of a resource; of a template, the URI template
	Groups []string  // groups from //mcp:tool group=
	Symbol string    // the Go function, such as (*Store).Search; "" if not known
	Hints  ToolHints // of a tool
	Scopes []string  // scopes that a caller needs, all of them: from //mcp:tool scopes=
	Files  []string  // further URIs of a resource: the files of a skill beside SKILL.md

	Aliases         []string // further names of a tool
	ArgumentAliases []string // former names of its arguments, as in [ToolInfo]
	Task            string   // of a tool: "optional" or "required" if its calls become tasks, otherwise ""
}

// Feature is a tool, resource, resource template or prompt. [NewTool], [NewResource],
// [NewTemplate], [NewFiles] and [NewPrompt] return one, and generated code registers the features
// of its package. Any number of servers can register it.
type Feature interface {
	Info() FeatureInfo

	// renamed returns a copy whose published names begin with the prefix.
	renamed(prefix string) Feature
	// check panics if the feature cannot be published together with the declared extensions.
	check(declared map[string]json.RawMessage)
	// names returns the names by which requests find the feature; the first is the published name.
	// The name of a resource is its URI, the name of a template its URI template.
	names() []string
	// completes reports whether the feature completes its arguments.
	completes() bool

	// listing returns the feature as the revision lists it, rendered once.
	listing(rev *protocol.Revision) []byte
	appendListing(b []byte, rev *protocol.Revision) []byte
	// listingSize returns an estimate of the bytes of listing.
	listingSize() int
}

// checkName panics if a name is not allowed (server/tools, names).
func checkName(kind FeatureKind, name string) {
	switch {
	case name == "" || len(name) > valid.MaxName:
		panic(fmt.Sprintf("mcp: %s name %q must have 1 to %d characters", kind, name, valid.MaxName))
	case !valid.IsName(name):
		panic(fmt.Sprintf("mcp: %s name %q must consist of letters, digits and the characters _ - .", kind, name))
	}
}

// ToolHints tell a client about a tool before it allows a call (ToolAnnotations in the
// specification). All four are always published, from revision 2025-03-26 on.
type ToolHints struct {
	ReadOnly    bool `json:"readOnlyHint"`    // changes nothing
	Destructive bool `json:"destructiveHint"` // may destroy or overwrite
	Idempotent  bool `json:"idempotentHint"`  // a second call with the same arguments does nothing more
	OpenWorld   bool `json:"openWorldHint"`   // deals with things outside of the server's own domain
}
