package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	modern = "2026-07-28" // without sessions: each request contains all necessary data
	forms  = "2025-06-18" // introduces elicitation and structured content
	links  = "2025-11-25" // introduces elicitation of links
)

// everyTalk runs a test once for each transport and revision of the talker, with a client with
// these options, which may be nil.
func everyTalk(t *testing.T, options func(revision string) *mcp.ClientOptions, test func(t *testing.T, ctx context.Context, session *mcp.ClientSession, revision string)) {
	t.Helper()
	everyWay(t, func(t *testing.T, w way) {
		var o *mcp.ClientOptions
		if options != nil {
			o = options(w.revision)
		}
		ctx, session := start(t, w, talker, o)
		test(t, ctx, session, w.revision)
	})
}

// say calls a tool without arguments and returns the result's text.
func say(t *testing.T, ctx context.Context, session *mcp.ClientSession, tool string) string {
	t.Helper()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool})
	if err != nil {
		t.Errorf("%s: %v", tool, err)
		return ""
	}
	if result.IsError {
		t.Errorf("%s has failed: %s", tool, text(t, result))
	}
	return text(t, result)
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	g, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	w, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(g) != string(w) {
		t.Errorf("%s: %s, want %s", what, g, w)
	}
}

func TestTalkerLists(t *testing.T) {
	everyTalk(t, nil, func(t *testing.T, ctx context.Context, session *mcp.ClientSession, revision string) {
		hello := session.InitializeResult()
		same(t, "instructions", hello.Instructions, "Ask.")
		same(t, "title", hello.ServerInfo.Title != "", revision >= forms)
		var tools, resources, templates, prompts []string
		for tool, err := range session.Tools(ctx, nil) {
			if err != nil {
				t.Fatal(err)
			}
			tools = append(tools, tool.Name)
			if tool.Name == "add" {
				same(t, "title of add", tool.Title != "", revision >= forms)
				same(t, "hints of add", tool.Annotations != nil && tool.Annotations.ReadOnlyHint, revision > revisions[0])
				same(t, "output schema of add", tool.OutputSchema != nil, revision >= forms)
			}
		}
		for r, err := range session.Resources(ctx, nil) {
			if err != nil {
				t.Fatal(err)
			}
			resources = append(resources, r.URI+" "+r.MIMEType)
		}
		for r, err := range session.ResourceTemplates(ctx, nil) {
			if err != nil {
				t.Fatal(err)
			}
			templates = append(templates, r.URITemplate)
		}
		for p, err := range session.Prompts(ctx, nil) {
			if err != nil {
				t.Fatal(err)
			}
			var arguments []string
			for _, a := range p.Arguments {
				arguments = append(arguments, fmt.Sprint(a.Name, " ", a.Required))
			}
			prompts = append(prompts, p.Name+"("+strings.Join(arguments, ", ")+")")
		}
		same(t, "tools", tools, []string{
			"add", "blocks", "climb", "wait", "how_it_ended", "route", "meet", "arrive", "nap", "stumble",
			"feast", "pay", "rhyme", "roots", "touch", "grow",
		})
		same(t, "resources", resources, []string{"talker://rules text/plain", "talker://picture image/png", "talker://diary text/plain"})
		same(t, "templates", templates, []string{"talker://people/{name}"})
		same(t, "prompts", prompts, []string{"greet(name true, tone false)", "letter()"})
	})
}

func TestTalkerCalls(t *testing.T) {
	everyTalk(t, nil, func(t *testing.T, ctx context.Context, session *mcp.ClientSession, revision string) {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"numbers": []any{1.5, 2, 3}}})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "text", text(t, result), `{"sum":6.5}`)
		if revision >= forms {
			same(t, "structured", result.StructuredContent, map[string]any{"sum": 6.5})
		} else {
			same(t, "structured", result.StructuredContent, nil)
		}
		blocks, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "blocks"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range blocks.Content {
			switch c := c.(type) {
			case *mcp.TextContent:
				got = append(got, "text "+c.Text)
			case *mcp.ImageContent:
				got = append(got, "image "+string(c.Data))
			case *mcp.AudioContent:
				got = append(got, "audio "+string(c.Data))
			case *mcp.ResourceLink:
				got = append(got, "link "+c.URI+" "+c.Title)
			case *mcp.EmbeddedResource:
				got = append(got, "resource "+c.Resource.Text+string(c.Resource.Blob))
			}
		}
		// Content that a revision lacks is sent in the nearest form.
		want := []string{"text text", "image png", "audio wav", "link talker://rules Rules", "resource Be kind."}
		if revision < forms {
			want[3] = "text rules: talker://rules"
		}
		if revision == revisions[0] {
			want[2] = "resource wav"
		}
		same(t, "blocks", got, want)
	})
}

func TestTalkerReadsAndGets(t *testing.T) {
	everyTalk(t, nil, func(t *testing.T, ctx context.Context, session *mcp.ClientSession, revision string) {
		read := func(uri string) *mcp.ResourceContents {
			t.Helper()
			r, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
			if err != nil || len(r.Contents) != 1 {
				t.Fatalf("%s: %+v, %v", uri, r, err)
			}
			return r.Contents[0]
		}
		same(t, "text", read("talker://rules").Text, "Be kind.")
		same(t, "blob", string(read("talker://picture").Blob), "\x89PNG")
		same(t, "template", read("talker://people/ada").Text, "Ada counts.")
		_, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "talker://people/bob"})
		code := int64(-32002)
		if revision == modern {
			code = jsonrpc.CodeInvalidParams
		}
		if wire, ok := errors.AsType[*jsonrpc.Error](err); !ok || wire.Code != code {
			t.Errorf("unknown resource: %v, want code %d", err, code)
		}

		prompt, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"name": "Ada", "tone": "formal"}})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, m := range prompt.Messages {
			switch c := m.Content.(type) {
			case *mcp.TextContent:
				said = append(said, string(m.Role)+": "+c.Text)
			case *mcp.EmbeddedResource:
				said = append(said, string(m.Role)+" has "+c.Resource.Text)
			}
		}
		same(t, "prompt", said, []string{"user: Greet Ada formal", "user has Be kind.", "assistant: Gladly."})
		_, err = session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet"})
		if wire, ok := errors.AsType[*jsonrpc.Error](err); !ok || wire.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("missing argument: %v", err)
		}
	})
}

func TestTalkerCompletes(t *testing.T) {
	everyTalk(t, nil, func(t *testing.T, ctx context.Context, session *mcp.ClientSession, revision string) {
		for _, c := range []struct {
			ref             mcp.CompleteReference
			argument, typed string
			given           map[string]string
			want            []string
		}{
			{mcp.CompleteReference{Type: "ref/prompt", Name: "greet"}, "name", "a", nil, []string{"ada", "alan"}},
			{mcp.CompleteReference{Type: "ref/prompt", Name: "greet"}, "name", "a", map[string]string{"tone": "formal"}, []string{"ada"}},
			{mcp.CompleteReference{Type: "ref/prompt", Name: "greet"}, "tone", "fr", nil, []string{"friendly"}},
			{mcp.CompleteReference{Type: "ref/resource", URI: "talker://people/{name}"}, "name", "gr", nil, []string{"grace"}},
		} {
			params := &mcp.CompleteParams{Ref: &c.ref, Argument: mcp.CompleteParamsArgument{Name: c.argument, Value: c.typed}}
			if c.given != nil {
				params.Context = &mcp.CompleteContext{Arguments: c.given}
			}
			r, err := session.Complete(ctx, params)
			if err != nil {
				t.Errorf("%s %s: %v", c.ref.Type, c.argument, err)
				continue
			}
			same(t, c.argument+" "+c.typed, r.Completion.Values, c.want)
		}
	})
}

func TestTalkerAsks(t *testing.T) {
	everyTalk(t, answering, func(t *testing.T, ctx context.Context, session *mcp.ClientSession, revision string) {
		same(t, "model", say(t, ctx, session, "rhyme"), "assistant says beast (rhymer)")
		if revision < forms {
			// The SDK does not declare elicitation to a revision without it.
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "feast"})
			if err != nil || !result.IsError {
				t.Errorf("%v, %v", result, err)
			}
			return
		}
		// Two questions in one handler: from 2026-07-28 on three rounds.
		same(t, "forms", say(t, ctx, session, "feast"), "May Day, 7 guests, outside true, pie, sure true")
		if revision >= links {
			same(t, "link", say(t, ctx, session, "pay"), "accept")
		}
		diary, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "talker://diary"})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "resource", diary.Contents[0].Text, "Dear diary, sure true")
		letter, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "letter"})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "prompt", letter.Messages[0].Content.(*mcp.TextContent).Text, "A letter, signed true")
	})
}

func TestTalkerIsRefused(t *testing.T) {
	everyTalk(t, func(revision string) *mcp.ClientOptions {
		if revision < forms {
			return nil
		}
		return &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "decline"}, nil
			},
		}
	}, func(t *testing.T, ctx context.Context, session *mcp.ClientSession, revision string) {
		if revision >= forms {
			same(t, "declined", say(t, ctx, session, "feast"), "no feast: decline")
		}
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "rhyme"})
		if revision == modern {
			if wire, ok := errors.AsType[*jsonrpc.Error](err); !ok || wire.Code != -32021 {
				t.Errorf("a client that does not sample: %v, %v", result, err)
			}
			return
		}
		if err != nil || !result.IsError || !strings.Contains(text(t, result), "sampling") {
			t.Errorf("a client that does not sample: %v, %v", result, err)
		}
	})
}

// received collects the client's notifications, which the SDK may deliver after the result that
// followed them.
type received struct {
	mu    sync.Mutex
	all   []string
	moved chan struct{}
}

func newReceived() *received { return &received{moved: make(chan struct{}, 100)} }

func (h *received) add(format string, args ...any) {
	h.mu.Lock()
	h.all = append(h.all, fmt.Sprintf(format, args...))
	h.mu.Unlock()
	h.moved <- struct{}{}
}

// wait returns the notifications as soon as n have arrived.
func (h *received) wait(t *testing.T, ctx context.Context, n int) []string {
	t.Helper()
	for {
		h.mu.Lock()
		all := slices.Clone(h.all)
		h.mu.Unlock()
		if len(all) >= n {
			return all
		}
		select {
		case <-h.moved:
		case <-ctx.Done():
			t.Fatalf("received %q only, want %d", all, n)
		}
	}
}

func TestTalkerCancelled(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		begun := newReceived()
		ctx, session := start(t, w, talker, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
				begun.add("%v", r.Params.ProgressToken)
			},
		})
		given, giveUp := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() {
			params := &mcp.CallToolParams{Name: "wait", Meta: mcp.Meta{}}
			params.SetProgressToken("waiting")
			_, err := session.CallTool(given, params)
			ended <- err
		}()
		begun.wait(t, ctx, 1)
		giveUp()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want context.Canceled", err)
		}
		if how := say(t, ctx, session, "how_it_ended"); !strings.HasPrefix(how, "request cancelled by the client") {
			t.Errorf("the handler's context ended with %q", how)
		}
	})
}

func TestTalkerChanges(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		revision := w.revision
		updates, lists, acknowledged := newReceived(), newReceived(), newReceived()
		options := &mcp.ClientOptions{
			ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
				updates.add("%s", r.Params.URI)
			},
			ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { lists.add("tools") },
			PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { lists.add("prompts") },
			ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { lists.add("resources") },
		}
		ctx, session := start(t, w, talker, options, func(client *mcp.Client) {
			client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
					if method == "notifications/subscriptions/acknowledged" {
						acknowledged.add("%s", method)
					}
					return next(ctx, method, req)
				}
			})
		})
		for i, uri := range []string{"talker://rules", "talker://picture"} {
			if revision == modern {
				// Here the SDK opens a listen for the lists itself, and each Subscribe opens
				// another one without waiting for the acknowledgement.
				acknowledged.wait(t, ctx, i+1)
			}
			if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
			if revision == modern {
				acknowledged.wait(t, ctx, i+2)
			}
		}
		same(t, "touch", say(t, ctx, session, "touch"), "touched")
		updated := updates.wait(t, ctx, 2)
		if revision == modern && w.transport == http {
			slices.SortFunc(updated, func(a, b string) int { return strings.Compare(b, a) }) // the listens are independent
		}
		same(t, "updates", updated, []string{"talker://rules", "talker://picture"})
		same(t, "grow", say(t, ctx, session, "grow"), "grown")
		changed := lists.wait(t, ctx, 3)
		slices.Sort(changed)
		same(t, "lists", changed, []string{"prompts", "resources", "tools"})
		same(t, "the new tool", say(t, ctx, session, "new_tool"), "new")

		if err := session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: "talker://rules"}); err != nil {
			t.Fatal(err)
		}
		// The picture is touched after the rules, so after its notification no more of the rules
		// are expected. From 2026-07-28 on the SDK ends its listen asynchronously.
		for n := 3; ; n++ {
			say(t, ctx, session, "touch")
			all := updates.wait(t, ctx, n)
			if all[n-1] == "talker://picture" {
				break
			}
			if revision != modern {
				t.Fatalf("updates after unsubscribing: %q", all)
			}
			n++
			updates.wait(t, ctx, n)
		}
	})
}
