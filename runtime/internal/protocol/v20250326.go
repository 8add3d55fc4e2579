package protocol

// v20250326 adds annotations of tools, audio, the capability completions and, for this one
// revision, batches.
var v20250326 = Revision{
	Version:        "2025-03-26",
	Methods:        table(session...),
	ServerRequests: ServerRequests{Capabilities: firstCapabilities, MessageAudio: true},
	ClientMessages: ClientMessages{
		Notifications:    sessionNotifications,
		RootsListChanged: true,
	},
	ServerNotifications: firstServerNotifications,
	Fields: Fields{
		ToolAnnotations: true,
		Audio:           true,
		Completions:     true,
		ProgressMessage: true,
		Batches:         true,
	},
	Errors: Errors{
		NullID:           true,
		ResourceNotFound: CodeResourceNotFound,
	},
}
