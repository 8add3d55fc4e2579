package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/internal/visible"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

const testForm = `{"type":"object","properties":{
	"name":{"type":"string","title":"Your name","minLength":2},
	"copies":{"type":"integer","minimum":1,"maximum":9,"default":3},
	"gift":{"type":"boolean"},
	"format":{"type":"string","enum":["p","h"],"enumNames":["Paper","Hard"]},
	"note":{"type":"string","description":"for \u001b[2Jthe shop"}},"required":["name","gift","format"]}`

// answering returns a server whose questions are answered by typed lines.
func answering(lines string) (*remoteServer, *bytes.Buffer) {
	var shown bytes.Buffer
	c := &command{ctx: context.Background(), in: strings.NewReader(lines), asksAnyway: true, err: visible.Writer(&shown)}
	c.progress = newProgress(io.Discard, false)
	return &remoteServer{c: c, flags: new(serverFlags)}, &shown
}

func TestForms(t *testing.T) {
	for _, test := range []struct {
		name, typed string
		action      mcp.ElicitAction
		content     string
		shows       string
	}{
		{"all", "Ada\n5\nyes\nHard\nhello\n", mcp.ActionAccept, `{"copies":5,"format":"h","gift":true,"name":"Ada","note":"hello"}`, "Your name"},
		{"defaults", "Ada\n\nn\n1\n\n", mcp.ActionAccept, `{"format":"p","gift":false,"name":"Ada"}`, "[3]"},
		{"again", "\nA\nAda\n99\nx\n1\nmaybe\nn\nz\np\n\n", mcp.ActionAccept, `{"copies":1,"format":"p","gift":false,"name":"Ada"}`, "an answer is required"},
		{"decline", "Ada\ndecline\n", mcp.ActionDecline, `null`, ""},
		{"end of input", "Ada\n", mcp.ActionCancel, `null`, ""},
		{"escaped", "decline\n", mcp.ActionDecline, `null`, `please \u001b[2J`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, shown := answering(test.typed)
			answer, err := r.elicit(t.Context(), &mcpclient.Elicitation{Message: "please \x1b[2J", Schema: json.RawMessage(testForm)})
			content, _ := json.Marshal(answer.Content)
			if err != nil || answer.Action != test.action || string(content) != test.content {
				t.Errorf("%s %s, %v\n%s", answer.Action, content, err, shown)
			}
			if !strings.Contains(shown.String(), test.shows) || strings.Contains(shown.String(), "\x1b") {
				t.Errorf("shown is %q, want %q in it", shown, test.shows)
			}
		})
	}
}

func TestFormsWithoutTerminal(t *testing.T) {
	r, shown := answering("Ada\n")
	r.c.asksAnyway = false
	answer, err := r.elicit(t.Context(), &mcpclient.Elicitation{Message: "please", Schema: json.RawMessage(testForm)})
	if err != nil || answer.Action != mcp.ActionCancel || !strings.Contains(shown.String(), "the server asks: please") {
		t.Errorf("%v, %v: %s", answer, err, shown)
	}
}

// TestFormEnds checks that cancelling a question, as by Ctrl-C, ends the reading.
func TestFormEnds(t *testing.T) {
	r, _ := answering("")
	in, w := io.Pipe()
	defer w.Close()
	r.c.in = in
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	answer, err := r.elicit(ctx, &mcpclient.Elicitation{Message: "please", Schema: json.RawMessage(testForm)})
	if err != nil || answer.Action != mcp.ActionCancel {
		t.Errorf("%v, %v", answer, err)
	}
}

func TestLinks(t *testing.T) {
	for typed, want := range map[string]mcp.ElicitAction{
		"y\n\n": mcp.ActionAccept, "y\n": mcp.ActionCancel, "n\n": mcp.ActionDecline, "\n": mcp.ActionDecline, "": mcp.ActionCancel,
	} {
		r, shown := answering(typed)
		action, err := r.openURL(t.Context(), &mcpclient.Elicitation{Message: "log in", URL: "https://example.com/x"})
		if err != nil || action != want || !strings.Contains(shown.String(), "https://example.com/x") {
			t.Errorf("%q: %s, %v: %s", typed, action, err, shown)
		}
	}
}

// linkServer returns the URL of a server of 2025-11-25 whose tool requires a link (error -32042),
// and works from the second call on. It never reports that the link is done.
func linkServer(t *testing.T) string {
	var calls atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		var reply string
		switch m.Method {
		case "initialize":
			reply = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"links","version":"1"}}`
		case "tools/list":
			reply = `"result":{"tools":[{"name":"pay","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			reply = `"result":{"content":[{"type":"text","text":"paid"}]}`
			if calls.Add(1) == 1 {
				reply = `"error":{"code":-32042,"message":"link required","data":{"elicitations":[{"mode":"url","elicitationId":"1","message":"pay here","url":"https://example.com/pay"}]}}`
			}
		case "server/discover":
			reply = `"error":{"code":-32601,"message":"no such method"}`
		default:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, reply)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestLinkIsDone checks that a call that requires a link continues once the user confirms that it
// is done, even if the server does not report it.
func TestLinkIsDone(t *testing.T) {
	for typed, want := range map[string]string{"y\n\n": "paid\n", "n\n": ""} {
		code, stdout, stderr := runTyped(t, typed, "call", linkServer(t), "pay")
		if (code == exitDone) != (want != "") || stdout != want || !strings.Contains(stderr, "https://example.com/pay") {
			t.Errorf("%q: exit code %d, %q\n%s", typed, code, stdout, stderr)
		}
		if strings.Contains(stderr, "Press Enter") != (want != "") {
			t.Errorf("%q: %s", typed, stderr)
		}
	}
}
