package mcpimpl

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// FuncTool returns the tool of a function. info must not be changed afterwards.
func FuncTool(info *mcp.ToolInfo, f func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error)) mcp.Feature {
	return funcs.NewTool(info, f)
}

// MethodTool returns the tool of a method. It passes the receiver on unchanged.
func MethodTool[R any](info *mcp.ToolInfo, receiver R, f func(ctx context.Context, req *mcp.Request, receiver R) (*mcp.ToolResult, error)) mcp.Feature {
	return funcs.NewTool(info, func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		return f(ctx, req, receiver)
	})
}

// FuncResource returns the resource of a function. A nil result, or an error that wraps
// [mcp.ErrNotFound], means that the resource does not exist.
func FuncResource(info *mcp.ResourceInfo, f func(ctx context.Context, req *mcp.Request) (*mcp.ResourceResult, error)) mcp.Feature {
	return funcs.NewResource(info, f)
}

// MethodResource returns the resource of a method. It passes the receiver on unchanged.
func MethodResource[R any](info *mcp.ResourceInfo, receiver R, f func(ctx context.Context, req *mcp.Request, receiver R) (*mcp.ResourceResult, error)) mcp.Feature {
	return funcs.NewResource(info, func(ctx context.Context, req *mcp.Request) (*mcp.ResourceResult, error) {
		return f(ctx, req, receiver)
	})
}

// FuncTemplate returns the resource template of a function, which gets the variables by
// [mcp.Request.Var] or, as an object of strings, by [Decoder].
func FuncTemplate(info *mcp.TemplateInfo, f func(ctx context.Context, req *mcp.Request) (*mcp.ResourceResult, error), options ...FeatureOption) mcp.Feature {
	return newTemplate(info, f, options)
}

// MethodTemplate returns the resource template of a method. It passes the receiver on unchanged.
func MethodTemplate[R any](info *mcp.TemplateInfo, receiver R, f func(ctx context.Context, req *mcp.Request, receiver R) (*mcp.ResourceResult, error), options ...FeatureOption) mcp.Feature {
	return newTemplate(info, func(ctx context.Context, req *mcp.Request) (*mcp.ResourceResult, error) {
		return f(ctx, req, receiver)
	}, options)
}

// newTemplate gets the functions for templates when a template is created: other programs do not
// link them.
func newTemplate(info *mcp.TemplateInfo, f resourceFunc, options []FeatureOption) mcp.Feature {
	return mcp.ImplTemplates(friend.Key{}).New(info, f, completersOf(options))
}

// FuncPrompt returns the prompt of a function, which gets its arguments by
// [mcp.Request.PromptArgument] or, as an object of strings, by [Decoder].
func FuncPrompt(info *mcp.PromptInfo, f func(ctx context.Context, req *mcp.Request) (*mcp.PromptResult, error), options ...FeatureOption) mcp.Feature {
	return funcs.NewPrompt(info, f, completersOf(options))
}

// MethodPrompt returns the prompt of a method. It passes the receiver on unchanged.
func MethodPrompt[R any](info *mcp.PromptInfo, receiver R, f func(ctx context.Context, req *mcp.Request, receiver R) (*mcp.PromptResult, error), options ...FeatureOption) mcp.Feature {
	return funcs.NewPrompt(info, func(ctx context.Context, req *mcp.Request) (*mcp.PromptResult, error) {
		return f(ctx, req, receiver)
	}, completersOf(options))
}

// FeatureOption completes the description of a prompt or a template. A description is a variable of
// the generated file, but the methods of a receiver are known only when features are registered.
type FeatureOption func(completers)

// WithCompletion completes an argument of a prompt, or a variable of a template, by calling f. It
// replaces the completion in the description.
func WithCompletion(name string, f mcp.CompleteFunc) FeatureOption {
	return func(c completers) { c[name] = f }
}

func completersOf(options []FeatureOption) completers {
	if len(options) == 0 {
		return nil
	}
	c := completers{}
	for _, option := range options {
		option(c)
	}
	return c
}
