package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The tools that send messages to the client while they run, with a form in the form of generated
// code.

type order struct {
	Title   string
	Copies  int
	Weight  float64
	Express bool
	Genre   string
	Extras  []string
	Mail    string
}

var orderForm = mcp.FormInfo{Fields: []mcp.FormField{
	{Name: "title", Kind: mcp.StringField, Required: true, Title: "Title", Description: "Of the book.", MinLength: 1, MaxLength: 40, Default: `"Emma"`},
	{Name: "copies", Kind: mcp.IntegerField, Required: true, Minimum: "1", Maximum: "100", Default: "1"},
	{Name: "weight", Kind: mcp.NumberField, Default: "0.5"},
	{Name: "express", Kind: mcp.BooleanField, Default: "true"},
	{Name: "genre", Kind: mcp.ChoiceField, Default: `"novel"`, Choices: []mcp.FormChoice{{Value: "novel", Title: "A novel"}, {Value: "poetry"}}},
	{Name: "mail", Kind: mcp.StringField, Format: "email"},
}}

var fieldsOrder = wire.Fields{
	{Must: "title"}, {Must: "copies"}, {Name: "weight"}, {Name: "express"},
	{Name: "genre"}, {Name: "mail"},
}

func (f *order) MCPFormNeedsDirective() (*mcp.FormInfo, func(*wire.Decoder)) {
	return &orderForm, func(d *wire.Decoder) {
		for o := d.Object(fieldsOrder); o.Next(); {
			switch o.Name() {
			case "title":
				wire.String(d, &f.Title)
				wire.MinLength(d, f.Title, 1)
				wire.MaxLength(d, f.Title, 40)
			case "copies":
				wire.Int(d, &f.Copies)
				wire.Minimum(d, f.Copies, 1)
				wire.Maximum(d, f.Copies, 100)
			case "weight":
				wire.Float(d, &f.Weight)
			case "express":
				wire.Bool(d, &f.Express)
			case "genre":
				wire.StringEnum(d, &f.Genre, []string{"novel", "poetry"})
			case "mail":
				wire.String(d, &f.Mail)
				wire.Format(d, f.Mail, wire.FormatEmail)
			}
		}
	}
}

// sure is a form of one field.
type sure struct{ Yes bool }

var sureForm = mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField, Required: true}}}

func (f *sure) MCPFormNeedsDirective() (*mcp.FormInfo, func(*wire.Decoder)) {
	return &sureForm, func(d *wire.Decoder) {
		for o := d.Object(wire.Fields{{Must: "yes"}}); o.Next(); {
			wire.Bool(d, &f.Yes)
		}
	}
}

// byHand is a form with fields that older revisions do not support, or spell otherwise.
var byHand = mcp.FormInfo{Fields: []mcp.FormField{
	{Name: "plain", Kind: mcp.ChoiceField, Choices: []mcp.FormChoice{{Value: "a"}, {Value: "b"}}},
	{Name: "old", Kind: mcp.ChoiceField, EnumNames: true, Choices: []mcp.FormChoice{{Value: "a", Title: "A"}, {Value: "b", Title: "B"}}},
	{Name: "many", Kind: mcp.ChoicesField, MinItems: 1, MaxItems: 2, Default: `["a"]`, Choices: []mcp.FormChoice{{Value: "a"}, {Value: "b"}, {Value: "c"}}},
	{Name: "titled", Kind: mcp.ChoicesField, Choices: []mcp.FormChoice{{Value: "a", Title: "A"}, {Value: "b"}}},
	{Name: "day", Kind: mcp.StringField, Format: "date"},
	{Name: "host", Kind: mcp.StringField, Format: "hostname"},
	{Name: "n", Kind: mcp.IntegerField, Minimum: "-3", Maximum: "3"},
	{Name: "x", Kind: mcp.NumberField, Maximum: "0.5"},
	{Name: "b", Kind: mcp.BooleanField},
}}

type toolFunc = func(ctx context.Context) (string, error)

// tool registers a tool without arguments whose result is text. It may be repeated unless an option
// says otherwise.
func tool(r mcp.Registrar, name string, f toolFunc, change ...func(*mcp.ToolInfo)) {
	info := empty(name, false)
	info.Hints.Idempotent = true
	for _, c := range change {
		c(info)
	}
	r.Register(mcpimpl.FuncTool(info, noArguments(func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) {
		text, err := f(ctx)
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(text), nil
	})))
}

func destructive(info *mcp.ToolInfo) { info.Hints.Destructive = true }

func additive(info *mcp.ToolInfo) { info.Hints.Idempotent = false }

// newTalk returns the server with these tools.
func newTalk(options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(fixtureInfo(), append([]mcp.Option{mcp.WithLimits(mcp.Limits{QuestionTime: time.Minute})}, options...)...)
	registerTalk(s)
	registerRounds(s)
	registerStreams(s)
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "letter", Arguments: []mcp.PromptArgument{{Name: "to"}}},
		func(ctx context.Context, arguments map[string]string) (*mcp.PromptResult, error) {
			mcp.Progress(ctx, 1, 1, "asking")
			mcp.Logger(ctx).Warn("asking")
			a, err := mcp.Elicit[sure](ctx, "Formal?", mcp.WithKey("formal"))
			if err != nil {
				return nil, err
			}
			return mcp.PromptText(fmt.Sprint("To ", arguments["to"], ", formal: ", a.Value.Yes)), nil
		}))
	s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "test://private", Name: "private", ReadInfo: mcp.ReadInfo{TTL: time.Hour, Cache: mcp.CachePublic}},
		func(ctx context.Context, uri string) (*mcp.ResourceResult, error) {
			mcp.Progress(ctx, 1, 1, "asking")
			mcp.Logger(ctx).Warn("asking")
			a, err := mcp.Elicit[sure](ctx, "Show it?", mcp.WithKey("show"))
			if err != nil {
				return nil, err
			}
			return mcp.TextContents(fmt.Sprint("shown: ", a.Value.Yes)), nil
		}))
	s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "test://free", Name: "free", ReadInfo: mcp.ReadInfo{TTL: time.Hour, Cache: mcp.CachePublic}},
		func(context.Context, string) (*mcp.ResourceResult, error) { return mcp.TextContents("free"), nil }))
	return s
}

func registerTalk(s *mcp.Server) {
	tool(s, "order", func(ctx context.Context) (string, error) {
		a, err := mcp.Elicit[order](ctx, "What shall it be?")
		return fmt.Sprintf("%s %+v", a.Action, a.Value), err
	})
	tool(s, "fields", func(ctx context.Context) (string, error) {
		a, err := mcp.ElicitFields(ctx, "By hand", &byHand, mcp.WithKey("fields"))
		return fmt.Sprintf("%s %v", a.Action, a.Value), err
	})
	tool(s, "link", func(ctx context.Context) (string, error) {
		a, err := mcp.ElicitURL(ctx, "Pay here", "https://example.com/pay")
		if err == nil && a.Action == mcp.ActionAccept {
			a.Complete(ctx)
		}
		return string(a.Action), err
	})
	tool(s, "roots", func(ctx context.Context) (string, error) {
		roots, err := mcp.Roots(ctx)
		return fmt.Sprint(roots), err
	})
	tool(s, "model", func(ctx context.Context) (string, error) {
		r, err := mcp.Sample(ctx, &mcp.SampleRequest{
			Messages: []mcp.SampleMessage{mcp.UserMessage("Hello?")}, MaxTokens: 10, System: "Be brief.",
			Temperature: new(0.5), StopSequences: []string{"."}, Metadata: json.RawMessage(`{"a": 1}`),
			Preferences: &mcp.ModelPreferences{Hints: []string{"small"}, Cost: new(1.0), Speed: new(0.25)},
		})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s says %q (%s, %s)", r.Role, r.Text(), r.Model, r.StopReason), nil
	})
	tool(s, "model_context", func(ctx context.Context) (string, error) {
		r, err := mcp.Sample(ctx, &mcp.SampleRequest{Messages: []mcp.SampleMessage{mcp.UserMessage("Hello?")}, Context: mcp.ContextThisServer})
		if err != nil {
			return "", err
		}
		return r.Text(), nil
	})
	tool(s, "model_sound", func(ctx context.Context) (string, error) {
		r, err := mcp.Sample(ctx, &mcp.SampleRequest{Messages: []mcp.SampleMessage{
			{Role: mcp.RoleUser, Content: []mcp.SampleContent{mcp.Image{Data: []byte("png"), MIMEType: "image/png"}}},
			{Role: mcp.RoleAssistant, Content: []mcp.SampleContent{mcp.Audio{Data: []byte("wav"), MIMEType: "audio/wav"}}},
		}})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%v", r.Content), nil
	})
	tool(s, "model_tools", callModelTools)
	tool(s, "needs", func(context.Context) (string, error) { return "done", nil },
		func(info *mcp.ToolInfo) {
			info.Requires = []mcp.Capability{mcp.CapabilityElicitation, mcp.CapabilitySampling, mcp.CapabilityElicitationURL}
		})
	tool(s, "trace", func(ctx context.Context) (string, error) {
		return fmt.Sprintf("%+v", mcp.CallFrom(ctx).Trace()), nil
	})
	tool(s, "report", func(ctx context.Context) (string, error) {
		log := mcp.Logger(ctx)
		mcp.Progress(ctx, 1, 3, "one")
		log.DebugContext(ctx, "details", "n", 1)
		log.InfoContext(ctx, "Tool execution started")
		mcp.Progress(ctx, 1, 3, "again")
		mcp.Progress(ctx, 2.5, 0, "")
		log.Log(ctx, slog.LevelInfo+2, "notice")
		log.With("a", 1).WithGroup("g").With("b", true).WarnContext(ctx, "beware",
			"d", time.Second, "e", errors.New("oops"), "any", map[string]int{"k": 1}, "bad", math.Inf(1), slog.Group("h", "i", 2.5, "i", "last"))
		log.ErrorContext(ctx, "failed")
		for level := slog.Level(12); level <= 24; level += 4 {
			log.Log(ctx, level, "worse")
		}
		mcp.Progress(ctx, 3, 3, "three")
		return "done", nil
	})
	tool(s, "patient", func(ctx context.Context) (string, error) {
		a, err := mcp.Elicit[sure](ctx, "Sure?")
		if err != nil {
			return "", err
		}
		select {
		case <-ctx.Done():
			_, running := ctx.Deadline()
			return fmt.Sprint(a.Value, ctx.Err(), context.Cause(ctx), running), nil
		case <-time.After(1500 * time.Millisecond):
			return fmt.Sprint(a.Value), nil
		}
	}, func(info *mcp.ToolInfo) { info.Timeout = 2 * time.Second })
}

func callModelTools(ctx context.Context) (string, error) {
	request := &mcp.SampleRequest{
		Messages:   []mcp.SampleMessage{mcp.UserMessage("How warm is it?")},
		Tools:      []mcp.SampleTool{{Name: "warmth", Title: "Warmth", InputSchema: `{"type":"object","properties":{"city":{"type":"string"}}}`}, {Name: "other"}},
		ToolChoice: mcp.ToolChoiceAuto,
	}
	for range 3 {
		r, err := mcp.Sample(ctx, request)
		if err != nil {
			return "", err
		}
		if len(r.ToolUses()) == 0 {
			return r.Text(), nil
		}
		request.Messages = append(request.Messages, mcp.SampleMessage{Role: r.Role, Content: r.Content})
		answer := mcp.SampleMessage{Role: mcp.RoleUser}
		for _, use := range r.ToolUses() {
			answer.Content = append(answer.Content, mcp.ToolOutcome{ID: use.ID, Result: &mcp.ToolResult{
				Content: []mcp.Content{mcp.Text{Text: use.Name + string(use.Input)}}, Structured: json.RawMessage(`21`),
			}})
		}
		request.Messages = append(request.Messages, answer)
		request.ToolChoice = mcp.ToolChoiceNone
	}
	return "", errors.New("no end")
}

// registerRounds adds the tools that ask more than once.
func registerRounds(s *mcp.Server) {
	var counter atomic.Int64
	steps := func(ctx context.Context) (string, error) {
		ticket, err := mcp.Once(ctx, "ticket", func() (int64, error) { return counter.Add(1), nil })
		if err != nil {
			return "", err
		}
		mcp.Logger(ctx).Info("before the first question")
		mcp.Progress(ctx, 1, 3, "first")
		first, err := mcp.Elicit[sure](ctx, "First?")
		if err != nil {
			mcp.Logger(ctx).Info("unwinding")
			return "", err
		}
		mcp.Logger(ctx).Info("between the questions")
		mcp.Progress(ctx, 2, 3, "second")
		second, err := mcp.Elicit[sure](ctx, "Second?")
		if err != nil {
			return "", err
		}
		mcp.Progress(ctx, 3, 3, "third")
		return fmt.Sprint("ticket ", ticket, ": ", first.Value.Yes, second.Value.Yes), nil
	}
	tool(s, "steps", steps)
	tool(s, "destroy", steps, destructive)
	tool(s, "ignorant", func(ctx context.Context) (string, error) {
		a, _ := mcp.Elicit[sure](ctx, "Sure?")
		b, _ := mcp.Elicit[sure](ctx, "Really?")
		return fmt.Sprint("whatever ", a.Value.Yes, b.Value.Yes), nil
	})
	tool(s, "panicky", func(ctx context.Context) (string, error) {
		if _, err := mcp.Elicit[sure](ctx, "Sure?"); err != nil {
			panic(err)
		}
		return "done", nil
	})
	tool(s, "named", func(ctx context.Context) (string, error) {
		a, err := mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("sure"))
		return fmt.Sprint(a.Action, a.Value.Yes), err
	})
	tool(s, "named_destroy", func(ctx context.Context) (string, error) {
		a, err := mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("sure"))
		return fmt.Sprint(a.Action, a.Value.Yes), err
	}, destructive)
	tool(s, "named_add", func(ctx context.Context) (string, error) {
		a, err := mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("sure"))
		return fmt.Sprint(a.Action, a.Value.Yes), err
	}, additive)
	tool(s, "same_key", func(ctx context.Context) (string, error) {
		if _, err := mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("sure")); err != nil {
			return "", err
		}
		_, err := mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("sure"))
		return "", err
	})
	var version atomic.Int64
	tool(s, "changing", func(ctx context.Context) (string, error) {
		a, err := mcp.Elicit[sure](ctx, fmt.Sprintf("Version %d?", version.Add(1)), mcp.WithKey("sure"))
		return fmt.Sprint(a.Action), err
	})
	tool(s, "together", func(ctx context.Context) (string, error) {
		if !mcp.Answered(ctx, "sure") {
			return "", &mcp.InputRequired{
				Questions: map[string]mcp.Question{
					"sure": mcp.FormQuestion[sure]("Sure?"), "roots": mcp.RootsQuestion(),
					"model": &mcp.SampleRequest{Messages: []mcp.SampleMessage{mcp.UserMessage("Hello?")}},
				},
				State: json.RawMessage(`{"step": 1}`),
			}
		}
		a, err := mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("sure"))
		if err != nil {
			return "", err
		}
		roots, err := mcp.Roots(ctx, mcp.WithKey("roots"))
		if err != nil {
			return "", err
		}
		r, err := mcp.Sample(ctx, &mcp.SampleRequest{Messages: []mcp.SampleMessage{mcp.UserMessage("Hello?")}}, mcp.WithKey("model"))
		if err != nil {
			return "", err
		}
		return fmt.Sprint(a.Value.Yes, roots, r.Text(), string(mcp.RequestState(ctx))), nil
	})
	tool(s, "by_hand", func(ctx context.Context) (string, error) {
		return "", &mcp.InputRequired{Questions: map[string]mcp.Question{
			"fields": mcp.FieldsQuestion("By hand", &sureForm), "link": mcp.URLQuestion("Go", "https://example.com"),
		}}
	})
	tool(s, "state_only", func(ctx context.Context) (string, error) {
		if state := mcp.RequestState(ctx); state != nil {
			return "state-ok " + string(state), nil
		}
		return "", &mcp.InputRequired{State: json.RawMessage(`"secret of the handler"`)}
	})
	tool(s, "endless", func(ctx context.Context) (string, error) {
		return "", &mcp.InputRequired{State: json.RawMessage(`1`)}
	})
	tool(s, "empty_handed", func(ctx context.Context) (string, error) { return "", &mcp.InputRequired{} })
	tool(s, "large", func(ctx context.Context) (string, error) {
		_, err := mcp.Once(ctx, "large", func() (string, error) { return strings.Repeat("x", 300<<10), nil })
		if err != nil {
			return "", err
		}
		a, err := mcp.Elicit[sure](ctx, "Sure?")
		return fmt.Sprint(a.Action), err
	})
}

// registerStreams adds the tools whose results come in parts, or as bytes.
func registerStreams(s *mcp.Server) {
	words := func(ctx context.Context, fail bool) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for _, word := range []string{"one", "two", "three"} {
				if fail && word == "three" {
					yield("", errors.New("no more"))
					return
				}
				if !yield(word, nil) {
					return
				}
			}
		}
	}
	stream := func(name string, f func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error)) {
		info := empty(name, false)
		info.MaxResult = 64
		info.Narrow = []string{"n"}
		s.Register(mcpimpl.FuncTool(info, noArguments(f)))
	}
	stream("stream", func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		return mcpimpl.StreamErr(ctx, req, words(ctx, false), wire.PutString)
	})
	stream("stream_fails", func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		return mcpimpl.StreamErr(ctx, req, words(ctx, true), wire.PutString)
	})
	stream("stream_nothing", func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		return mcpimpl.Stream(ctx, req, nil, wire.PutString[string])
	})
	stream("stream_endless", func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		return mcpimpl.Stream(ctx, req, func(yield func(int) bool) {
			for i := 0; yield(i); i++ {
			}
		}, wire.PutInt)
	})
	stream("stream_asked", func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		return mcpimpl.StreamErr(ctx, req, func(yield func(string, error) bool) {
			if !yield("before", nil) {
				return
			}
			if _, err := mcp.Elicit[sure](ctx, "Go on?"); err != nil {
				yield("", err)
				return
			}
			yield("after", nil)
		}, wire.PutString)
	})
	for mime, data := range map[string]string{
		"image/png": "png", "audio/wav": "wav", "text/plain": "text", "application/pdf": "pdf", "application/problem+json": "{}",
	} {
		_, kind, _ := strings.Cut(strings.ReplaceAll(mime, "+", "_"), "/")
		stream("bytes_"+kind, func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
			return mcpimpl.BlobResult(req, mime, []byte(data)), nil
		})
		stream("reader_"+kind, func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
			return mcpimpl.ReaderResult(req, mime, strings.NewReader(data))
		})
	}
	stream("bytes_none", func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		return mcpimpl.BlobResult(req, "image/png", nil), nil
	})
	stream("reader_none", func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		return mcpimpl.ReaderResult(req, "image/png", nil)
	})
	stream("reader_large", func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
		return mcpimpl.ReaderResult(req, "image/png", strings.NewReader(strings.Repeat("x", 100)))
	})
}
