package protocol

// v20251125 adds icons, and a description of implementations. It is the last revision with
// sessions.
var v20251125 = Revision{
	Version: "2025-11-25",
	Methods: table(session...),
	ServerRequests: ServerRequests{
		Capabilities:  allCapabilities,
		RichForms:     true,
		ElicitationID: true,
		MessageBlocks: true,
		MessageAudio:  true,
	},
	ClientMessages: ClientMessages{
		Notifications:     sessionNotifications,
		VersionHeader:     true,
		CompletionContext: true,
		CapabilityMembers: true,
		RootsListChanged:  true,
	},
	ServerNotifications: linkServerNotifications,
	Fields: Fields{
		Title:             true,
		ToolAnnotations:   true,
		Icons:             true,
		Website:           true,
		FeatureMeta:       true,
		LastModified:      true,
		StructuredContent: true,
		Audio:             true,
		ResourceLink:      true,
		Completions:       true,
		Extensions:        true,
		ProgressMessage:   true,
		Polling:           true,
	},
	Errors: Errors{
		ResourceNotFound: CodeResourceNotFound,
	},
	Tasks: TaskSession,
}
