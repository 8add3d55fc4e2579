package mcp

import (
	"context"
	"io"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// implFuncs are the functions that make features, read requests and write results. Generated code
// belongs to packages of other modules, so package mcpimpl exports these functions, under the same
// names.
type implFuncs struct {
	NewTool     func(*ToolInfo, toolFunc) Feature
	NewResource func(*ResourceInfo, resourceFunc) Feature
	NewPrompt   func(*PromptInfo, promptFunc, map[string]CompleteFunc) Feature

	// WithDefaults returns a copy of a feature whose description has these values in place of its
	// own nil, false and 0.
	WithDefaults func(f Feature, errors func(error) (string, bool), hideErrors bool, timeout time.Duration) Feature

	// ToolChoices and PromptChoices return a copy of a description with choices.
	ToolChoices   func(*ToolInfo, []friend.Choices) *ToolInfo
	PromptChoices func(*PromptInfo, []friend.Choices) *PromptInfo

	Decoder        func(*Request) *wire.Decoder
	Encoder        func(*Request) *wire.Encoder
	Structured     func(*Request, *wire.Encoder) (*ToolResult, error)
	StructuredWith func(*Request, *wire.Encoder, string, ...Content) (*ToolResult, error)
	JSONContents   func(*Request, *wire.Encoder) (*ResourceResult, error)
	ReadBlob       func(*Request, io.Reader) (*ResourceResult, error)
	BlobResult     func(*Request, string, []byte) *ToolResult
	ReaderResult   func(*Request, string, io.Reader) (*ToolResult, error)
	NothingFound   func() *ToolResult

	// Stream returns the encoder of an array of items, and a function that sends the client the
	// item that begins at a position of the encoder.
	Stream func(*Request) (*wire.Encoder, func(ctx context.Context, start int) error)
}

// ImplFuncs returns the functions that package mcpimpl exports.
func ImplFuncs(friend.Key) implFuncs {
	return implFuncs{
		NewTool: func(info *ToolInfo, f toolFunc) Feature {
			t := newTool(info, f)
			t.reads = true
			return t
		},
		NewResource: func(info *ResourceInfo, f resourceFunc) Feature { return newResource(info, f) },
		NewPrompt: func(info *PromptInfo, f promptFunc, complete map[string]CompleteFunc) Feature {
			return newPrompt(info, f, complete)
		},
		WithDefaults: func(f Feature, errors func(error) (string, bool), hideErrors bool, timeout time.Duration) Feature {
			return f.(completable).completed(&defaults{errors: errors, hideErrors: hideErrors, timeout: timeout})
		},

		ToolChoices:   (*ToolInfo).withChoices,
		PromptChoices: (*PromptInfo).withChoices,

		Decoder:        (*Request).decoder,
		Encoder:        (*Request).encoder,
		Structured:     (*Request).structured,
		StructuredWith: (*Request).structuredWith,
		JSONContents:   (*Request).jsonContents,
		ReadBlob:       (*Request).readBlob,
		BlobResult:     blobResult,
		ReaderResult:   readerResult,
		NothingFound:   nothingFound,
		Stream: func(req *Request) (*wire.Encoder, func(context.Context, int) error) {
			s := newItemStream(req)
			return s.e, s.report
		},
	}
}

// implTemplates are the functions for templates, beside [implFuncs]: most programs do not link
// them.
type implTemplates struct {
	New     func(*TemplateInfo, resourceFunc, map[string]CompleteFunc) Feature
	Choices func(*TemplateInfo, []friend.Choices) *TemplateInfo
}

// ImplTemplates returns the functions for templates that package mcpimpl exports.
func ImplTemplates(friend.Key) implTemplates {
	return implTemplates{
		New: func(info *TemplateInfo, f resourceFunc, complete map[string]CompleteFunc) Feature {
			return newTemplate(info, info.Name, f, complete)
		},
		Choices: (*TemplateInfo).withChoices,
	}
}
