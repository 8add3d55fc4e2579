package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing/fstest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The resources and prompts of the conversations, in the form of generated code if that matters.

var infoMotto = mcp.ResourceInfo{
	URI: "test://motto", Name: "motto", Title: "Motto", Description: "What the library is for.",
	Groups: []string{"about"}, MIMEType: "text/markdown", Size: 14,
	Annotations: &mcp.Annotations{
		Audience: []mcp.Role{mcp.RoleUser, mcp.RoleAssistant}, Priority: new(0.8),
		LastModified: time.Date(2025, 1, 12, 15, 0, 58, 0, time.UTC),
	},
	Icons:    []mcp.Icon{{Source: "https://example.com/m.png", MIMEType: "image/png"}},
	Meta:     mcp.Meta{"com.example/m": json.RawMessage("1")},
	ReadInfo: mcp.ReadInfo{TTL: time.Minute, Cache: mcp.CachePublic},
}

var infoBook = mcp.TemplateInfo{
	URITemplate: "book://{isbn}{?lang}", Name: "book", Title: "Book", Description: "A book by its number.",
	MIMEType: "application/json", Annotations: &mcp.Annotations{Priority: new(1.0)},
	Icons: []mcp.Icon{{Source: "https://example.com/b.png"}}, Meta: mcp.Meta{"com.example/b": json.RawMessage("2")},
	Variables: []mcp.TemplateVariable{{Name: "lang", Values: []string{"de", "en", "eo", "nl-BE"}}},
}

var fieldsBook = wire.Fields{{Must: "isbn"}, {Name: "lang"}}

// readBook reads a book with a typed variable.
func readBook(_ context.Context, req *mcp.Request, _ *dictionary) (*mcp.ResourceResult, error) {
	var args struct {
		isbn int
		lang string
	}
	args.lang = "en"
	d := mcpimpl.Decoder(req)
	for o := d.Object(fieldsBook); o.Next(); {
		switch o.Name() {
		case "isbn":
			wire.Int(d, &args.isbn)
		case "lang":
			wire.String(d, &args.lang)
		}
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	if args.isbn == 0 {
		return nil, nil
	}
	e := mcpimpl.Encoder(req)
	e.Begin()
	e.Name("isbn")
	wire.PutInt(e, &args.isbn)
	e.Name("lang")
	wire.PutString(e, &args.lang)
	e.End()
	return mcpimpl.JSONContents(req, e)
}

func completeISBN(_ context.Context, value string, arguments map[string]string) (mcp.Completion, error) {
	switch {
	case value == "panic":
		panic("secret in a completion")
	case value == "fail":
		return mcp.Completion{}, errors.New("index on fire")
	case arguments["lang"] == "eo":
		return mcp.Candidates(nil), nil
	case value == "some":
		return mcp.Completion{Values: []string{"1", "2"}, Total: 5}, nil
	case value == "more":
		return mcp.Completion{Values: []string{"1", "2"}, HasMore: true}, nil
	}
	var all []string
	for i := range 120 {
		all = append(all, value+fmt.Sprint(i))
	}
	return mcp.Candidates(all), nil
}

var infoGreet = mcp.PromptInfo{
	Name: "greet", Title: "Greeting", Description: "Greets somebody.", Groups: []string{"about"},
	Icons: []mcp.Icon{{Source: "https://example.com/g.png"}}, Meta: mcp.Meta{"com.example/g": json.RawMessage("3")},
	Arguments: []mcp.PromptArgument{
		{Name: "name", Title: "Name", Description: "Whom.", Required: true},
		{Name: "style", Values: []string{"formal", "informal", "rude"}},
		{Name: "times"},
	},
}

var fieldsGreet = wire.Fields{{Must: "name"}, {Name: "style"}, {Name: "times"}}

// getGreet gets a prompt with a typed argument.
func getGreet(_ context.Context, req *mcp.Request) (*mcp.PromptResult, error) {
	var args struct {
		name, style string
		times       int
	}
	args.times = 1
	d := mcpimpl.Decoder(req)
	for o := d.Object(fieldsGreet); o.Next(); {
		switch o.Name() {
		case "name":
			wire.String(d, &args.name)
		case "style":
			wire.StringEnum(d, &args.style, []string{"formal", "informal", "rude"})
		case "times":
			wire.Int(d, &args.times)
			wire.Maximum(d, args.times, 3)
		}
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	return mcp.PromptText(strings.TrimSpace(strings.Repeat("Hello, "+args.name+"! ", args.times))), nil
}

func resourceOf(uri string, f func() (*mcp.ResourceResult, error)) mcp.Feature {
	return mcp.NewResource(mcp.ResourceInfo{URI: uri, Name: strings.TrimPrefix(uri, "test://")},
		func(context.Context, string) (*mcp.ResourceResult, error) { return f() })
}

func promptOf(name string, f func() (*mcp.PromptResult, error)) mcp.Feature {
	return mcp.NewPrompt(mcp.PromptInfo{Name: name},
		func(context.Context, map[string]string) (*mcp.PromptResult, error) { return f() })
}

// addLibrary adds the features of a library.
func addLibrary(r mcp.Registrar) {
	r.Register(mcp.TextResource(&infoMotto, "Read *more*.\n"))
	r.Register(mcp.BlobResource(&mcp.ResourceInfo{URI: "test://logo", Name: "logo", MIMEType: "image/png"}, []byte("png")))
	r.Register(resourceOf("test://parts", func() (*mcp.ResourceResult, error) {
		return &mcp.ResourceResult{Contents: []mcp.ResourceContents{
			{Text: "one", Meta: mcp.Meta{"com.example/c": json.RawMessage("true")}},
			{URI: "test://parts/2", Blob: []byte{}},
		}, TTL: time.Second, Meta: mcp.Meta{"com.example/r": json.RawMessage("4")}}, nil
	}))
	r.Register(resourceOf("test://gone", func() (*mcp.ResourceResult, error) {
		return nil, fmt.Errorf("look it up: %w", mcp.ErrNotFound)
	}))
	r.Register(resourceOf("test://nothing", func() (*mcp.ResourceResult, error) { return nil, nil }))
	r.Register(resourceOf("test://empty", func() (*mcp.ResourceResult, error) { return &mcp.ResourceResult{}, nil }))
	r.Register(resourceOf("test://fails", func() (*mcp.ResourceResult, error) { return nil, errors.New("disk on fire") }))
	r.Register(mcpimpl.FuncResource(&mcp.ResourceInfo{URI: "test://hides", Name: "hides", ReadInfo: mcp.ReadInfo{HideErrors: true, Errors: declared}},
		func(_ context.Context, req *mcp.Request) (*mcp.ResourceResult, error) {
			return nil, errors.New("secret path")
		}))
	r.Register(mcpimpl.FuncResource(&mcp.ResourceInfo{URI: "test://declares", Name: "declares", ReadInfo: mcp.ReadInfo{HideErrors: true, Errors: declared}},
		func(_ context.Context, req *mcp.Request) (*mcp.ResourceResult, error) { return nil, errOutOfStock }))
	r.Register(resourceOf("test://quota", func() (*mcp.ResourceResult, error) {
		return nil, &mcp.ProtocolError{Code: 7, Message: "quota"}
	}))
	r.Register(resourceOf("test://panics", func() (*mcp.ResourceResult, error) { panic("secret in a panic") }))
	r.Register(mcp.NewResource(mcp.ResourceInfo{URI: "test://large", Name: "large", ReadInfo: mcp.ReadInfo{MaxBytes: 3}},
		func(context.Context, string) (*mcp.ResourceResult, error) { return mcp.TextContents("four"), nil }))
	r.Register(mcpimpl.FuncResource(&mcp.ResourceInfo{URI: "test://stream", Name: "stream", ReadInfo: mcp.ReadInfo{MaxBytes: 3}},
		func(_ context.Context, req *mcp.Request) (*mcp.ResourceResult, error) {
			return mcpimpl.ReadBlob(req, strings.NewReader("too long"))
		}))
	r.Register(mcp.NewResource(mcp.ResourceInfo{URI: "test://sampled", Name: "sampled", ReadInfo: mcp.ReadInfo{Requires: []mcp.Capability{mcp.CapabilitySampling}}},
		func(context.Context, string) (*mcp.ResourceResult, error) { return mcp.TextContents("sampled"), nil }))

	r.Register(mcpimpl.MethodTemplate(&infoBook, (*dictionary)(nil), readBook, mcpimpl.WithCompletion("isbn", completeISBN)))
	r.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "shelf://{room}{/path*}", Name: "shelf", List: func(context.Context) ([]mcp.ResourceInfo, error) {
		return []mcp.ResourceInfo{
			{URI: mcp.ExpandURI("shelf://{room}{/path*}", "room", "b", "path", "1", "path", "ü"), Name: "b1"},
			{URI: "shelf://a", Name: "a", Title: "A"},
			{URI: "no uri", Name: "left out"},
		}, nil
	}}, func(_ context.Context, uri string, v map[string]string) (*mcp.ResourceResult, error) {
		return mcp.TextContents(fmt.Sprint(uri, " ", v)), nil
	}))
	r.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "shelf://cellar{/path*}", Name: "cellar"},
		func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("the cellar"), nil
		}))
	r.Register(mcp.NewFS(mcp.FilesInfo{Prefix: "docs:///", Name: "docs"}, fstest.MapFS{
		"a b/read.md": {Data: []byte("# Read"), ModTime: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)},
		"logo.png":    {Data: []byte{0x89, 'P', 'N', 'G'}},
		".hidden":     {Data: []byte("secret")},
	}))

	r.Register(mcpimpl.FuncPrompt(&infoGreet, getGreet))
	r.Register(promptOf("kinds", func() (*mcp.PromptResult, error) {
		return &mcp.PromptResult{Description: "Every kind.", Messages: []mcp.PromptMessage{
			mcp.FromUser(mcp.Text{Text: "text", Annotations: &mcp.Annotations{Priority: new(0.5)}}),
			mcp.FromAssistant(mcp.Image{Data: []byte("png"), MIMEType: "image/png"}),
			{Content: mcp.Audio{Data: []byte("wav"), MIMEType: "audio/wav"}},
			mcp.FromUser(mcp.ResourceLink{URI: "test://motto", Name: "motto", Title: "Motto"}),
			mcp.FromUser(mcp.EmbeddedResource{URI: "test://motto", MIMEType: "text/plain", Text: "Read more."}),
			mcp.FromUser(mcp.EmbeddedResource{URI: "test://logo", MIMEType: "image/png", Blob: []byte("png")}),
		}, Meta: mcp.Meta{"com.example/p": json.RawMessage("5")}}, nil
	}))
	r.Register(promptOf("nothing", func() (*mcp.PromptResult, error) { return nil, nil }))
	r.Register(promptOf("fails", func() (*mcp.PromptResult, error) { return nil, errors.New("out of words") }))
	r.Register(promptOf("told", func() (*mcp.PromptResult, error) { return nil, mcp.Errorf("try %q", "later") }))
	r.Register(promptOf("panics", func() (*mcp.PromptResult, error) { panic("secret in a panic") }))
	r.Register(promptOf("no_content", func() (*mcp.PromptResult, error) {
		return mcp.PromptMessages(mcp.PromptMessage{Role: mcp.RoleUser}), nil
	}))
	r.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "completed", Arguments: []mcp.PromptArgument{{Name: "isbn", Complete: completeISBN}, {Name: "plain"}}},
		func(_ context.Context, arguments map[string]string) (*mcp.PromptResult, error) {
			return mcp.PromptText(fmt.Sprint(arguments)), nil
		}))
}

// newLibrary returns a server with resources and prompts.
func newLibrary(options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(fixtureInfo(), options...)
	addLibrary(s)
	return s
}

// newCircle returns a server with a few features of each kind, and a tool that changes it.
func newCircle(options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(fixtureInfo(), options...)
	r := mcp.Select(s, func(f mcp.FeatureInfo) bool {
		switch f.Name {
		case "motto", "book", "greet":
			return true
		}
		return false
	})
	addLibrary(r)
	extras := map[string]mcp.Feature{
		"tool": mcpimpl.FuncTool(empty("extra", false), noArguments(func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
			return mcp.TextResult("done"), nil
		})),
		"prompt":   promptOf("extra", func() (*mcp.PromptResult, error) { return mcp.PromptText("extra"), nil }),
		"resource": resourceOf("test://extra", func() (*mcp.ResourceResult, error) { return mcp.TextContents("extra"), nil }),
		"resource template": mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "extra://{x}", Name: "extra"},
			func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) { return nil, nil }),
	}
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "change"}, func(_ context.Context, arguments json.RawMessage) (*mcp.ToolResult, error) {
		var args struct{ Add, Remove, Update []string }
		if err := json.Unmarshal(arguments, &args); err != nil {
			return nil, err
		}
		for _, kind := range args.Add {
			s.Register(extras[kind])
		}
		for _, kind := range args.Remove {
			if f := extras[kind].Info(); !s.Unregister(f.Kind, orName(f)) || s.Unregister(f.Kind, orName(f)) {
				return nil, errors.New("cannot remove a " + kind)
			}
		}
		for _, uri := range args.Update {
			s.ResourceUpdated(uri)
		}
		return mcp.TextResult("done"), nil
	}))
	return s
}

func orName(f mcp.FeatureInfo) string {
	if f.URI != "" {
		return f.URI
	}
	return f.Name
}

// newExtended returns a server with an extension and an experimental capability.
func newExtended(options ...mcp.Option) *mcp.Server {
	var s *mcp.Server
	s = mcp.NewServer(fixtureInfo(), append(options,
		mcp.WithExtension(mcp.Extension{
			Name: "com.example/search", Settings: json.RawMessage(`{ "depth": 3 }`),
			Methods: map[string]mcp.ExtensionFunc{
				"search/run": func(ctx context.Context, req *mcp.Request) (json.RawMessage, error) {
					call := mcp.CallFrom(ctx)
					return json.RawMessage(fmt.Sprintf(`{"client": %q, "trace": %q}`, string(call.Extension("com.example/search")), string(call.Meta("traceparent")))), nil
				},
				"search/nothing": func(context.Context, *mcp.Request) (json.RawMessage, error) { return nil, nil },
				"search/whole": func(context.Context, *mcp.Request) (json.RawMessage, error) {
					return json.RawMessage(`{"resultType":"task","_meta":{}}`), nil
				},
				"search/fail":  func(context.Context, *mcp.Request) (json.RawMessage, error) { return nil, errors.New("secret path") },
				"search/tell":  func(context.Context, *mcp.Request) (json.RawMessage, error) { return nil, mcp.Errorf("no index") },
				"search/list":  func(context.Context, *mcp.Request) (json.RawMessage, error) { return json.RawMessage(`[]`), nil },
				"search/panic": func(context.Context, *mcp.Request) (json.RawMessage, error) { panic("secret in a panic") },
			},
			Notifications: map[string]func(context.Context, json.RawMessage){
				"notifications/search/learn": func(_ context.Context, params json.RawMessage) {
					s.Register(mcp.NewTool(mcp.ToolInfo{Name: "learnt", Description: string(params)},
						func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil }))
				},
				"notifications/search/panic": func(context.Context, json.RawMessage) { panic("secret in a panic") },
			},
		}),
		mcp.WithExtension(mcp.Extension{
			Name: "com.example/ask", Required: true,
			Methods: map[string]mcp.ExtensionFunc{
				"ask/run": func(context.Context, *mcp.Request) (json.RawMessage, error) { return nil, nil },
			},
		}),
		mcp.WithExtension(mcp.Extension{Name: "com.example/new", Experimental: true}),
	)...)
	s.Register(mcpimpl.FuncTool(&infoAdd, callAdd))
	return s
}
