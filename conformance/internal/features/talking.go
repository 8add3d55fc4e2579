package features

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// sampling hands a prompt to the model of the client.
//
//mcp:tool requires=sampling
func sampling(
	ctx context.Context,
	prompt string, // the prompt for the model
) (string, error) {
	message, err := mcp.Sample(ctx, question(prompt, 100))
	if err != nil {
		return "", err
	}
	return "LLM response: " + message.Text(), nil
}

// question asks a model for a short answer.
func question(text string, maxTokens int) *mcp.SampleRequest {
	return &mcp.SampleRequest{Messages: []mcp.SampleMessage{mcp.UserMessage(text)}, MaxTokens: maxTokens}
}

// Contact is how to reach the user.
//
//mcp:form
type Contact struct {
	Username string `json:"username"`                        // User's response
	Email    string `json:"email" jsonschema:"format=email"` // User's email address
}

// elicitation asks the user for a name and an address.
//
//mcp:tool requires=elicitation
func elicitation(
	ctx context.Context,
	message string, // the question to the user
) (string, error) {
	answer, err := mcp.Elicit[Contact](ctx, message)
	if err != nil {
		return "", err
	}
	return "User response: " + describe(answer), nil
}

// Profile is a form whose fields all begin with a value.
//
//mcp:form
type Profile struct {
	Name     string  `json:"name" jsonschema:"default=John Doe"`
	Age      int     `json:"age" jsonschema:"default=30"`
	Score    float64 `json:"score" jsonschema:"default=95.5"`
	Status   Status  `json:"status" jsonschema:"default=active"`
	Verified bool    `json:"verified" jsonschema:"default=true"`
}

// Status is what a member is at the moment.
type Status string

const (
	active   Status = "active"
	inactive Status = "inactive"
	pending  Status = "pending"
)

// elicitationSep1034Defaults shows a form with defaults of every kind.
//
//mcp:tool requires=elicitation
func elicitationSep1034Defaults(ctx context.Context) (string, error) {
	answer, err := mcp.Elicit[Profile](ctx, "Please review the profile.")
	if err != nil {
		return "", err
	}
	return "Elicitation completed: " + describe(answer), nil
}

// streamingElicitation asks the user whether to go on.
//
//mcp:tool requires=elicitation
func streamingElicitation(ctx context.Context) (string, error) {
	answer, err := mcp.Elicit[Confirmation](ctx, "Go on?")
	if err != nil {
		return "", err
	}
	return describe(answer), nil
}

// describe returns the user's action and the content of a form.
func describe[T any](answer mcp.Answer[T]) string {
	if !answer.Accepted() {
		return "action=" + string(answer.Action)
	}
	content, err := json.Marshal(answer.Value)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("action=%s, content=%s", answer.Action, content)
}

// missingCapability needs a model to ask.
//
//mcp:tool requires=sampling
func missingCapability() string {
	return "The client has declared that it samples."
}
