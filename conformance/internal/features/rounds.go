package features

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Name is what the user is called.
//
//mcp:form
type Name struct {
	Name string `json:"name"`
}

// Color is what the user likes.
//
//mcp:form
type Color struct {
	Color string `json:"color"`
}

// Confirmation is a yes or a no.
//
//mcp:form
type Confirmation struct {
	OK bool `json:"ok"`
}

// The questions that several of the tools ask.
const (
	whatName     = "What is your name?"
	pleaseGreet  = "Generate a greeting"
	pleaseAgree  = "Please confirm"
	capitalCity  = "What is the capital of France?"
	stateMessage = "confirmation pending"
)

// inputRequiredResultElicitation asks for a name and greets.
//
//mcp:tool
func inputRequiredResultElicitation(ctx context.Context) (string, error) {
	answer, err := mcp.Elicit[Name](ctx, whatName, mcp.WithKey("user_name"))
	if err != nil {
		return "", err
	}
	if !answer.Accepted() {
		return "Hello, whoever you are!", nil
	}
	return "Hello, " + answer.Value.Name + "!", nil
}

// inputRequiredResultSampling asks a model for a capital.
//
//mcp:tool
func inputRequiredResultSampling(ctx context.Context) (string, error) {
	message, err := mcp.Sample(ctx, question(capitalCity, 100), mcp.WithKey("capital_question"))
	if err != nil {
		return "", err
	}
	return message.Text(), nil
}

// inputRequiredResultListRoots names the roots of the client.
//
//mcp:tool
func inputRequiredResultListRoots(ctx context.Context) (string, error) {
	roots, err := mcp.Roots(ctx, mcp.WithKey("client_roots"))
	if err != nil {
		return "", err
	}
	return "Roots: " + names(roots), nil
}

func names(roots []mcp.Root) string {
	var uris []string
	for _, root := range roots {
		uris = append(uris, root.URI)
	}
	return strings.Join(uris, ", ")
}

// inputRequiredResultRequestState remembers from one round to the next that it has asked.
//
//mcp:tool
func inputRequiredResultRequestState(ctx context.Context) (string, error) {
	state, err := json.Marshal(stateMessage)
	if err != nil {
		return "", err
	}
	switch kept := mcp.RequestState(ctx); {
	case kept == nil:
		return "", &mcp.InputRequired{
			Questions: map[string]mcp.Question{"confirm": mcp.FormQuestion[Confirmation](pleaseAgree)},
			State:     state,
		}
	case string(kept) != string(state):
		return "", fmt.Errorf("the state is %s, and was %s", kept, state)
	}
	answer, err := mcp.Elicit[Confirmation](ctx, pleaseAgree, mcp.WithKey("confirm"))
	if err != nil {
		return "", err
	}
	return "state-ok: " + describe(answer), nil
}

// inputRequiredResultMultipleInputs asks user, model and client at once.
//
//mcp:tool requires="elicitation sampling roots"
func inputRequiredResultMultipleInputs(ctx context.Context) (string, error) {
	greet := question(pleaseGreet, 50)
	if !mcp.Answered(ctx, "user_name") {
		return "", &mcp.InputRequired{Questions: map[string]mcp.Question{
			"user_name":    mcp.FormQuestion[Name](whatName),
			"greeting":     greet,
			"client_roots": mcp.RootsQuestion(),
		}}
	}
	name, err := mcp.Elicit[Name](ctx, whatName, mcp.WithKey("user_name"))
	if err != nil {
		return "", err
	}
	greeting, err := mcp.Sample(ctx, greet, mcp.WithKey("greeting"))
	if err != nil {
		return "", err
	}
	roots, err := mcp.Roots(ctx, mcp.WithKey("client_roots"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s, from %s", greeting.Text(), name.Value.Name, names(roots)), nil
}

// inputRequiredResultMultiRound asks two questions, one after the other.
//
//mcp:tool
func inputRequiredResultMultiRound(ctx context.Context) (string, error) {
	name, err := mcp.Elicit[Name](ctx, "Step 1: What is your name?", mcp.WithKey("step1"))
	if err != nil {
		return "", err
	}
	color, err := mcp.Elicit[Color](ctx, "Step 2: What is your favorite color?", mcp.WithKey("step2"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s likes %s.", name.Value.Name, color.Value.Color), nil
}

// inputRequiredResultTamperedState asks for a confirmation, and takes it from the client that was
// asked only.
//
//mcp:tool
func inputRequiredResultTamperedState(ctx context.Context) (string, error) {
	answer, err := mcp.Elicit[Confirmation](ctx, pleaseAgree, mcp.WithKey("confirm"))
	if err != nil {
		return "", err
	}
	return describe(answer), nil
}

// inputRequiredResultCapabilities asks whom the client lets it ask: its model, or else its user.
//
//mcp:tool
func inputRequiredResultCapabilities(ctx context.Context) (string, error) {
	switch call := mcp.CallFrom(ctx); {
	case call.Can(mcp.CapabilitySampling):
		message, err := mcp.Sample(ctx, question(pleaseGreet, 50), mcp.WithKey("greeting"))
		if err != nil {
			return "", err
		}
		return message.Text(), nil
	case call.Can(mcp.CapabilityElicitation):
		answer, err := mcp.Elicit[Name](ctx, whatName, mcp.WithKey("user_name"))
		if err != nil {
			return "", err
		}
		return describe(answer), nil
	}
	return "", errors.New("the client can ask neither a user nor a model")
}

// Context is what a prompt is about.
//
//mcp:form
type Context struct {
	Context string `json:"context"`
}

// inputRequiredResultPrompt asks the user what the prompt is about.
//
//mcp:prompt
func inputRequiredResultPrompt(ctx context.Context) (string, error) {
	answer, err := mcp.Elicit[Context](ctx, "What context should the prompt use?", mcp.WithKey("user_context"))
	if err != nil {
		return "", err
	}
	return "Use this context: " + answer.Value.Context, nil
}
