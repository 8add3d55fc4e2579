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
	funcs = mcp.ImplFuncs()

	newTool     = funcs.NewTool.(func(*mcp.ToolInfo, toolFunc) mcp.Feature)
	newResource = funcs.NewResource.(func(*mcp.ResourceInfo, resourceFunc) mcp.Feature)
	newTemplate = funcs.NewTemplate.(func(*mcp.TemplateInfo, resourceFunc, completers) mcp.Feature)
	newPrompt   = funcs.NewPrompt.(func(*mcp.PromptInfo, promptFunc, completers) mcp.Feature)

	withDefaults = funcs.WithDefaults.(func(mcp.Feature, func(error) (string, bool), bool, time.Duration) mcp.Feature)

	toolChoices     = funcs.ToolChoices.(func(*mcp.ToolInfo, []implfuncs.Choices) *mcp.ToolInfo)
	templateChoices = funcs.TemplateChoices.(func(*mcp.TemplateInfo, []implfuncs.Choices) *mcp.TemplateInfo)
	promptChoices   = funcs.PromptChoices.(func(*mcp.PromptInfo, []implfuncs.Choices) *mcp.PromptInfo)

	decoder        = funcs.Decoder.(func(*mcp.Request) *wire.Decoder)
	encoder        = funcs.Encoder.(func(*mcp.Request) *wire.Encoder)
	structured     = funcs.Structured.(func(*mcp.Request, *wire.Encoder) (*mcp.ToolResult, error))
	structuredWith = funcs.StructuredWith.(func(*mcp.Request, *wire.Encoder, string, ...mcp.Content) (*mcp.ToolResult, error))
	jsonContents   = funcs.JSONContents.(func(*mcp.Request, *wire.Encoder) (*mcp.ResourceResult, error))
	readBlob       = funcs.ReadBlob.(func(*mcp.Request, io.Reader) (*mcp.ResourceResult, error))
	blobResult     = funcs.BlobResult.(func(*mcp.Request, string, []byte) *mcp.ToolResult)
	readerResult   = funcs.ReaderResult.(func(*mcp.Request, string, io.Reader) (*mcp.ToolResult, error))
	nothingFound   = funcs.NothingFound.(func() *mcp.ToolResult)
	newStream      = funcs.Stream.(func(*mcp.Request) (*wire.Encoder, func(context.Context, int) error))
)
