package features

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// simplePrompt says that it is simple.
//
//mcp:prompt
func simplePrompt() string { return "This is a simple prompt for testing." }

// promptWithArguments says what its arguments are.
//
//mcp:prompt
//mcp:arg arg1 complete=completeWord
func promptWithArguments(
	arg1 string, // first argument
	arg2 string, // second argument
) string {
	return fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", arg1, arg2)
}

// completeWord returns the words that begin with a prefix.
func completeWord(_ context.Context, prefix string) ([]string, error) {
	words := []string{"paris", "park", "party", "test", "testing"}
	return slices.DeleteFunc(words, func(word string) bool { return !strings.HasPrefix(word, prefix) }), nil
}

// promptWithEmbeddedResource shows a resource and asks about it.
//
//mcp:prompt
//mcp:arg uri name=resourceUri
func promptWithEmbeddedResource(
	uri string, // URI of the resource
) []mcp.PromptMessage {
	return []mcp.PromptMessage{
		mcp.FromUser(mcp.EmbeddedResource{
			URI: uri, MIMEType: "text/plain", Text: "Embedded resource content for testing.",
		}),
		mcp.FromUser(mcp.Text{Text: "Please process the embedded resource above."}),
	}
}

// promptWithImage shows a picture and asks about it.
//
//mcp:prompt
func promptWithImage() []mcp.PromptMessage {
	return []mcp.PromptMessage{
		mcp.FromUser(mcp.Image{Data: redPixel, MIMEType: "image/png"}),
		mcp.FromUser(mcp.Text{Text: "Please analyze the image above."}),
	}
}
