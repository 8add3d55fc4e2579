//lint:file-ignore SA1019 Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be served.

//nolint:staticcheck // Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be served.
package interop

import (
	"context"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answering returns a client that answers every kind of request.
func answering(revision string) *mcp.ClientOptions {
	o := &mcp.ClientOptions{
		CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			p := r.Params
			asked, ok := p.Messages[0].Content.(*mcp.TextContent)
			if !ok || asked.Text != "What rhymes with feast?" || p.SystemPrompt != "One word." || p.MaxTokens != 20 || p.Temperature != 0.5 {
				return nil, fmt.Errorf("asked %+v", p)
			}
			return &mcp.CreateMessageResult{Role: "assistant", Model: "rhymer", Content: &mcp.TextContent{Text: "beast"}}, nil
		},
	}
	if revision < forms {
		return o
	}
	o.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		accept := &mcp.ElicitResult{Action: "accept"}
		switch {
		case r.Params.Mode == "url":
			if r.Params.URL != "https://example.com/pay" {
				return nil, fmt.Errorf("asked %+v", r.Params)
			}
		case r.Params.Message == "What shall it be?":
			accept.Content = map[string]any{"name": "May Day", "guests": 7, "outside": true, "dish": "pie"}
		default:
			accept.Content = map[string]any{"sure": true}
		}
		return accept, nil
	}
	if revision >= links {
		o.Capabilities = &mcp.ClientCapabilities{
			RootsV2: &mcp.RootCapabilities{ListChanged: true},
			Elicitation: &mcp.ElicitationCapabilities{
				Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{},
			},
		}
	}
	return o
}

func TestTalkerRoots(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		ctx, session := start(t, w, talker, nil, func(client *mcp.Client) {
			client.AddRoots(&mcp.Root{URI: "file:///home", Name: "home"}, &mcp.Root{URI: "file:///work", Name: "work"})
		})
		same(t, "roots", say(t, ctx, session, "roots"), "home file:///home, work file:///work")
	})
}

func TestTalkerTells(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		revision := w.revision
		progress, logs := newReceived(), newReceived()
		ctx, session := start(t, w, talker, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
				p := r.Params
				progress.add("%v %v of %v: %s", p.ProgressToken, p.Progress, p.Total, p.Message)
			},
			LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
				logs.add("%s %s %v", r.Params.Level, r.Params.Logger, r.Params.Data)
			},
		})
		params := &mcp.CallToolParams{Name: "climb", Meta: mcp.Meta{}}
		if revision == modern {
			// logging/setLevel does not exist: each request contains the level, which the SDK
			// leaves to its users.
			err := session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "warning"})
			if err == nil {
				t.Error("logging/setLevel is answered")
			}
			params.Meta[mcp.MetaKeyLogLevel] = "warning"
		} else if err := session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "warning"}); err != nil {
			t.Fatal(err)
		}
		params.SetProgressToken("climbing")
		result, err := session.CallTool(ctx, params)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "text", text(t, result), "up")
		var steps, slips []string
		for i := 1; i <= 3; i++ {
			step := fmt.Sprintf("climbing %d of 3: step %d", i, i)
			if revision == revisions[0] {
				step = fmt.Sprintf("climbing %d of 3: ", i)
			}
			steps = append(steps, step)
			slips = append(slips, fmt.Sprintf("warning climb map[message:slippery step:%d]", i))
		}
		same(t, "progress", progress.wait(t, ctx, 3), steps)
		same(t, "logs", logs.wait(t, ctx, 3), slips)
	})
}
