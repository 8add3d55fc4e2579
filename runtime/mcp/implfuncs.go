package mcp

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/implfuncs"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ImplFuncs returns the functions that package mcpimpl calls for generated code. It is for
// that package alone.
func ImplFuncs() (all implfuncs.Funcs) {
	all.NewTool = func(info *ToolInfo, f toolFunc) Feature {
		t := newTool(info, f)
		t.reads = true
		return t
	}
	all.NewResource = func(info *ResourceInfo, f resourceFunc) Feature { return newResource(info, f) }
	all.NewTemplate = func(info *TemplateInfo, f resourceFunc, complete map[string]CompleteFunc) Feature {
		return newTemplate(info, info.Name, f, complete)
	}
	all.NewPrompt = func(info *PromptInfo, f promptFunc, complete map[string]CompleteFunc) Feature {
		return newPrompt(info, f, complete)
	}
	all.WithDefaults = func(f Feature, errors func(error) (string, bool), hideErrors bool, timeout time.Duration) Feature {
		return f.completed(&defaults{errors: errors, hideErrors: hideErrors, timeout: timeout})
	}

	all.ToolChoices = (*ToolInfo).withChoices
	all.TemplateChoices = (*TemplateInfo).withChoices
	all.PromptChoices = (*PromptInfo).withChoices

	all.Decoder = (*Request).decoder
	all.Encoder = (*Request).encoder
	all.Structured = (*Request).structured
	all.StructuredWith = (*Request).structuredWith
	all.JSONContents = (*Request).jsonContents
	all.ReadBlob = (*Request).readBlob
	all.BlobResult = blobResult
	all.ReaderResult = readerResult
	all.NothingFound = nothingFound
	all.Stream = func(req *Request) (*wire.Encoder, func(context.Context, int) error) {
		s := newItemStream(req)
		return s.e, s.report
	}
	return all
}
