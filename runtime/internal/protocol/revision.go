// Package protocol describes the differences between the revisions of the Model Context Protocol as
// data: one file per revision. The rest of the runtime never compares versions; it uses the fields
// of a [Revision].
package protocol

import "slices"

// Revision is one published revision of the specification.
type Revision struct {
	// Version is the date of the revision, in the form of the protocol.
	Version string

	// PerRequest is set if every request contains version, client and capabilities in its _meta,
	// and the revision does not define initialize ("modern").
	PerRequest bool

	// Methods are the requests that a client may send.
	Methods map[string]Method

	ServerRequests ServerRequests
	ClientMessages ClientMessages
	// ServerNotifications are the notifications that a server may send.
	ServerNotifications []string

	Fields Fields
	Errors Errors
	Tasks  TaskForm
	// Skills is set if the extension [SkillsName] can be declared: its results extend members of
	// the revision. In the others, the files of skills are resources.
	Skills bool
}

// Fields describes the members of messages that a revision defines. Members that it does not define
// are left out or written in an older form.
type Fields struct {
	Title           bool // title of tools, resources, prompts, implementations
	ToolAnnotations bool // annotations of a tool: title and the four hints
	Icons           bool // icons of anything that may have them
	Website         bool // websiteUrl and description of an implementation
	FeatureMeta     bool // _meta of features and of content blocks
	ForwardPrefixes bool // prefixes of _meta keys are reserved by any label but the last, not by the second
	LastModified    bool // lastModified among the annotations of content

	StructuredContent bool // outputSchema and structuredContent
	AnyOutput         bool // their root may be any value, not only an object
	BooleanProperties bool // true and false as schemas of properties, at the root of a tool's schemas
	HeaderMirrors     bool // x-mcp-header in input schemas

	Audio        bool // content blocks of type audio
	ResourceLink bool // content blocks of type resource_link

	ResultType bool // resultType of every result
	CacheHints bool // ttlMs and cacheScope of lists, resources and server/discover
	ServerMeta bool // serverInfo in the _meta of every result

	Completions     bool // the capability completions
	Extensions      bool // the capability extensions, on either side
	ProgressMessage bool // message of progress notifications
	Batches         bool // arrays of messages are received
	Polling         bool // event streams of sessions begin with an event without data, and may end before the reply
}

// Errors contains the codes and rules of errors that differ between revisions.
type Errors struct {
	// NullID is set if every reply must contain an id: the id of a reply to an unreadable message
	// is then null. Otherwise such a reply is sent without an id.
	NullID bool
	// ResourceNotFound is the code for a resource that does not exist.
	ResourceNotFound int
	// MissingCapability is the code for a client that lacks a capability; 0 if the revision does
	// not define one.
	MissingCapability int
}

// Codes that the Model Context Protocol adds to the codes of JSON-RPC.
const (
	CodeResourceNotFound   = -32002 // until 2025-11-25
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
)

// UIName is the extension by which hosts show pages beside the results of tools (MCP Apps).
const UIName = "io.modelcontextprotocol/ui"

// Meta keys that the protocol reserves.
const (
	MetaVersion      = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo   = "io.modelcontextprotocol/clientInfo"
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaLogLevel     = "io.modelcontextprotocol/logLevel"
	MetaServerInfo   = "io.modelcontextprotocol/serverInfo"
	MetaSubscription = "io.modelcontextprotocol/subscriptionId"

	MetaRelatedTask          = "io.modelcontextprotocol/related-task"
	MetaModelImmediateAnswer = "io.modelcontextprotocol/model-immediate-response"
)

// SkillsName is the name of the extension by which servers declare skills.
const SkillsName = "io.modelcontextprotocol/skills"

// All contains the supported revisions, oldest first.
var All = []*Revision{&v20241105, &v20250326, &v20250618, &v20251125, &v20260728}

// Latest is the newest revision with sessions.
var Latest = &v20251125

// Versions are the versions of All, newest first.
var Versions = func() []string {
	var v []string
	for _, r := range All {
		v = append(v, r.Version)
	}
	slices.Reverse(v)
	return v
}()

// Negotiate returns the revision for the version that a client requests in initialize: the
// requested revision if it has sessions and is supported, otherwise the newest one with sessions
// (lifecycle, version negotiation).
func Negotiate(asked string) *Revision {
	for _, r := range All {
		if r.Version == asked && !r.PerRequest {
			return r
		}
	}
	return Latest
}

// PerRequest returns the revision that a request names in its _meta, or nil if that revision is not
// supported or has sessions.
func PerRequest(version []byte) *Revision {
	for _, r := range All {
		if r.PerRequest && r.Version == string(version) {
			return r
		}
	}
	return nil
}

// Find returns the revision of a version, or nil.
func Find(version string) *Revision {
	for _, r := range All {
		if r.Version == version {
			return r
		}
	}
	return nil
}

// Index returns a small number for each revision, for tables.
func (r *Revision) Index() int {
	return slices.Index(All, r)
}

// AuthorCode maps the error code of a handler to the code that is sent. The reserved range belongs
// to JSON-RPC and the protocol (basic, error codes): from it, a handler may use the codes for
// faults of the request; all others become an internal error.
func (r *Revision) AuthorCode(code int) int {
	switch {
	case code < -32768 || code > -32000:
		return code
	case code == CodeResourceNotFound:
		return r.Errors.ResourceNotFound
	case code <= -32600 && code >= -32603:
		return code
	}
	return -32603
}
