package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// asking returns the reply of a tool to a modern client.
func asking(t *testing.T, f toolFunc) string {
	t.Helper()
	s := newTalk(quiet)
	tool(s, "try", f)
	conn, wait := s.Connect(context.Background())
	conn = spec.NewConn(t, conn)
	defer wait()
	defer conn.Close()
	conn.Write([]byte(request(1, "tools/call", `{"name":"try","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}}}`) + "\n"))
	reply, err := conn.Read()
	if err != nil {
		t.Fatal(err)
	}
	return string(reply)
}

// Questions that cannot be asked are errors of the handler.
func TestQuestionsThatAreNone(t *testing.T) {
	form := mcp.FormQuestion[sure]("Sure?")
	sample := func(r mcp.SampleRequest) toolFunc {
		return func(ctx context.Context) (string, error) {
			_, err := mcp.Sample(ctx, &r)
			return "", err
		}
	}
	required := func(q map[string]mcp.Question, state string) toolFunc {
		return func(context.Context) (string, error) {
			return "", fmt.Errorf("wrapped: %w", &mcp.InputRequired{Questions: q, State: json.RawMessage(state)})
		}
	}
	content := func(c ...mcp.SampleContent) toolFunc {
		return sample(mcp.SampleRequest{Messages: []mcp.SampleMessage{{Role: mcp.RoleUser, Content: c}}})
	}
	for _, test := range []struct {
		says string
		f    toolFunc
	}{
		{"is not an absolute URI", func(ctx context.Context) (string, error) {
			_, err := mcp.ElicitURL(ctx, "x", "not a link")
			return "", err
		}},
		{"it is nil", func(ctx context.Context) (string, error) {
			_, err := mcp.ElicitFields(ctx, "x", nil)
			return "", err
		}},
		{"must not be empty", required(map[string]mcp.Question{"": form}, "1")},
		{"nor begin with #", required(map[string]mcp.Question{"#1-x": form}, "1")},
		{"is nil", required(map[string]mcp.Question{"x": nil}, "1")},
		{"state of the handler", required(nil, "{")},
		{"are kept", required(nil, `"`+strings.Repeat("x", 300<<10)+`"`)},
		{"has no content", content()},
		{"nil content block", content(nil)},
		{"input of tool", content(mcp.ToolUse{Input: json.RawMessage(`[]`)})},
		{"input of tool", content(mcp.ToolUse{Input: json.RawMessage(`{`)})},
		{"metadata", sample(mcp.SampleRequest{Metadata: json.RawMessage(`[]`)})},
		{"schema of tool", sample(mcp.SampleRequest{Tools: []mcp.SampleTool{{Name: "t", InputSchema: `{`}}})},
		{"store the value", func(ctx context.Context) (string, error) {
			_, err := mcp.Once(ctx, "x", func() (float64, error) { return math.NaN(), nil })
			return "", err
		}},
		{"read the value", func(ctx context.Context) (string, error) {
			if _, err := mcp.Once(ctx, "x", func() (string, error) { return "text", nil }); err != nil {
				return "", err
			}
			_, err := mcp.Once(ctx, "x", func() (int, error) { return 1, nil })
			return "", err
		}},
		{"ticket machine", func(ctx context.Context) (string, error) {
			_, err := mcp.Once(ctx, "x", func() (int, error) { return 1, errors.New("ticket machine") })
			return "", err
		}},
		{"context canceled", func(ctx context.Context) (string, error) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			_, err := mcp.Elicit[sure](ctx, "Sure?")
			return "", err
		}},
	} {
		if got := asking(t, test.f); !strings.Contains(got, test.says) || !strings.Contains(got, `"isError":true`) {
			t.Errorf("got %s, want %s", got, test.says)
		}
	}
	if (&mcp.InputRequired{}).Error() == "" {
		t.Error("an error without a text")
	}
}

func TestToolOutcomeOfNothing(t *testing.T) {
	got := asking(t, func(ctx context.Context) (string, error) {
		_, err := mcp.Sample(ctx, &mcp.SampleRequest{Messages: []mcp.SampleMessage{
			{Role: mcp.RoleAssistant, Content: []mcp.SampleContent{mcp.ToolUse{ID: "u", Name: "x", Meta: mcp.Meta{"com.example/k": json.RawMessage(`1`)}}}},
			{Role: mcp.RoleUser, Content: []mcp.SampleContent{mcp.ToolOutcome{ID: "u"}}},
		}})
		return "", err
	})
	for _, want := range []string{`"toolUseId":"u","content":[{"type":"text","text":"nothing found"}],"isError":true}`, `"input":{},"_meta":{"com.example/k":1}}`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s does not have %s", got, want)
		}
	}
}

// Metadata of a message, and of a resource inside a block, are sent in the right place.
func TestMetaOfMessage(t *testing.T) {
	got := asking(t, func(ctx context.Context) (string, error) {
		_, err := mcp.Sample(ctx, &mcp.SampleRequest{Messages: []mcp.SampleMessage{
			{Role: mcp.RoleAssistant, Content: []mcp.SampleContent{mcp.ToolUse{ID: "u", Name: "x"}}, Meta: mcp.Meta{"com.example/m": json.RawMessage("1")}},
			{Role: mcp.RoleUser, Content: []mcp.SampleContent{mcp.ToolOutcome{ID: "u", Result: mcp.ContentResult(mcp.EmbeddedResource{
				URI: "a:b", Text: "c", Meta: mcp.Meta{"com.example/o": json.RawMessage("2")}, ResourceMeta: mcp.Meta{"com.example/i": json.RawMessage("3")},
			})}}},
		}})
		return "", err
	})
	for _, want := range []string{
		`"input":{}},"_meta":{"com.example/m":1}}`,
		`"resource":{"uri":"a:b","mimeType":"text/plain","text":"c","_meta":{"com.example/i":3}},"_meta":{"com.example/o":2}}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s does not have %s", got, want)
		}
	}
}

// Answers that exceed the limit of the state are refused.
func TestAnswersThatAreTooLarge(t *testing.T) {
	ask := asker(t, newTalk(quiet))
	large := `,"inputResponses":{"sure":{"action":"accept","content":{"x":"` + strings.Repeat("x", 300<<10) + `"}}}`
	if got := ask(modernTalk(1, "named", large)); !strings.Contains(got, `"data":{"reason":"stateTooLarge"}`) {
		t.Errorf("got %s", got)
	}
	state := stateOf(t, ask(modernTalk(2, "named", "")))
	if got := ask(modernTalk(3, "named", large+`,"requestState":"`+state+`"`)); !strings.Contains(got, `"data":{"reason":"stateTooLarge"}`) {
		t.Errorf("got %s", got)
	}
}

// closer is a reader whose parts may fail.
type closer struct {
	io.Reader
	closed *bool
	err    error
}

func (c closer) Close() error { *c.closed = true; return c.err }

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

func TestReaderResultCloses(t *testing.T) {
	s := mcp.NewServer(fixtureInfo(), quiet)
	for name, test := range map[string]struct {
		r    io.Reader
		err  error
		says string
	}{
		"good":     {strings.NewReader("x"), nil, `"data":"eA=="`},
		"close":    {strings.NewReader("x"), errors.New("lost"), "close result: lost"},
		"read":     {brokenReader{}, nil, "read result: disk on fire"},
		"empty":    {strings.NewReader(""), nil, `"data":""`},
		"too_long": {strings.NewReader(strings.Repeat("x", 200)), nil, "more than the 100 bytes that are allowed; narrow it with n"},
	} {
		var closed bool
		s.Register(mcpimpl.FuncTool(&mcp.ToolInfo{Name: name, InputSchema: `{"type":"object"}`, MaxResult: 100, Narrow: []string{"n"}},
			func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
				return mcpimpl.ReaderResult(req, "image/png", closer{test.r, &closed, test.err})
			}))
		if got := connect(t, s)(call(1, name, "{}")); !strings.Contains(got, test.says) || !closed {
			t.Errorf("%s: %s, closed %v", name, got, closed)
		}
	}
}

type secretive struct{}

func (secretive) LogValue() slog.Value {
	return slog.GroupValue(slog.String("user", "ada"), slog.String("password", "redacted"))
}

type marshalingError struct{ error }

func (marshalingError) MarshalJSON() ([]byte, error) { return []byte("{\n\"code\":7}"), nil }

// The client gets values with methods for slog as JSON.
func TestLogValues(t *testing.T) {
	spec.Holds(t, "S266", "S268", "S271")
	var own bytes.Buffer
	s := mcp.NewServer(fixtureInfo(), mcp.WithLogger(slog.New(slog.NewTextHandler(&own, &slog.HandlerOptions{Level: slog.LevelError}))))
	deep := slog.Int("bottom", 1)
	for range 40 {
		deep = slog.Group("g", deep)
	}
	tool(s, "log", func(ctx context.Context) (string, error) {
		log := mcp.Logger(ctx)
		if h := log.Handler(); h.WithAttrs(nil) != h || h.WithGroup("") != h {
			t.Error("a handler for nothing")
		}
		log.Info("values", "i", -1, "u", uint64(math.MaxUint64), "f", 0.5, "b", true, "d", time.Minute,
			"t", time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), "who", secretive{}, slog.Group("", "inline", 1), slog.Group("none"), slog.Attr{},
			"err", marshalingError{errors.New("x")}, "nil", nil, "i", 2)
		log.Info("deep", deep)
		return "done", nil
	})
	conn, wait := s.Connect(t.Context())
	conn = spec.NewConn(t, conn)
	defer wait()
	defer conn.Close()
	conn.Write([]byte(initialize("2025-11-25") + "\n"))
	conn.Read()
	conn.Write([]byte(call(1, "log", "{}") + "\n"))
	got, _ := conn.Read()
	want := `"data":{"message":"values","u":18446744073709551615,"f":0.5,"b":true,"d":"1m0s","t":"2026-01-02T03:04:05.000000006Z",` +
		`"who":{"user":"ada","password":"redacted"},"inline":1,"err":{"code":7},"nil":null,"i":2}`
	if !strings.Contains(string(got), want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, _ := conn.Read(); !json.Valid(got) || strings.Contains(string(got), "bottom") {
		t.Errorf("got %s", got)
	}
	if own.Len() > 0 {
		t.Errorf("the server's log has %s", own.String())
	}
}
