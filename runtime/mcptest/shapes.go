package mcptest

import "github.com/mcpgen/mcpgen/runtime/mcpclient"

// Types of what travels.
type (
	// Meta is [mcpclient.Meta].
	Meta = mcpclient.Meta
	// Content is [mcpclient.Content].
	Content = mcpclient.Content
	// Contents is [mcpclient.Contents].
	Contents = mcpclient.Contents
	// Annotations is [mcpclient.Annotations].
	Annotations = mcpclient.Annotations
	// Icon is [mcpclient.Icon].
	Icon = mcpclient.Icon
	// Blocks is [mcpclient.Blocks].
	Blocks = mcpclient.Blocks
	// ResultInfo is [mcpclient.ResultInfo].
	ResultInfo = mcpclient.ResultInfo
	// ToolResult is [mcpclient.ToolResult].
	ToolResult = mcpclient.ToolResult
	// ReadResult is [mcpclient.ReadResult].
	ReadResult = mcpclient.ReadResult
	// PromptResult is [mcpclient.PromptResult].
	PromptResult = mcpclient.PromptResult
	// PromptMessage is [mcpclient.PromptMessage].
	PromptMessage = mcpclient.PromptMessage
	// Completion is [mcpclient.Completion].
	Completion = mcpclient.Completion
	// Progress is [mcpclient.Progress].
	Progress = mcpclient.Progress
	// LogMessage is [mcpclient.LogMessage].
	LogMessage = mcpclient.LogMessage
	// Implementation is [mcpclient.Implementation].
	Implementation = mcpclient.Implementation
	// ServerInfo is [mcpclient.ServerInfo].
	ServerInfo = mcpclient.ServerInfo
	// Tool is [mcpclient.Tool].
	Tool = mcpclient.Tool
	// ToolHints is [mcpclient.ToolHints].
	ToolHints = mcpclient.ToolHints
	// Resource is [mcpclient.Resource].
	Resource = mcpclient.Resource
	// Template is [mcpclient.Template].
	Template = mcpclient.Template
	// Prompt is [mcpclient.Prompt].
	Prompt = mcpclient.Prompt
	// PromptArgument is [mcpclient.PromptArgument].
	PromptArgument = mcpclient.PromptArgument
	// Elicitation is [mcpclient.Elicitation].
	Elicitation = mcpclient.Elicitation
	// ElicitAnswer is [mcpclient.ElicitAnswer].
	ElicitAnswer = mcpclient.ElicitAnswer
	// SampleRequest is [mcpclient.SampleRequest].
	SampleRequest = mcpclient.SampleRequest
	// SampleMessage is [mcpclient.SampleMessage].
	SampleMessage = mcpclient.SampleMessage
	// ModelPreferences is [mcpclient.ModelPreferences].
	ModelPreferences = mcpclient.ModelPreferences
	// ModelHint is [mcpclient.ModelHint].
	ModelHint = mcpclient.ModelHint
	// ToolChoice is [mcpclient.ToolChoice].
	ToolChoice = mcpclient.ToolChoice
	// SampleAnswer is [mcpclient.SampleAnswer].
	SampleAnswer = mcpclient.SampleAnswer
	// Filter is [mcpclient.Filter].
	Filter = mcpclient.Filter
	// Change is [mcpclient.Change].
	Change = mcpclient.Change
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
