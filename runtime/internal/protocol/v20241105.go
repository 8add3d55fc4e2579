package protocol

// v20241105 is the first revision.
var v20241105 = Revision{
	Version:        "2024-11-05",
	Methods:        table(session...),
	ServerRequests: ServerRequests{Capabilities: firstCapabilities},
	ClientMessages: ClientMessages{
		Notifications:    sessionNotifications,
		RootsListChanged: true,
	},
	ServerNotifications: firstServerNotifications,
	Errors: Errors{
		NullID:           true,
		ResourceNotFound: CodeResourceNotFound,
	},
}
