package mcptest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// found is the result of the tool search.
type found struct {
	Titles []string `json:"titles"`
	Total  int      `json:"total"`
}

type searchArguments struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"`
}

var yesForm = mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField, Required: true}}}

var titles = []string{"Emma", "Evelina", "Persuasion"}

// newLibrary returns a server with a feature of each kind. The tool block sends its name to blocked
// when it begins, and the cause of its context when it ends.
func newLibrary(blocked chan<- string, options ...mcp.Option) *mcp.Server {
	quiet := mcp.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	s := mcp.NewServer(mcp.ServerInfo{
		Name: "library", Title: "Library", Version: "1.2.3", Instructions: "Search first.",
	}, append([]mcp.Option{quiet}, options...)...)
	registerTools(s, blocked)
	registerTalkers(s)
	s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "library://rules", Name: "rules", MIMEType: "text/markdown"},
		func(context.Context, string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("# Silence, please"), nil
		}))
	s.Register(mcp.NewTemplate(mcp.TemplateInfo{
		URITemplate: "library://covers/{title}", Name: "cover", MIMEType: "image/png",
		Variables: []mcp.TemplateVariable{{Name: "title", Values: titles}},
	}, func(_ context.Context, _ string, variables map[string]string) (*mcp.ResourceResult, error) {
		if !slices.Contains(titles, variables["title"]) {
			return nil, mcp.ErrNotFound
		}
		return mcp.BlobContents([]byte(variables["title"])), nil
	}))
	s.Register(mcp.NewPrompt(mcp.PromptInfo{
		Name: "review", Description: "Asks for a review.",
		Arguments: []mcp.PromptArgument{{Name: "title", Required: true, Complete: complete}, {Name: "author"}},
	}, func(_ context.Context, arguments map[string]string) (*mcp.PromptResult, error) {
		return mcp.PromptMessages(
			mcp.FromUser(mcp.Text{Text: "Review " + arguments["title"]}),
			mcp.FromAssistant(mcp.Text{Text: "Gladly."}),
		), nil
	}))
	return s
}

func complete(_ context.Context, value string, given map[string]string) (mcp.Completion, error) {
	var all []string
	for _, title := range titles {
		if strings.HasPrefix(title, value) && (given["author"] != "Austen" || title != "Evelina") {
			all = append(all, title)
		}
	}
	return mcp.Candidates(all), nil
}

func registerTools(s *mcp.Server, blocked chan<- string) {
	s.Register(mcp.NewTool(mcp.ToolInfo{
		Name: "search", Title: "Search", Description: "Finds books.", Hints: mcp.ToolHints{ReadOnly: true, Idempotent: true},
		InputSchema:  `{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]}`,
		OutputSchema: `{"type":"object","properties":{"titles":{"type":"array","items":{"type":"string"}},"total":{"type":"integer"}},"required":["titles","total"]}`,
	}, func(_ context.Context, raw json.RawMessage) (*mcp.ToolResult, error) {
		arguments := searchArguments{Limit: 10}
		if err := json.Unmarshal(raw, &arguments); err != nil {
			return nil, err
		}
		f := found{Titles: []string{}}
		for _, title := range titles {
			if strings.Contains(title, arguments.Query) && len(f.Titles) < arguments.Limit {
				f.Titles = append(f.Titles, title)
			}
		}
		f.Total = len(f.Titles)
		return structured(f)
	}))
	s.Register(mcp.NewTool(mcp.ToolInfo{
		Name: "titles", Description: "Lists the titles.", OutputSchema: `{"type":"array","items":{"type":"string"}}`,
	}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return structured(titles) }))
	s.Register(mcp.NewTool(mcp.ToolInfo{
		Name: "count", Description: "Counts the books.", OutputSchema: `{"type":"integer"}`,
	}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		r, err := structured(len(titles))
		r.Content = []mcp.Content{mcp.Text{Text: "three books"}}
		return r, err
	}))
	s.Register(text("block", func(ctx context.Context) (string, error) {
		blocked <- mcp.CallFrom(ctx).Feature()
		<-ctx.Done()
		blocked <- context.Cause(ctx).Error()
		return "", context.Cause(ctx)
	}))
	s.Register(text("import", func(ctx context.Context) (string, error) {
		for i := range 3 {
			mcp.Progress(ctx, float64(i+1), 3, "a shelf")
			mcp.Logger(ctx).Info("shelf imported", "number", i+1)
		}
		mcp.Logger(ctx).Debug("all shelves are there")
		return "imported", nil
	}))
	s.Register(text("fail", func(context.Context) (string, error) { return "", mcp.Errorf("the library is closed") }))
	s.Register(text("refuse", func(context.Context) (string, error) {
		return "", &mcp.ProtocolError{Code: 7, Message: "quota", Data: json.RawMessage(`{"left":0}`)}
	}))
	s.Register(text("whoami", func(ctx context.Context) (string, error) {
		call := mcp.CallFrom(ctx)
		return fmt.Sprint(call.Client().Name, " ", call.Revision(), " ", call.Can(mcp.CapabilityElicitation), " ", string(call.Meta("com.example/k")), " ", ctx.Value(contextKey{})), nil
	}))
}

type contextKey struct{}

func registerTalkers(s *mcp.Server) {
	s.Register(text("burn", func(ctx context.Context) (string, error) {
		answer, err := mcp.ElicitFields(ctx, "Burn the books?", &yesForm)
		if err != nil {
			return "", err
		}
		if !answer.Accepted() {
			return string(answer.Action), nil
		}
		return fmt.Sprint(answer.Value["yes"]), nil
	}))
	s.Register(text("pay", func(ctx context.Context) (string, error) {
		answer, err := mcp.ElicitURL(ctx, "Pay the fine", "https://example.com/pay")
		return string(answer.Action), err
	}))
	s.Register(text("summarize", func(ctx context.Context) (string, error) {
		message, err := mcp.Sample(ctx, &mcp.SampleRequest{Messages: []mcp.SampleMessage{mcp.UserMessage("Summarize Emma.")}})
		if err != nil {
			return "", err
		}
		return message.Text(), nil
	}))
	s.Register(text("roots", func(ctx context.Context) (string, error) {
		roots, err := mcp.Roots(ctx)
		return fmt.Sprint(roots), err
	}))
	s.Register(text("patience", func(ctx context.Context) (string, error) {
		_, err := mcp.ElicitFields(ctx, "Still there?", &yesForm)
		if errors.Is(err, mcp.ErrNoAnswer) {
			return "nobody is there", nil
		}
		return "somebody is there", err
	}))
}

func structured(v any) (*mcp.ToolResult, error) {
	data, err := json.Marshal(v)
	return &mcp.ToolResult{Structured: data}, err
}

// text returns a tool without arguments that returns a text.
func text(name string, f func(context.Context) (string, error)) mcp.Feature {
	return mcp.NewTool(mcp.ToolInfo{Name: name, Description: "For tests."},
		func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			said, err := f(ctx)
			if err != nil {
				return nil, err
			}
			return mcp.TextResult(said), nil
		})
}
