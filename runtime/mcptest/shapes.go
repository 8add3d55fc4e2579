package mcptest

import "github.com/mcpgen/mcpgen/runtime/mcpclient"

// The shapes of what travels are those of package mcpclient.
type (
	Meta             = mcpclient.Meta
	Content          = mcpclient.Content
	Contents         = mcpclient.Contents
	Annotations      = mcpclient.Annotations
	Icon             = mcpclient.Icon
	Blocks           = mcpclient.Blocks
	ResultInfo       = mcpclient.ResultInfo
	ToolResult       = mcpclient.ToolResult
	ReadResult       = mcpclient.ReadResult
	PromptResult     = mcpclient.PromptResult
	PromptMessage    = mcpclient.PromptMessage
	Completion       = mcpclient.Completion
	Progress         = mcpclient.Progress
	LogMessage       = mcpclient.LogMessage
	Implementation   = mcpclient.Implementation
	ServerInfo       = mcpclient.ServerInfo
	Tool             = mcpclient.Tool
	ToolHints        = mcpclient.ToolHints
	Resource         = mcpclient.Resource
	Template         = mcpclient.Template
	Prompt           = mcpclient.Prompt
	PromptArgument   = mcpclient.PromptArgument
	Elicitation      = mcpclient.Elicitation
	ElicitAnswer     = mcpclient.ElicitAnswer
	SampleRequest    = mcpclient.SampleRequest
	SampleMessage    = mcpclient.SampleMessage
	ModelPreferences = mcpclient.ModelPreferences
	ModelHint        = mcpclient.ModelHint
	ToolChoice       = mcpclient.ToolChoice
	SampleAnswer     = mcpclient.SampleAnswer
	Filter           = mcpclient.Filter
	Change           = mcpclient.Change
)

// The methods of a Change.
const (
	ToolsChanged     = mcpclient.ToolsChanged
	PromptsChanged   = mcpclient.PromptsChanged
	ResourcesChanged = mcpclient.ResourcesChanged
	ResourceUpdated  = mcpclient.ResourceUpdated
)

// Text returns a block of text, for answers to [Options.Sample].
func Text(text string) Content { return mcpclient.Text(text) }

// Accept returns the answer of a user who has filled in a form; for a link,
// content is nil.
func Accept(content any) ElicitAnswer { return mcpclient.Accept(content) }

// Decline returns the answer of a user who has declined.
func Decline() ElicitAnswer { return mcpclient.Decline() }

// Cancel returns the answer of a user who has dismissed the question.
func Cancel() ElicitAnswer { return mcpclient.Cancel() }

// TextAnswer returns a message of the model with a text.
func TextAnswer(text string) *SampleAnswer { return mcpclient.TextAnswer(text) }
