package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// guardedServer has one feature of each kind that needs a scope, and an open one beside it.
func guardedServer(options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(fixtureInfo(), append([]mcp.Option{quiet}, options...)...)
	scopes := []string{"books:write", "books:read"}
	run := func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }
	schema := `{"type":"object"}`
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "guarded", Aliases: []string{"alias"}, InputSchema: schema, Scopes: scopes}, run))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "open", InputSchema: schema}, run))
	read := func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
		return mcp.TextContents("x"), nil
	}
	s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "doc:///guarded", Name: "guarded", Scopes: scopes}, func(context.Context, string) (*mcp.ResourceResult, error) { return mcp.TextContents("x"), nil }))
	s.Register(mcp.NewTemplate(mcp.TemplateInfo{
		URITemplate: "doc:///guarded/{name}", Name: "part", Scopes: scopes, Variables: []mcp.TemplateVariable{{Name: "name", Values: []string{"a"}}},
	}, read))
	s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "doc:///{+all}", Name: "rest"}, read))
	s.Register(mcp.NewPrompt(mcp.PromptInfo{
		Name: "guarded", Scopes: scopes, Arguments: []mcp.PromptArgument{{Name: "topic", Values: []string{"a"}}},
	}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
		return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.FromUser(&mcp.Text{Text: "x"})}}, nil
	}))
	return s
}

// uses are all ways to use a feature that needs a scope.
var uses = []struct{ name, method, params, unknown string }{
	{"tool", "tools/call", `"name":"guarded","arguments":{}`, `"name":"missing","arguments":{}`},
	{"alias", "tools/call", `"name":"alias","arguments":{}`, `"name":"missing","arguments":{}`},
	{"resource", "resources/read", `"uri":"doc:///guarded"`, ""},
	{"spelling of a resource", "resources/read", `"uri":"doc:///%67uarded"`, ""},
	{"template", "resources/read", `"uri":"doc:///guarded/a"`, ""},
	{"encoded", "resources/read", `"uri":"doc:///guarded/%61"`, ""},
	{"prompt", "prompts/get", `"name":"guarded"`, `"name":"missing"`},
	{"completion of a prompt", "completion/complete", `"ref":{"type":"ref/prompt","name":"guarded"},"argument":{"name":"topic","value":""}`, `"ref":{"type":"ref/prompt","name":"missing"},"argument":{"name":"topic","value":""}`},
	{"completion of a template", "completion/complete", `"ref":{"type":"ref/resource","uri":"doc:///guarded/{name}"},"argument":{"name":"name","value":""}`, `"ref":{"type":"ref/resource","uri":"missing:///{name}"},"argument":{"name":"name","value":""}`},
	{"subscription", "resources/subscribe", `"uri":"doc:///guarded"`, ""},
	{"listen", "subscriptions/listen", `"notifications":{"resourceSubscriptions":["doc:///guarded"]}`, ""},
}

// decisions are the possible decisions of an Access.
var decisions = map[string]error{
	"allowed": nil,
	"step-up": &mcp.AccessError{Scopes: []string{"books:write"}, StepUp: true},
	"wrapped": fmt.Errorf("more: %w", &mcp.AccessError{Scopes: []string{"books:write"}, StepUp: true}),
	"hidden":  errors.New("secret reason"),
	"denied":  &mcp.AccessError{Scopes: []string{"secret"}, Text: "secret reason"},
}

const denial = `"error":{"code":-32603,"message":"this needs the scope books:write","data":{"reason":"insufficient scope","scopes":["books:write"]}}`

// Each use of a feature gets the same decision, in a session and without one.
func TestAccess(t *testing.T) {
	for decision, err := range decisions {
		t.Run(decision, func(t *testing.T) {
			var asked sync.Map
			decide := func(ctx context.Context, f mcp.FeatureInfo) error {
				if mcp.CallFrom(ctx) == nil {
					t.Error("there is no call in the context")
				}
				if len(f.Scopes) == 0 {
					return nil
				}
				if !slices.Equal(f.Scopes, []string{"books:write", "books:read"}) {
					t.Errorf("scopes %q", f.Scopes)
				}
				n, _ := asked.LoadOrStore(f.Name+string(f.Kind), new(int))
				*n.(*int)++
				return err
			}
			for _, modern := range []bool{false, true} {
				s := guardedServer(mcp.WithAccess(mcp.AccessFunc(decide)))
				ask, id := connect(t, s), 0
				send := func(method, params string) string {
					asked.Clear()
					id++
					if modern {
						params = modernMeta + "," + params
					}
					got := ask(request(id, method, "{"+strings.TrimSuffix(params, ",")+"}"))
					return strings.Replace(got, fmt.Sprintf(`"id":%d,`, id), `"id":1,`, 1)
				}
				for _, use := range uses {
					if modern == (use.name == "subscription") || !modern && use.name == "listen" || use.name == "listen" && err == nil {
						continue // a method of the other era, or without a reply
					}
					got := send(use.method, use.params)
					asked.Range(func(name, n any) bool {
						if *n.(*int) != 1 {
							t.Errorf("%s, modern %t: asked %d times for %v", use.name, modern, *n.(*int), name)
						}
						return true
					})
					var e *mcp.AccessError
					switch stepUp := errors.As(err, &e) && e.StepUp; {
					case err == nil:
						if !strings.Contains(got, `"result":`) {
							t.Errorf("%s, modern %t: %s", use.name, modern, got)
						}
					case stepUp:
						if !strings.Contains(got, denial) {
							t.Errorf("%s, modern %t: %s", use.name, modern, got)
						}
					case use.name == "template" || use.name == "encoded":
						// The other template matches the URI too.
						if !strings.Contains(got, `"result":`) {
							t.Errorf("%s, modern %t: %s", use.name, modern, got)
						}
					case strings.Contains(got, "secret") || strings.Contains(got, "scope"):
						t.Errorf("%s, modern %t: %s", use.name, modern, got)
					case use.name == "listen":
						if !strings.Contains(got, `"notifications":{}`) {
							t.Errorf("%s", got)
						}
					case use.unknown != "":
						unknown := send(use.method, use.unknown)
						for _, name := range []string{"doc:///guarded/{name}", "guarded", "alias"} {
							got = strings.ReplaceAll(got, name, "missing")
						}
						if unknown = strings.ReplaceAll(unknown, "missing:///{name}", "missing"); got != unknown {
							t.Errorf("%s, modern %t: %s, for one that does not exist %s", use.name, modern, got, unknown)
						}
					}
				}
				for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
					got := send(method, "")
					var e *mcp.AccessError
					listed := err == nil || errors.As(err, &e) && e.StepUp
					if strings.Contains(got, "guarded") != listed || modern && !strings.Contains(got, `"cacheScope":"private"`) {
						t.Errorf("%s, modern %t: %s", method, modern, got)
					}
				}
			}
		})
	}
}

// Every Access must let a request pass. One challenge contains all scopes.
func TestSeveralAccess(t *testing.T) {
	needs := func(scopes ...string) mcp.Option {
		return mcp.WithAccess(mcp.AccessFunc(func(context.Context, mcp.FeatureInfo) error {
			return &mcp.AccessError{Scopes: scopes, StepUp: true}
		}))
	}
	ask := connect(t, guardedServer(needs("a", "b"), needs("b", "c")))
	if got := ask(call(1, "open", "{}")); !strings.Contains(got, `"scopes":["a","b","c"]`) {
		t.Errorf("%s", got)
	}
	never := mcp.WithAccess(mcp.AccessFunc(func(context.Context, mcp.FeatureInfo) error { return errors.New("no") }))
	ask = connect(t, guardedServer(needs("a"), never))
	if got := ask(call(1, "open", "{}")); !strings.Contains(got, "unknown tool") {
		t.Errorf("%s", got)
	}
}

// dialAs serves a peer as a principal, over a transport with a name.
func dialAs(t *testing.T, s *mcp.Server, transport string, who mcp.Principal) *peer {
	t.Helper()
	p := &peer{t: t, done: make(chan struct{}), tap: spec.NewTap(t).Conversation()}
	p.said.Take = p.tap.Client
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p.write, p.close = inW, func() { inW.Close() }
	p.gone = func() { inW.Close(); outR.Close() }
	go p.listen(outR)
	conn := namedConn{jsonrpc.NewLineConn(inR, outW, s.Transport().Limits().MessageBytes), transport}
	go p.serve(func() error { return s.Serve(mcp.CallerContext(t.Context(), who, nil), conn) })
	return p
}

// namedConn is a connection of a transport with a name.
type namedConn struct {
	jsonrpc.Conn
	transport string
}

func (c namedConn) Transport() string { return c.transport }

// Features with scopes work on a server without a guard where the client is the user, and are
// refused over networks.
func TestUnguarded(t *testing.T) {
	for transport, served := range map[string]bool{"memory": true, "stdio": true, "tcp": false, "": false} {
		synctest.Test(t, func(t *testing.T) {
			p := dialAs(t, guardedServer(), transport, mcp.Principal{})
			p.send(lines(initialize("2025-11-25"), initialized))
			synctest.Wait()
			p.received()
			for _, use := range uses[:10] {
				p.send(lines(request(1, use.method, "{"+use.params+"}")))
				synctest.Wait()
				got := strings.Join(p.received(), "")
				if strings.Contains(got, `"result":`) != served || !served && !strings.Contains(got, `"reason":"insufficient scope"`) {
					t.Errorf("%s over %q: %s", use.name, transport, got)
				}
			}
			p.send(lines(call(1, "open", "{}")))
			synctest.Wait()
			if got := strings.Join(p.received(), ""); !strings.Contains(got, `"result":`) {
				t.Errorf("over %q: %s", transport, got)
			}
			p.hangUp()
		})
	}
}

// The Access of the principal decides, and a principal that has expired gets nothing: listens end
// with a result, and then the connection.
func TestPrincipalExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		who := mcp.Principal{ID: "ada", Expires: began.Add(time.Hour), Access: mcp.AccessFunc(func(context.Context, mcp.FeatureInfo) error { return nil })}
		s := guardedServer()
		p := dialAs(t, s, "tcp", who)
		p.send(lines(request(1, "tools/call", `{`+modernMeta+`,"name":"guarded","arguments":{}}`), request(2, "subscriptions/listen", `{`+modernMeta+`,"notifications":{"resourceSubscriptions":["doc:///guarded"]}}`)))
		synctest.Wait()
		if got := strings.Join(p.received(), ""); !strings.Contains(got, "done") || !strings.Contains(got, "acknowledged") {
			t.Errorf("%s", got)
		}
		time.Sleep(time.Hour - time.Second)
		s.ResourceUpdated("doc:///guarded")
		synctest.Wait()
		if got := strings.Join(p.received(), ""); !strings.Contains(got, "doc:///guarded") {
			t.Errorf("%s", got)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got := strings.Join(p.received(), ""); !strings.Contains(got, `"id":2,"result":`) {
			t.Errorf("%s", got)
		}
		<-p.done
		if p.err == nil || !strings.Contains(p.err.Error(), "expired") {
			t.Errorf("%v", p.err)
		}
		if d := time.Since(began); d < time.Hour || d > time.Hour+10*time.Second {
			t.Errorf("after %v", d)
		}
	})
}

// Scopes have the syntax that OAuth allows.
func TestScopeNames(t *testing.T) {
	for scope, ok := range map[string]bool{"books:read": true, "a/b.c~!": true, "": false, "a b": false, `a"b`: false, `a\b`: false, "ä": false, "a\n": false, "\x7f": false} {
		func() {
			defer func() {
				if p := recover(); (p == nil) != ok {
					t.Errorf("%q: %v", scope, p)
				}
			}()
			mcp.NewServer(fixtureInfo(), quiet).Register(mcp.NewTool(mcp.ToolInfo{Name: "x", InputSchema: `{"type":"object"}`, Scopes: []string{scope}}, nil))
		}()
	}
}
