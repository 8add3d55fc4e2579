package protocol

// ClientMessages describes the messages that clients send in a revision, apart from the requests in
// Methods.
type ClientMessages struct {
	// Notifications are the methods that a client may send (ClientNotification in the schema of the
	// specification). ServerNotifications contains the methods of servers.
	Notifications []string
	// VersionHeader is set if HTTP requests after the first contain the header field
	// MCP-Protocol-Version.
	VersionHeader bool
	// CompletionContext is set if completion/complete contains the arguments that are known
	// already, as context.
	CompletionContext bool
	// CapabilityMembers is set if the capabilities elicitation and sampling contain a member for
	// each kind: form and url, context and tools.
	CapabilityMembers bool
	// RootsListChanged is set if the capability roots contains listChanged.
	RootsListChanged bool
}

// Notifications of clients.
var sessionNotifications = []string{Initialized, Cancelled, Progress, RootsListChanged}

// Notifications of servers, by the revision that added them.
var (
	firstServerNotifications = []string{
		Cancelled, Progress, LogMessage,
		ToolsListChanged, PromptsListChanged, ResourcesListChanged, ResourceUpdated,
	}
	linkServerNotifications   = append([]string{ElicitationComplete}, firstServerNotifications...)
	listenServerNotifications = append([]string{Acknowledged}, firstServerNotifications...)
)
