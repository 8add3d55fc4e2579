package mcphttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// fixture is the server behind the handler. Its tools are
//
//	echo      returns its arguments
//	steps     reports progress n times, then returns
//	scripted  runs the steps of a test, see testbed.Scripts
//	asks      asks the user for a name
//	pair      asks two questions at the same time
//	panics    panics
//	exits     exits its goroutine
//	prints    logs to the client at level debug, and returns
//	large     returns n bytes
//	mirror    has arguments with header fields
//	whoami    returns its context as an identity
//	needs     requires the capability sampling
//
// There is a resource test://text and a prompt greet.
type fixture struct {
	*mcp.Server
	*testbed.Scripts

	mu sync.Mutex // serializes changeTools
}

// valueKey is the key of the context value that middleware of the tests adds.
type valueKey struct{}

const mirrorSchema = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"count":{"type":"integer","x-mcp-header":"Count"},
	"dry":{"type":"boolean","x-mcp-header":"Dry-Run"},
	"where":{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}}}}`

// identity is the result of whoami.
type identity struct {
	Principal string              `json:"principal"`
	Claims    string              `json:"claims"`
	Header    map[string][]string `json:"header"`
	Value     string              `json:"value"`
	Revision  string              `json:"revision"`
	ID        string              `json:"id"`
	Client    string              `json:"client"`
}

func newFixture(t *testing.T, options ...mcp.Option) *fixture {
	// Tests count messages, so rates are not limited.
	options = append([]mcp.Option{mcp.WithLimits(mcp.Limits{ProgressRate: math.MaxInt32, LogRate: math.MaxInt32})}, options...)
	f := &fixture{
		Server: mcp.NewServer(mcp.ServerInfo{Name: "fixture", Version: "1.0.0", Description: "For tests."}, options...),
	}
	f.tool("echo", "", func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult(string(args)), nil
	})
	f.tool("steps", "", func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		var a struct{ N int }
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		for i := range a.N {
			mcp.Progress(ctx, float64(i+1), float64(a.N), fmt.Sprintf("step %d", i+1))
		}
		return mcp.TextResult("done"), nil
	})
	f.Scripts = testbed.NewScripts(t, f.Server)
	f.tool("asks", "", func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		name, err := elicitName(ctx, "What is your name?")
		if err != nil {
			return nil, err
		}
		return mcp.TextResult("hello " + name), nil
	})
	f.tool("pair", "", func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		var names [2]string
		var errs [2]error
		var wg sync.WaitGroup
		for i := range names {
			wg.Go(func() {
				names[i], errs[i] = elicitName(ctx, fmt.Sprintf("Name %d?", i), mcp.WithKey(fmt.Sprint("name", i)))
			})
		}
		wg.Wait()
		return mcp.TextResult(strings.Join(names[:], " and ")), errors.Join(errs[:]...)
	})
	f.tool("panics", "", func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		panic("secret in a panic")
	})
	f.tool("exits", "", func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		runtime.Goexit()
		return nil, nil
	})
	f.tool("prints", "", func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		mcp.Logger(ctx).Debug("printed")
		return mcp.TextResult("done"), nil
	})
	f.tool("large", "", func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		var a struct{ N int }
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		return mcp.TextResult(strings.Repeat("0123456789", a.N/10)), nil
	})
	f.tool("mirror", mirrorSchema, func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult(string(args)), nil
	})
	f.tool("whoami", "", func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		call := mcp.CallFrom(ctx)
		me := identity{
			Principal: call.Principal().ID, Header: call.Header(), Revision: call.Revision(),
			ID: call.ID(), Client: call.Client().Name,
		}
		me.Claims, _ = call.Principal().Value.(string)
		me.Value, _ = ctx.Value(valueKey{}).(string)
		text, err := json.Marshal(me)
		return mcp.TextResult(string(text)), err
	})
	f.Register(mcp.NewTool(mcp.ToolInfo{Name: "needs", Requires: []mcp.Capability{mcp.CapabilitySampling}},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }))
	f.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "test://text", Name: "text"}, "some text"))
	f.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "greet", Arguments: []mcp.PromptArgument{{Name: "who"}}},
		func(_ context.Context, a map[string]string) (*mcp.PromptResult, error) {
			return mcp.PromptText("Greet " + a["who"] + "."), nil
		}))
	return f
}

func (f *fixture) tool(name, schema string, call func(context.Context, json.RawMessage) (*mcp.ToolResult, error)) {
	f.Register(mcp.NewTool(mcp.ToolInfo{Name: name, Description: "For tests.", InputSchema: schema}, call))
}

// changeTools changes the list of tools.
func (f *fixture) changeTools() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.Unregister(mcp.KindTool, "extra") {
		f.tool("extra", "", func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil })
	}
}

var nameForm = mcp.FormInfo{Fields: []mcp.FormField{{Name: "name", Kind: mcp.StringField, Required: true}}}

func elicitName(ctx context.Context, message string, options ...mcp.AskOption) (string, error) {
	answer, err := mcp.ElicitFields(ctx, message, &nameForm, options...)
	if err != nil {
		return "", err
	}
	name, _ := answer.Value["name"].(string)
	return name, nil
}

// limited limits messages to 1000 bytes.
var limited = []mcp.Option{mcp.WithLimits(mcp.Limits{MessageBytes: 1000})}

// principalOf authenticates by the name in Authorization. It refuses mallory, and requests without
// the header have no principal.
func principalOf(r *http.Request) (mcp.Principal, error) {
	name := r.Header.Get("Authorization")
	switch name {
	case "":
		return mcp.Principal{}, nil
	case "mallory":
		return mcp.Principal{}, errors.New("secret: mallory's token is revoked")
	case "busy":
		return mcp.Principal{}, &mcphttp.Refusal{
			Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"7"}}, Text: "come back later",
		}
	}
	return mcp.Principal{ID: name, Value: "claims of " + name}, nil
}
