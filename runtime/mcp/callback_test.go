package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// badLog is the handler of a logger that fails.
type badLog struct {
	slog.Handler
	fail func()
}

func (l badLog) Enabled(context.Context, slog.Level) bool { return true }
func (l badLog) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l badLog) WithGroup(string) slog.Handler            { return l }
func (l badLog) Handle(context.Context, slog.Record) error {
	l.fail()
	return nil
}

// badStore is a store that fails.
type badStore struct{ fail func() }

func (s badStore) Consume(context.Context, string, time.Time) (bool, error) {
	s.fail()
	return true, nil
}

// callback is a function of users that a server calls.
type callback struct {
	covers []string // names in the package
	setup  func(s *mcp.Server, fail func())
	server func(fail func()) []mcp.Option
	method string
	params string
	silent bool // a notification, or an error without a visible cause
}

func callbacks() []callback {
	tool := func(fail func()) mcp.Feature {
		return mcp.NewTool(mcp.ToolInfo{Name: "fails"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			fail()
			return mcp.TextResult("done"), nil
		})
	}
	fine := func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }
	const callTool = `"name":"fails","arguments":{}`
	infoTool := mcp.ToolInfo{Name: "fails", InputSchema: `{"type":"object"}`}
	failed := fmt.Errorf("it has failed")
	return []callback{
		{covers: []string{"NewTool"}, setup: func(s *mcp.Server, fail func()) { s.Register(tool(fail)) }, method: "tools/call", params: callTool},
		{covers: []string{"FuncTool"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcpimpl.FuncTool(&infoTool, func(context.Context, *mcp.Request) (*mcp.ToolResult, error) { fail(); return nil, nil }))
		}, method: "tools/call", params: callTool},
		{covers: []string{"MethodTool"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcpimpl.MethodTool(&infoTool, 1, func(context.Context, *mcp.Request, int) (*mcp.ToolResult, error) { fail(); return nil, nil }))
		}, method: "tools/call", params: callTool},
		{covers: []string{"ToolInfo.Errors"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcp.NewTool(mcp.ToolInfo{Name: "fails", Errors: func(error) (string, bool) { fail(); return "", false }},
				func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, failed }))
		}, method: "tools/call", params: callTool},
		{covers: []string{"Defaults.Errors"}, setup: func(s *mcp.Server, fail func()) {
			mcpimpl.ApplyDefaults(s, mcpimpl.Defaults{Errors: func(error) (string, bool) { fail(); return "", false }}).Register(
				mcp.NewTool(mcp.ToolInfo{Name: "fails"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, failed }))
		}, method: "tools/call", params: callTool},
		{covers: []string{"NewResource"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "x://r", Name: "r"}, func(context.Context, string) (*mcp.ResourceResult, error) { fail(); return nil, nil }))
		}, method: "resources/read", params: `"uri":"x://r"`},
		{covers: []string{"FuncResource"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcpimpl.FuncResource(&mcp.ResourceInfo{URI: "x://r", Name: "r"}, func(context.Context, *mcp.Request) (*mcp.ResourceResult, error) { fail(); return nil, nil }))
		}, method: "resources/read", params: `"uri":"x://r"`},
		{covers: []string{"MethodResource"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcpimpl.MethodResource(&mcp.ResourceInfo{URI: "x://r", Name: "r"}, 1, func(context.Context, *mcp.Request, int) (*mcp.ResourceResult, error) { fail(); return nil, nil }))
		}, method: "resources/read", params: `"uri":"x://r"`},
		{covers: []string{"ReadInfo.Errors"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "x://r", Name: "r", ReadInfo: mcp.ReadInfo{Errors: func(error) (string, bool) { fail(); return "", false }}},
				func(context.Context, string) (*mcp.ResourceResult, error) { return nil, failed }))
		}, method: "resources/read", params: `"uri":"x://r"`},
		{covers: []string{"NewTemplate"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x://{a}", Name: "r"}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
				fail()
				return nil, nil
			}))
		}, method: "resources/read", params: `"uri":"x://r"`},
		{covers: []string{"FuncTemplate"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcpimpl.FuncTemplate(&mcp.TemplateInfo{URITemplate: "x://{a}", Name: "r"}, func(context.Context, *mcp.Request) (*mcp.ResourceResult, error) { fail(); return nil, nil }))
		}, method: "resources/read", params: `"uri":"x://r"`},
		{covers: []string{"MethodTemplate"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcpimpl.MethodTemplate(&mcp.TemplateInfo{URITemplate: "x://{a}", Name: "r"}, 1, func(context.Context, *mcp.Request, int) (*mcp.ResourceResult, error) { fail(); return nil, nil }))
		}, method: "resources/read", params: `"uri":"x://r"`},
		{covers: []string{"TemplateInfo.List", "ListFunc"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x://{a}", Name: "r", List: func(context.Context) ([]mcp.ResourceInfo, error) { fail(); return nil, nil }}, nil2))
		}, method: "resources/list"},
		{covers: []string{"TemplateVariable.Complete", "CompleteFunc"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x://{a}", Name: "r", Variables: []mcp.TemplateVariable{{Name: "a", Complete: func(context.Context, string, map[string]string) (mcp.Completion, error) {
				fail()
				return mcp.Completion{}, nil
			}}}}, nil2))
		}, method: "completion/complete", params: `"ref":{"type":"ref/resource","uri":"x://{a}"},"argument":{"name":"a","value":"b"}`},
		{covers: []string{"FilesInfo.MIMEType"}, setup: func(s *mcp.Server, fail func()) {
			root, err := os.OpenRoot(".")
			if err != nil {
				panic(err)
			}
			s.Register(mcp.NewFiles(mcp.FilesInfo{Prefix: "docs://", MIMEType: func(string) string { fail(); return "" }}, root))
		}, method: "resources/read", params: `"uri":"docs://doc.go"`},
		{covers: []string{"NewPrompt"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "p"}, func(context.Context, map[string]string) (*mcp.PromptResult, error) { fail(); return nil, nil }))
		}, method: "prompts/get", params: `"name":"p"`},
		{covers: []string{"FuncPrompt"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcpimpl.FuncPrompt(&mcp.PromptInfo{Name: "p"}, func(context.Context, *mcp.Request) (*mcp.PromptResult, error) { fail(); return nil, nil }))
		}, method: "prompts/get", params: `"name":"p"`},
		{covers: []string{"MethodPrompt"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcpimpl.MethodPrompt(&mcp.PromptInfo{Name: "p"}, 1, func(context.Context, *mcp.Request, int) (*mcp.PromptResult, error) { fail(); return nil, nil }))
		}, method: "prompts/get", params: `"name":"p"`},
		{covers: []string{"PromptInfo.Errors"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "p", Errors: func(error) (string, bool) { fail(); return "", false }},
				func(context.Context, map[string]string) (*mcp.PromptResult, error) { return nil, failed }))
		}, method: "prompts/get", params: `"name":"p"`},
		{covers: []string{"Once"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcp.NewTool(infoTool, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
				_, err := mcp.Once(ctx, "k", func() (int, error) { fail(); return 1, nil })
				return mcp.TextResult("done"), err
			}))
		}, method: "tools/call", params: callTool},
		{covers: []string{"Found"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcpimpl.FuncTool(&infoTool, func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
				return mcpimpl.Found(req, new(int), nil, func(*wire.Encoder, *int) { fail() })
			}))
		}, method: "tools/call", params: callTool},
		{covers: []string{"Items"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcpimpl.FuncTool(&infoTool, func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
				return mcpimpl.Items(req, []int{1}, nil, func(*wire.Encoder, *int) { fail() })
			}))
		}, method: "tools/call", params: callTool},
		{covers: []string{"Stream"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcpimpl.FuncTool(&infoTool, func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
				return mcpimpl.Stream(ctx, req, iter.Seq[int](func(func(int) bool) { fail() }), wire.PutInt)
			}))
		}, method: "tools/call", params: callTool},
		{covers: []string{"StreamErr"}, setup: func(s *mcp.Server, fail func()) {
			s.Register(mcpimpl.FuncTool(&infoTool, func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
				return mcpimpl.StreamErr(ctx, req, iter.Seq2[int, error](func(yield func(int, error) bool) { yield(1, nil) }), func(*wire.Encoder, *int) { fail() })
			}))
		}, method: "tools/call", params: callTool},
		{covers: []string{"WithInterceptors", "Interceptor", "Handler"}, server: func(fail func()) []mcp.Option {
			return []mcp.Option{mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
				return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
					if req.Method == "tools/list" {
						fail()
					}
					return next(ctx, req)
				}
			})}
		}, setup: func(s *mcp.Server, _ func()) { s.Register(mcp.NewTool(infoTool, fine)) }, method: "tools/list"},
		{covers: []string{"Visible"}, server: func(fail func()) []mcp.Option {
			return []mcp.Option{mcp.WithAccess(mcp.Visible(func(context.Context, mcp.FeatureInfo) bool { fail(); return true }))}
		}, setup: func(s *mcp.Server, _ func()) { s.Register(mcp.NewTool(infoTool, fine)) }, method: "tools/list"},
		{covers: []string{"Access", "AccessFunc"}, server: func(fail func()) []mcp.Option {
			return []mcp.Option{mcp.WithAccess(mcp.AccessFunc(func(context.Context, mcp.FeatureInfo) error { fail(); return nil }))}
		}, setup: func(s *mcp.Server, _ func()) { s.Register(mcp.NewTool(infoTool, fine)) }, method: "tools/list"},
		{covers: []string{"ExtensionFunc", "Extension.Methods"}, server: func(fail func()) []mcp.Option {
			return []mcp.Option{mcp.WithExtension(mcp.Extension{Name: "com.example/x", Methods: map[string]mcp.ExtensionFunc{
				"x/fails": func(context.Context, *mcp.Request) (json.RawMessage, error) { fail(); return nil, nil },
			}})}
		}, method: "x/fails"},
		{covers: []string{"Extension.Notifications"}, server: func(fail func()) []mcp.Option {
			return []mcp.Option{mcp.WithExtension(mcp.Extension{Name: "com.example/x", Notifications: map[string]func(context.Context, json.RawMessage){
				"notifications/x": func(context.Context, json.RawMessage) { fail() },
			}})}
		}, method: "notifications/x", silent: true},
		{covers: []string{"WithLogger"}, server: func(fail func()) []mcp.Option { return []mcp.Option{mcp.WithLogger(slog.New(badLog{fail: fail}))} },
			setup: func(s *mcp.Server, _ func()) { s.Register(tool(func() { panic("a reason to log") })) }, method: "tools/call", params: callTool},
		{covers: []string{"LogCalls"}, server: func(fail func()) []mcp.Option {
			return []mcp.Option{mcp.WithInterceptors(mcp.LogCalls(slog.New(badLog{fail: fail})))}
		}, setup: func(s *mcp.Server, _ func()) { s.Register(mcp.NewTool(infoTool, fine)) }, method: "tools/call", params: callTool},
	}
}

func nil2(context.Context, string, map[string]string) (*mcp.ResourceResult, error) { return nil, nil }

// elsewhereOrNever contains the functions that another test covers, or that run while a program is
// composed, with the place.
var elsewhereOrNever = map[string]string{
	"WithServerInfo": "runs in NewServer", "Select": "runs in Register", "Option": "runs in NewServer",
	"AskOption": "runs in the handler that asks", "FeatureOption": "runs where the feature is made", "WithCompletion": "as CompleteFunc",
	"FormQuestion": "runs in the handler that asks", "Elicit": "runs in the handler that asks",
	"Content": "is of this package alone", "Feature": "is of this package alone", "Form": "is called by the handler that asks",
	"Question": "is of this package alone", "Registrar": "is called by the program", "Reply": "is of this package alone",
	"SampleContent": "is of this package alone", "StateStore": "TestStateStoreFails", "KeySource": "TestStateKeySourcePanics", "PubSub": "TestFailingPubSub and TestBrokenSubscription",
	"Shorten": "calls generated encoders alone", "WithListed": "runs in Register", "Policy.Select": "runs in Register",
	"WithSessionHook": "TestSessionHookFails", "WithQuestionHook": "TestQuestionHookFails", "NewChoices": "TestChoicesPanic of mcpimpl", "NewChoicesErr": "TestChoicesPanic of mcpimpl",
	"Overrides.Tool": "runs in Register", "Overrides.Resource": "runs in Register", "Overrides.Template": "runs in Register", "Overrides.Prompt": "runs in Register", "Fixed": "runs when the program starts, and as a decoder of a call",
}

// Any function of users may panic, or exit its goroutine: the request fails, and nothing else.
func TestCallbacksFail(t *testing.T) {
	for _, how := range []struct {
		name string
		fail func()
	}{{"panic", func() { panic("at the disco") }}, {"Goexit", runtime.Goexit}} {
		for _, c := range callbacks() {
			t.Run(how.name+"/"+c.covers[0], func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var armed atomic.Bool
					fail := func() {
						if armed.Load() {
							how.fail()
						}
					}
					options := []mcp.Option{quiet}
					if c.server != nil {
						options = append(options, c.server(fail)...)
					}
					s := mcp.NewServer(fixtureInfo(), options...)
					if c.setup != nil {
						c.setup(s, fail)
					}
					ask := connect(t, s)
					armed.Store(true)
					if c.silent {
						// The only reply is the one to the ping that follows.
						if got := ask(`{"jsonrpc":"2.0","method":"` + c.method + "\"}\n" + request(2, "ping", "{}")); !strings.Contains(got, `"id":2,"result":{}`) {
							t.Errorf("%s", got)
						}
					} else if got := ask(request(1, c.method, "{"+c.params+"}")); !strings.Contains(got, `"id":1,`) || !strings.Contains(got, "internal error") || strings.Contains(got, "disco") {
						t.Errorf("%s", got)
					}
					armed.Store(false)
					if got := ask(request(3, "ping", "{}")); !strings.Contains(got, `"id":3,"result":{}`) {
						t.Errorf("afterwards: %s", got)
					}
				})
			})
		}
	}
	covered := map[string]bool{}
	for _, c := range callbacks() {
		for _, name := range c.covers {
			covered[name] = true
		}
	}
	for _, name := range givenByUsers(t) {
		if !covered[name] && elsewhereOrNever[name] == "" {
			t.Errorf("%s takes the code of users, and it is not known what happens when that fails", name)
		}
	}
}

// A store that fails is treated as one without records: the tool does not run.
func TestStateStoreFails(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("at the disco") }, "Goexit": runtime.Goexit} {
		key := mcp.WithStateKeys(bytes.Repeat([]byte("k"), 32))
		ask := asker(t, newTalk(quiet, key, mcp.WithStateStore(badStore{fail})))
		state := stateOf(t, ask(modernTalk(1, "named_destroy", "")))
		if got := ask(retry(2, "named_destroy", "sure", state)); !strings.Contains(got, "internal error") || strings.Contains(got, "accepttrue") {
			t.Errorf("%s: %s", name, got)
		}
		if got := ask(modernTalk(3, "named_destroy", "")); stateOf(t, got) == "" {
			t.Errorf("%s, afterwards: %s", name, got)
		}
	}
}

// givenByUsers returns the exported names of this package and of mcpimpl that are functions of
// users, or have one as a parameter.
func givenByUsers(t *testing.T) (names []string) {
	var files []string
	for _, pattern := range []string{"*.go", "../mcpimpl/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	isFunc := func(e ast.Expr) (found bool) {
		ast.Inspect(e, func(n ast.Node) bool {
			_, is := n.(*ast.FuncType)
			found = found || is
			return !found
		})
		return found
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !d.Name.IsExported() || d.Recv != nil {
					continue
				}
				for _, p := range d.Type.Params.List {
					if isFunc(p.Type) {
						names = append(names, d.Name.Name)
					}
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					spec, ok := spec.(*ast.TypeSpec)
					if !ok || !spec.Name.IsExported() {
						continue
					}
					switch of := spec.Type.(type) {
					case *ast.FuncType, *ast.InterfaceType:
						names = append(names, spec.Name.Name)
					case *ast.StructType:
						for _, f := range of.Fields.List {
							for _, n := range f.Names {
								if n.IsExported() && isFunc(f.Type) {
									names = append(names, spec.Name.Name+"."+n.Name)
								}
							}
						}
					}
				}
			}
		}
	}
	slices.Sort(names)
	if len(names) < 30 {
		t.Errorf("only %d are found: %v", len(names), names)
	}
	return slices.Compact(names)
}
