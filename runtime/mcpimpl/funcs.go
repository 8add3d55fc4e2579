package mcpimpl

import (
	"context"
	"io"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/implfuncs"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type (
	toolFunc     = func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error)
	resourceFunc = func(ctx context.Context, req *mcp.Request) (*mcp.ResourceResult, error)
	promptFunc   = func(ctx context.Context, req *mcp.Request) (*mcp.PromptResult, error)
	completers   = map[string]mcp.CompleteFunc
)

// Functions of package mcp that it does not export. They are converted when a program
// starts, so a call needs no check.
var (
	newTool     = implfuncs.NewTool.(func(*mcp.ToolInfo, toolFunc) mcp.Feature)
	newResource = implfuncs.NewResource.(func(*mcp.ResourceInfo, resourceFunc) mcp.Feature)
	newTemplate = implfuncs.NewTemplate.(func(*mcp.TemplateInfo, resourceFunc, completers) mcp.Feature)
	newPrompt   = implfuncs.NewPrompt.(func(*mcp.PromptInfo, promptFunc, completers) mcp.Feature)

	withDefaults = implfuncs.WithDefaults.(func(mcp.Feature, func(error) (string, bool), bool, time.Duration) mcp.Feature)

	toolChoices     = implfuncs.ToolChoices.(func(*mcp.ToolInfo, []implfuncs.Choices) *mcp.ToolInfo)
	templateChoices = implfuncs.TemplateChoices.(func(*mcp.TemplateInfo, []implfuncs.Choices) *mcp.TemplateInfo)
	promptChoices   = implfuncs.PromptChoices.(func(*mcp.PromptInfo, []implfuncs.Choices) *mcp.PromptInfo)

	decoder        = implfuncs.Decoder.(func(*mcp.Request) *wire.Decoder)
	encoder        = implfuncs.Encoder.(func(*mcp.Request) *wire.Encoder)
	structured     = implfuncs.Structured.(func(*mcp.Request, *wire.Encoder) (*mcp.ToolResult, error))
	structuredWith = implfuncs.StructuredWith.(func(*mcp.Request, *wire.Encoder, string, ...mcp.Content) (*mcp.ToolResult, error))
	jsonContents   = implfuncs.JSONContents.(func(*mcp.Request, *wire.Encoder) (*mcp.ResourceResult, error))
	readBlob       = implfuncs.ReadBlob.(func(*mcp.Request, io.Reader) (*mcp.ResourceResult, error))
	blobResult     = implfuncs.BlobResult.(func(*mcp.Request, string, []byte) *mcp.ToolResult)
	readerResult   = implfuncs.ReaderResult.(func(*mcp.Request, string, io.Reader) (*mcp.ToolResult, error))
	nothingFound   = implfuncs.NothingFound.(func() *mcp.ToolResult)
	newStream      = implfuncs.Stream.(func(*mcp.Request) (*wire.Encoder, func(context.Context, int) error))
)
