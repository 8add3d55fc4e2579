// Package implfuncs holds the functions of package mcp that package mcpimpl calls.
//
// Generated code is in packages of other modules, so what it calls is exported, by mcpimpl.
// The implementation needs fields and methods that package mcp does not export, since people
// do not use them. A package cannot reach those of another one. Therefore package mcp returns
// them in [Funcs], whose type only this module can name, and mcpimpl converts each of them to
// its type once, when a program starts. A call costs as much as that of a function value. A
// program without mcpimpl, such as a client, does not link them.
//
// The fields have the type any because this package cannot import mcp; the comments give
// their types. If two types differ, a program that imports mcpimpl panics when it starts.
package implfuncs

// Choices are the values of an argument that are known when features are registered.
type Choices struct {
	Function string // as the schema and the decoder name them
	Argument string // that is completed, of prompts and templates
	Values   []string
}

// Funcs are functions that make features, read requests and write results.
type Funcs struct {
	// NewTool, NewResource, NewTemplate and NewPrompt return a feature of a function.
	NewTool     any // func(*mcp.ToolInfo, func(context.Context, *mcp.Request) (*mcp.ToolResult, error)) mcp.Feature
	NewResource any // func(*mcp.ResourceInfo, func(context.Context, *mcp.Request) (*mcp.ResourceResult, error)) mcp.Feature
	NewTemplate any // func(*mcp.TemplateInfo, func(context.Context, *mcp.Request) (*mcp.ResourceResult, error), map[string]mcp.CompleteFunc) mcp.Feature
	NewPrompt   any // func(*mcp.PromptInfo, func(context.Context, *mcp.Request) (*mcp.PromptResult, error), map[string]mcp.CompleteFunc) mcp.Feature

	// WithDefaults returns a copy of a feature whose description has these values
	// where its own are nil, false and 0.
	WithDefaults any // func(f mcp.Feature, errors func(error) (string, bool), hideErrors bool, timeout time.Duration) mcp.Feature

	// ToolChoices, TemplateChoices and PromptChoices return a copy of a description with
	// choices.
	ToolChoices     any // func(*mcp.ToolInfo, []Choices) *mcp.ToolInfo
	TemplateChoices any // func(*mcp.TemplateInfo, []Choices) *mcp.TemplateInfo
	PromptChoices   any // func(*mcp.PromptInfo, []Choices) *mcp.PromptInfo

	// Decoder and the functions below are those of mcpimpl with the same names.
	Decoder        any // func(*mcp.Request) *wire.Decoder
	Encoder        any // func(*mcp.Request) *wire.Encoder
	Structured     any // func(*mcp.Request, *wire.Encoder) (*mcp.ToolResult, error)
	StructuredWith any // func(*mcp.Request, *wire.Encoder, string, ...mcp.Content) (*mcp.ToolResult, error)
	JSONContents   any // func(*mcp.Request, *wire.Encoder) (*mcp.ResourceResult, error)
	ReadBlob       any // func(*mcp.Request, io.Reader) (*mcp.ResourceResult, error)
	BlobResult     any // func(*mcp.Request, string, []byte) *mcp.ToolResult
	ReaderResult   any // func(*mcp.Request, string, io.Reader) (*mcp.ToolResult, error)
	NothingFound   any // func() *mcp.ToolResult

	// Stream returns the encoder of an array of items, and what reports to the client the
	// item that the encoder holds from a position on.
	Stream any // func(*mcp.Request) (*wire.Encoder, func(ctx context.Context, start int) error)
}
