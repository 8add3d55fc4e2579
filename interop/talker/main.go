// Command talker is a server with hand-written features of every kind, to test clients: it sends
// notifications and questions, changes its lists, and has slow calls.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

func main() {
	sessionless := flag.Bool("sessionless", false, "with -http: serve the revisions up to 2025-11-25 without sessions")
	options := []mcpcmd.Option{mcpcmd.WithFlags(flag.CommandLine)}
	flag.Parse()
	if *sessionless {
		options = append(options, mcpcmd.WithHTTPOptions(mcphttp.WithoutSessions()))
	}
	mcpcmd.Main(newServer(), options...)
}

func newServer() *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{
		Name: "talker", Title: "Talker", Version: "1.0.0", Instructions: "Ask.", ListTTL: time.Minute,
	}, mcp.WithLimits(mcp.Limits{PageSize: 4}), mcp.WithLogger(slog.New(slog.DiscardHandler)))
	registerTools(s)
	registerVisits(s)
	registerQuestions(s)
	registerChanges(s)
	registerResources(s)
	registerPrompts(s)
	return s
}

// text returns a tool without arguments that returns a text.
func text(name string, f func(context.Context) (string, error)) mcp.Feature {
	return mcp.NewTool(mcp.ToolInfo{
		Name: name, Description: "Answers with a text.", InputSchema: `{"type":"object","additionalProperties":false}`,
	}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		said, err := f(ctx)
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(said), nil
	})
}

func registerTools(s *mcp.Server) {
	s.Register(mcp.NewTool(mcp.ToolInfo{
		Name: "add", Title: "Addition", Description: "Adds numbers.", Hints: mcp.ToolHints{ReadOnly: true, Idempotent: true},
		InputSchema:  `{"type":"object","properties":{"numbers":{"type":"array","items":{"type":"number"}}},"required":["numbers"]}`,
		OutputSchema: `{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`,
	}, func(_ context.Context, raw json.RawMessage) (*mcp.ToolResult, error) {
		var arguments struct{ Numbers []float64 }
		if err := json.Unmarshal(raw, &arguments); err != nil {
			return nil, err
		}
		sum := 0.0
		for _, n := range arguments.Numbers {
			sum += n
		}
		return &mcp.ToolResult{Structured: fmt.Appendf(nil, `{"sum":%v}`, sum)}, nil
	}))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "blocks", Description: "Answers with blocks of every type."},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.ContentResult(
				mcp.Text{Text: "text", Annotations: &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}, Priority: new(0.5)}},
				mcp.Image{Data: []byte("png"), MIMEType: "image/png"},
				mcp.Audio{Data: []byte("wav"), MIMEType: "audio/wav"},
				mcp.ResourceLink{URI: "talker://rules", Name: "rules", Title: "Rules"},
				mcp.EmbeddedResource{URI: "talker://rules", MIMEType: "text/plain", Text: "Be kind."},
			), nil
		}))
	s.Register(text("climb", func(ctx context.Context) (string, error) {
		log := mcp.Logger(ctx)
		for i := range 3 {
			mcp.Progress(ctx, float64(i+1), 3, fmt.Sprint("step ", i+1))
			log.Warn("slippery", "step", i+1)
		}
		log.Info("at the top")
		return "up", nil
	}))
	ends := make(chan string, 1)
	s.Register(text("wait", func(ctx context.Context) (string, error) {
		mcp.Progress(ctx, 1, 0, "waiting")
		<-ctx.Done()
		ends <- context.Cause(ctx).Error()
		return "", context.Cause(ctx)
	}))
	s.Register(text("how_it_ended", func(ctx context.Context) (string, error) {
		select {
		case how := <-ends:
			return how, nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}))
}

// registerVisits adds tools whose response streams are cut, or released.
func registerVisits(s *mcp.Server) {
	s.Register(mcp.NewTool(mcp.ToolInfo{
		Name: "route", Description: "Says what the HTTP header fields of the call say.",
		InputSchema: `{"type":"object","properties":{` +
			`"region":{"type":"string","x-mcp-header":"Region"},"lane":{"type":"integer","x-mcp-header":"Lane"}},"required":["region"]}`,
	}, func(ctx context.Context, arguments json.RawMessage) (*mcp.ToolResult, error) {
		header := mcp.CallFrom(ctx).Header()
		return mcp.TextResult(fmt.Sprintf("%s by header %q, %q", arguments, header["Mcp-Param-Region"], header["Mcp-Param-Lane"])), nil
	}))
	arrived := make(chan struct{}, 2)
	arrival := func(ctx context.Context) error {
		select {
		case <-arrived:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	s.Register(text("meet", func(ctx context.Context) (string, error) {
		for i, who := range []string{"Ada", "Grace"} {
			mcp.Progress(ctx, float64(i+1), 2, "waiting for "+who)
			if err := arrival(ctx); err != nil {
				return "", err
			}
		}
		return "met", nil
	}))
	s.Register(text("arrive", func(context.Context) (string, error) {
		arrived <- struct{}{}
		return "arrived", nil
	}))
	s.Register(text("nap", func(ctx context.Context) (string, error) {
		released := mcp.ReleaseStream(ctx, 50*time.Millisecond)
		return fmt.Sprint("slept, released ", released), arrival(ctx)
	}))
	s.Register(text("stumble", func(ctx context.Context) (string, error) {
		mcp.Progress(ctx, 1, 0, "going")
		return "", &mcp.ProtocolError{Code: 4711, Message: "fell"}
	}))
}

var feast = mcp.FormInfo{Fields: []mcp.FormField{
	{Name: "name", Title: "Name", Kind: mcp.StringField, Required: true, MinLength: 1},
	{Name: "guests", Kind: mcp.IntegerField, Minimum: "1", Maximum: "20"},
	{Name: "outside", Kind: mcp.BooleanField},
	{Name: "dish", Kind: mcp.ChoiceField, Choices: []mcp.FormChoice{{Value: "soup", Title: "A soup"}, {Value: "pie", Title: "A pie"}}},
}}

var sure = mcp.FormInfo{Fields: []mcp.FormField{{Name: "sure", Kind: mcp.BooleanField, Required: true}}}

func registerQuestions(s *mcp.Server) {
	s.Register(text("feast", func(ctx context.Context) (string, error) {
		plan, err := mcp.ElicitFields(ctx, "What shall it be?", &feast)
		if err != nil {
			return "", err
		}
		if !plan.Accepted() {
			return "no feast: " + string(plan.Action), nil
		}
		again, err := mcp.ElicitFields(ctx, "Are you sure?", &sure)
		if err != nil {
			return "", err
		}
		v := plan.Value
		return fmt.Sprint(v["name"], ", ", v["guests"], " guests, outside ", v["outside"], ", ", v["dish"], ", sure ", again.Value["sure"]), nil
	}))
	s.Register(text("pay", func(ctx context.Context) (string, error) {
		answer, err := mcp.ElicitURL(ctx, "Pay for the feast", "https://example.com/pay")
		return string(answer.Action), err
	}))
	s.Register(text("rhyme", func(ctx context.Context) (string, error) {
		message, err := mcp.Sample(ctx, &mcp.SampleRequest{
			Messages:  []mcp.SampleMessage{mcp.UserMessage("What rhymes with feast?")},
			MaxTokens: 20, System: "One word.", Temperature: new(0.5),
		})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s says %s (%s)", message.Role, message.Text(), message.Model), nil
	}))
	s.Register(text("roots", func(ctx context.Context) (string, error) {
		roots, err := mcp.Roots(ctx)
		var all []string
		for _, r := range roots {
			all = append(all, r.Name+" "+r.URI)
		}
		slices.Sort(all)
		return strings.Join(all, ", "), err
	}))
}

// registerChanges adds tools that cause notifications.
func registerChanges(s *mcp.Server) {
	s.Register(text("touch", func(context.Context) (string, error) {
		s.ResourceUpdated("talker://rules")
		s.ResourceUpdated("talker://picture")
		return "touched", nil
	}))
	s.Register(text("grow", func(context.Context) (string, error) {
		s.Register(text("new_tool", func(context.Context) (string, error) { return "new", nil }))
		s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "talker://new", Name: "new"}, "new"))
		s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "new_prompt"},
			func(context.Context, map[string]string) (*mcp.PromptResult, error) { return mcp.PromptText("new"), nil }))
		return "grown", nil
	}))
}

var people = map[string]string{"ada": "Ada counts.", "alan": "Alan computes.", "grace": "Grace compiles."}

func registerResources(s *mcp.Server) {
	s.Register(mcp.TextResource(&mcp.ResourceInfo{
		URI: "talker://rules", Name: "rules", Title: "Rules", MIMEType: "text/plain",
		Annotations: &mcp.Annotations{Audience: []mcp.Role{mcp.RoleAssistant}},
	}, "Be kind."))
	s.Register(mcp.BlobResource(&mcp.ResourceInfo{URI: "talker://picture", Name: "picture", MIMEType: "image/png"}, []byte("\x89PNG")))
	s.Register(mcp.NewTemplate(mcp.TemplateInfo{
		URITemplate: "talker://people/{name}", Name: "person", MIMEType: "text/plain",
		Variables: []mcp.TemplateVariable{{Name: "name", Values: []string{"ada", "alan", "grace"}}},
	}, func(_ context.Context, _ string, variables map[string]string) (*mcp.ResourceResult, error) {
		about, ok := people[variables["name"]]
		if !ok {
			return nil, mcp.ErrNotFound
		}
		return mcp.TextContents(about), nil
	}))
	s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "talker://diary", Name: "diary", MIMEType: "text/plain"},
		func(ctx context.Context, _ string) (*mcp.ResourceResult, error) {
			answer, err := mcp.ElicitFields(ctx, "Read the diary?", &sure)
			if err != nil {
				return nil, err
			}
			return mcp.TextContents(fmt.Sprint("Dear diary, sure ", answer.Value["sure"])), nil
		}))
}

func registerPrompts(s *mcp.Server) {
	s.Register(mcp.NewPrompt(mcp.PromptInfo{
		Name: "greet", Title: "Greeting", Description: "Greets a person.",
		Arguments: []mcp.PromptArgument{
			{Name: "name", Description: "Who it is.", Required: true, Complete: completeName},
			{Name: "tone", Values: []string{"formal", "friendly"}},
		},
	}, func(_ context.Context, arguments map[string]string) (*mcp.PromptResult, error) {
		return mcp.PromptMessages(
			mcp.FromUser(mcp.Text{Text: "Greet " + arguments["name"] + " " + arguments["tone"]}),
			mcp.FromUser(mcp.EmbeddedResource{URI: "talker://rules", MIMEType: "text/plain", Text: "Be kind."}),
			mcp.FromAssistant(mcp.Text{Text: "Gladly."}),
		), nil
	}))
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "letter", Description: "Writes a letter."},
		func(ctx context.Context, _ map[string]string) (*mcp.PromptResult, error) {
			answer, err := mcp.ElicitFields(ctx, "Shall it be signed?", &sure)
			if err != nil {
				return nil, err
			}
			return mcp.PromptText(fmt.Sprint("A letter, signed ", answer.Value["sure"])), nil
		}))
}

func completeName(_ context.Context, typed string, given map[string]string) (mcp.Completion, error) {
	var all []string
	for name := range people {
		if strings.HasPrefix(name, typed) && (given["tone"] != "formal" || name != "alan") {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return mcp.Candidates(all), nil
}
