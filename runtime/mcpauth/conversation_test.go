package mcpauth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/conversation"
	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

var update = flag.Bool("update", false, "rewrite the expected lines of the conversations")

// A conversation with a guarded server is one section of a txtar file, whose name begins with the
// revision of the requests: 2024-11-05 is HTTP with SSE, and "sessions" are all revisions that have
// sessions of streamable HTTP, in which it must go alike. Its lines are
//
//	as ada books:read  the requests that follow send a new token for the subject with these scopes,
//	                   which is valid for ten minutes
//	as ada 1m ...      the same, for another time
//	as -               they send none
//	open               initialize and notifications/initialized; the replies are not compared
//	> message          a POST; <revision> is replaced by the revision, and <meta> by the member
//	                   _meta of 2026-07-28
//	get                a GET for events, which stays open
//	delete             a DELETE
//	< 401 challenge    the response, with its field WWW-Authenticate
//	< message          its body, or an event of it
//	<get message       an event of an earlier request that is still open, or "end" after its end
//	sleep 2m           time passes
//	# comment
//
// Requests use the session and path that the server sent last. The first request state is shown as
// <state 1>. The guard requires the scope books:read for every request, and the tool order requires
// books:write.
func TestConversations(t *testing.T) {
	revisions := func(section string) []string {
		if revision, _, _ := strings.Cut(section, ":"); revision != "sessions" {
			return []string{revision}
		}
		return []string{"2025-11-25", "2025-06-18", "2025-03-26"}
	}
	conversation.Run(t, "../../testdata/guardedconversations", *update, revisions, func(t *testing.T, _, revision, script string) string {
		return converse(t, revision, script)
	})
}

// talk is one conversation.
type talk struct {
	t        *testing.T
	ctx      context.Context
	handler  http.Handler
	revision string
	field    string // Authorization
	session  string
	path     string // of messages
	states   []string
	all      []*exchange
	over     sync.WaitGroup
	secrets  []string
}

func converse(t *testing.T, revision, script string) string {
	ctx, cancel := context.WithCancel(t.Context())
	log, audit := new(record), new(record)
	guard, err := mcpauth.New(mcpauth.Options{
		Resource: resource, Verifiers: []mcpauth.Verifier{jwtOf(newIssuer())}, Scopes: []string{"books:read"}, Audit: audit.logger(), Log: log.logger(),
	})
	if err != nil {
		t.Fatal(err)
	}
	server := mcp.NewServer(mcp.ServerInfo{Name: "books", Version: "1"}, mcp.WithLogger(log.logger()))
	for _, info := range []mcp.ToolInfo{{Name: "search"}, {Name: "order", Scopes: []string{"books:write"}}} {
		server.Register(mcp.NewTool(info, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(info.Name + " for " + mcpauth.IdentityFromContext(ctx).Subject), nil
		}))
	}
	server.Register(mcp.NewTool(mcp.ToolInfo{Name: "ask"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		a, err := mcp.ElicitFields(ctx, "Sure?", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField}}}, mcp.WithKey("sure"))
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(fmt.Sprint(a.Action, a.Value["yes"])), nil
	}))
	k := &talk{t: t, ctx: ctx, revision: revision, path: "/mcp"}
	var ending interface{ Close() error }
	if k.revision == "2024-11-05" {
		h := mcphttp.NewSSEHandler(server, guard.HTTP()...)
		k.handler, ending = spec.NewTap(t).Handler(h), h
	} else {
		h := mcphttp.NewHandler(server, guard.HTTP()...)
		k.handler, ending = spec.NewTap(t).Handler(h), h
	}
	var out strings.Builder
	for _, line := range conversation.Lines(script) {
		if !strings.HasPrefix(line, "<") {
			out.WriteString(k.step(line) + "\n")
			synctest.Wait()
			for _, answer := range k.answers(line == "open") {
				out.WriteString(answer + "\n")
			}
		}
	}
	cancel()
	_ = ending.Close()
	k.over.Wait()
	noSecret(t, out.String()+log.String()+audit.String(), k.secrets...)
	return out.String()
}

// step runs a line, and returns it.
func (k *talk) step(line string) string {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "as":
		k.as(strings.Fields(rest))
	case "open":
		k.request("POST", `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"`+k.revision+`","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
		synctest.Wait()
		k.answers(true)
		k.request("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	case ">":
		text := conversation.Join(rest)
		line = conversation.Format(word, text)
		k.request("POST", k.insert(text))
	case "get", "delete":
		k.request(strings.ToUpper(word), "")
	case "sleep":
		time.Sleep(must(time.ParseDuration(rest)))
	case "#", "":
	default:
		k.t.Fatalf("unknown line %q", line)
	}
	return line
}

// as makes a token.
func (k *talk) as(words []string) {
	if k.field = ""; words[0] == "-" {
		return
	}
	lasts, scopes := 10*time.Minute, words[1:]
	if len(scopes) > 0 {
		if d, err := time.ParseDuration(scopes[0]); err == nil {
			lasts, scopes = d, scopes[1:]
		}
	}
	text := token(object{"sub": words[0], "scope": strings.Join(scopes, " "), "exp": time.Now().Add(lasts).Unix()})
	k.field, k.secrets = "Bearer "+text, append(k.secrets, text)
}

var (
	stateMember  = regexp.MustCompile(`"requestState":"([^"]*)"`)
	methodMember = regexp.MustCompile(`"method":"([^"]*)"`)
	nameMember   = regexp.MustCompile(`"name":"([^"]*)"`)
)

const metaMember = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

func (k *talk) insert(text string) string {
	text = strings.NewReplacer("<meta>", metaMember, "<revision>", k.revision).Replace(text)
	for n, state := range k.states {
		text = strings.ReplaceAll(text, "<state "+strconv.Itoa(n+1)+">", state)
	}
	return text
}

// show replaces values that differ in each run.
func (k *talk) show(text string) string {
	text = strings.ReplaceAll(text, metaMember, "<meta>")
	return stateMember.ReplaceAllStringFunc(text, func(found string) string {
		state := stateMember.FindStringSubmatch(found)[1]
		n := slices.Index(k.states, state)
		if n < 0 {
			n, k.states = len(k.states), append(k.states, state)
		}
		return fmt.Sprintf(`"requestState":"<state %d>"`, n+1)
	})
}

// request sends a request, with the header fields of the revision.
func (k *talk) request(method, body string) {
	fields := []string{"Accept: application/json, text/event-stream"}
	if method == "GET" {
		fields = []string{"Accept: text/event-stream"}
	}
	if k.field != "" {
		fields = append(fields, "Authorization: "+k.field)
	}
	if body != "" {
		fields = append(fields, "Content-Type: application/json")
	}
	if k.session != "" {
		fields = append(fields, "Mcp-Session-Id: "+k.session)
	}
	if k.session != "" && k.revision >= "2025-06-18" || k.revision >= "2026" {
		fields = append(fields, "Mcp-Protocol-Version: "+k.revision)
	}
	if k.revision >= "2026" {
		fields = append(fields, "Mcp-Method: "+methodMember.FindStringSubmatch(body)[1])
		if name := nameMember.FindStringSubmatch(body); name != nil {
			fields = append(fields, "Mcp-Name: "+name[1])
		}
	}
	r := request(method, "https://mcp.example.com"+k.path, body, fields...).WithContext(k.ctx)
	x := &exchange{header: http.Header{}, method: method}
	k.all = append(k.all, x)
	k.over.Go(func() {
		k.handler.ServeHTTP(x, r)
		x.mu.Lock()
		defer x.mu.Unlock()
		x.ended = true
	})
}

// answers returns the messages that the server has sent since the last call, as lines.
func (k *talk) answers(quiet bool) (lines []string) {
	for _, x := range k.all {
		x.mu.Lock()
		word := "<"
		if x.shown {
			word = "<" + strings.ToLower(x.method)
		} else if x.status != 0 {
			x.shown = true
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("< %d %s %s", x.status, strings.Join(x.header["Www-Authenticate"], " | "), x.header.Get("Retry-After"))))
			if id := x.header.Get("Mcp-Session-Id"); id != "" {
				k.session = id
			}
		}
		stream := strings.HasPrefix(x.header.Get("Content-Type"), "text/event-stream")
		for line := range strings.Lines(x.body.String()) {
			line = strings.TrimSuffix(line, "\n")
			event, isData := strings.CutPrefix(line, "data: ")
			switch {
			case !stream && line != "":
				if !quiet {
					lines = append(lines, conversation.Format(word, k.show(line)))
				}
			case isData && x.method == "GET" && !strings.HasPrefix(event, "{"): // HTTP with SSE: where messages go
				k.path = must(must(url.Parse("/mcp")).Parse(event)).RequestURI()
			case isData && event != "" && !quiet:
				lines = append(lines, conversation.Format(word, k.show(event)))
			}
		}
		x.body.Reset()
		if x.ended && stream && !x.finished && x.method == "GET" {
			x.finished = true
			lines = append(lines, word+" end")
		}
		x.mu.Unlock()
	}
	return lines
}

// exchange is a request and its response.
type exchange struct {
	method string
	header http.Header

	mu              sync.Mutex
	status          int
	body            bytes.Buffer
	ended           bool
	shown, finished bool
}

func (x *exchange) Header() http.Header { return x.header }

func (x *exchange) WriteHeader(status int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if status >= 200 && x.status == 0 {
		x.status = status
	}
}

func (x *exchange) Write(b []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.body.Write(b)
}

func (x *exchange) FlushError() error {
	x.WriteHeader(http.StatusOK)
	return nil
}
