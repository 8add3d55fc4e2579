package protocol

// v20250618 adds titles, structured content, resource links and _meta on features; it removes
// batches.
var v20250618 = Revision{
	Version:        "2025-06-18",
	Methods:        table(session...),
	ServerRequests: ServerRequests{Capabilities: formCapabilities, MessageAudio: true},
	ClientMessages: ClientMessages{
		Notifications:     sessionNotifications,
		VersionHeader:     true,
		CompletionContext: true,
		RootsListChanged:  true,
	},
	ServerNotifications: firstServerNotifications,
	Fields: Fields{
		Title:             true,
		ToolAnnotations:   true,
		FeatureMeta:       true,
		ForwardPrefixes:   true,
		LastModified:      true,
		StructuredContent: true,
		Audio:             true,
		ResourceLink:      true,
		Completions:       true,
		ProgressMessage:   true,
	},
	Errors: Errors{
		NullID:           true,
		ResourceNotFound: CodeResourceNotFound,
	},
}
