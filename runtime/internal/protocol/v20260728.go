package protocol

// v20260728 has no sessions: every request contains version, client and capabilities in its _meta.
var v20260728 = Revision{
	Version:    "2026-07-28",
	PerRequest: true,
	Methods: table(
		Discover,
		ToolsList, ToolsCall,
		ResourcesList, ResourcesTemplatesList, ResourcesRead,
		PromptsList, PromptsGet,
		Complete, Listen,
	),
	ServerRequests: ServerRequests{
		Rounds:        true,
		Capabilities:  allCapabilities,
		RichForms:     true,
		MessageBlocks: true,
		MessageAudio:  true,
	},
	ClientMessages: ClientMessages{
		Notifications:     []string{Cancelled},
		VersionHeader:     true,
		CompletionContext: true,
		CapabilityMembers: true,
	},
	ServerNotifications: listenServerNotifications,
	Fields: Fields{
		Title:             true,
		ToolAnnotations:   true,
		Icons:             true,
		Website:           true,
		FeatureMeta:       true,
		LastModified:      true,
		StructuredContent: true,
		AnyOutput:         true,
		BooleanProperties: true,
		HeaderMirrors:     true,
		Audio:             true,
		ResourceLink:      true,
		ResultType:        true,
		CacheHints:        true,
		ServerMeta:        true,
		Completions:       true,
		Extensions:        true,
		ProgressMessage:   true,
	},
	Errors: Errors{
		ResourceNotFound:  -32602,
		MissingCapability: CodeMissingCapability,
	},
	Tasks:  TaskExtension,
	Skills: true,
}
