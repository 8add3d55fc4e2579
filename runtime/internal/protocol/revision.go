// Package protocol says what the revisions of the Model Context Protocol have
// and have not, as data: one file per revision. Nothing else in the runtime
// compares a version; it asks a [Revision].
package protocol

import "slices"

// Revision is one published revision of the specification.
type Revision struct {
	// Version is its date, as it travels.
	Version string

	// PerRequest is set where version, client and capabilities come with every
	// request in its _meta, and no initialize is sent ("modern").
	PerRequest bool

	// Methods are the requests that a client may send.
	Methods map[string]Method

	Asking Asking
	Fields Fields
	Errors Errors
}

// Fields says which members of messages a revision has. Where it has not, they
// are left out or written in an older form.
type Fields struct {
	Title           bool // title of tools, resources, prompts, implementations
	ToolAnnotations bool // annotations of a tool: title and the four hints
	Icons           bool // icons, wherever they may stand
	Website         bool // websiteUrl and description of an implementation
	FeatureMeta     bool // _meta of features and of content blocks
	ForwardPrefixes bool // prefixes of _meta keys are reserved by any label but the last, not by the second
	LastModified    bool // lastModified among the annotations of content

	StructuredContent bool // outputSchema and structuredContent
	AnyOutput         bool // their root may be anything, not only an object
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

// Errors are the codes and habits that differ between revisions.
type Errors struct {
	// NullID is set where a reply must have an id, so that one to a message
	// that could not be read has null. Elsewhere it has none.
	NullID bool
	// ResourceNotFound is the code of a resource that does not exist.
	ResourceNotFound int
	// MissingCapability is the code for a client that lacks a capability; 0
	// where there is none.
	MissingCapability int
}

// Codes that the Model Context Protocol adds to those of JSON-RPC.
const (
	CodeResourceNotFound   = -32002 // until 2025-11-25
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
)

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

// All are the revisions that are served, oldest first.
var All = []*Revision{&v20241105, &v20250326, &v20250618, &v20251125, &v20260728}

// Latest is the newest revision that a session can be opened with.
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

// Negotiate answers the version that a client asks for in initialize: the same
// revision where sessions of it are served, the newest of those otherwise
// (lifecycle, version negotiation).
func Negotiate(asked string) *Revision {
	for _, r := range All {
		if r.Version == asked && !r.PerRequest {
			return r
		}
	}
	return Latest
}

// PerRequest returns the revision that a request names in its _meta, nil where
// it is not served that way.
func PerRequest(version []byte) *Revision {
	for _, r := range All {
		if r.PerRequest && r.Version == string(version) {
			return r
		}
	}
	return nil
}

// Index returns a small number for each revision, for tables.
func (r *Revision) Index() int {
	return slices.Index(All, r)
}

// AuthorCode maps the code that a handler asks for to the one that is sent. The
// reserved range belongs to JSON-RPC and the protocol (basic, error codes):
// of it a handler may use the codes that say what the request did wrong, and
// everything else becomes an internal error.
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
