package mcp

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/implfuncs"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Generated code calls package mcpimpl, which calls these functions of this package.
func init() {
	implfuncs.NewTool = func(info *ToolInfo, f toolFunc) Feature { return newTool(info, f) }
	implfuncs.NewResource = func(info *ResourceInfo, f resourceFunc) Feature { return newResource(info, f) }
	implfuncs.NewTemplate = func(info *TemplateInfo, f resourceFunc, complete map[string]CompleteFunc) Feature {
		return newTemplate(info, info.Name, f, complete)
	}
	implfuncs.NewPrompt = func(info *PromptInfo, f promptFunc, complete map[string]CompleteFunc) Feature {
		return newPrompt(info, f, complete)
	}
	implfuncs.WithDefaults = func(f Feature, errors func(error) (string, bool), hideErrors bool, timeout time.Duration) Feature {
		return f.completed(&defaults{errors: errors, hideErrors: hideErrors, timeout: timeout})
	}

	implfuncs.ToolChoices = (*ToolInfo).withChoices
	implfuncs.TemplateChoices = (*TemplateInfo).withChoices
	implfuncs.PromptChoices = (*PromptInfo).withChoices

	implfuncs.Decoder = (*Request).decoder
	implfuncs.Encoder = (*Request).encoder
	implfuncs.Structured = (*Request).structured
	implfuncs.StructuredWith = (*Request).structuredWith
	implfuncs.JSONContents = (*Request).jsonContents
	implfuncs.ReadBlob = (*Request).readBlob
	implfuncs.BlobResult = blobResult
	implfuncs.ReaderResult = readerResult
	implfuncs.NothingFound = nothingFound
	implfuncs.Stream = func(req *Request) (*wire.Encoder, func(context.Context, int) error) {
		s := newItemStream(req)
		return s.e, s.report
	}
}
