package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
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

// TestFormEnds: the end of the question, as by Ctrl-C, ends the reading.
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
	for typed, want := range map[string]mcp.ElicitAction{"y\n": mcp.ActionAccept, "n\n": mcp.ActionDecline, "\n": mcp.ActionDecline, "": mcp.ActionCancel} {
		r, shown := answering(typed)
		action, err := r.openURL(t.Context(), &mcpclient.Elicitation{Message: "log in", URL: "https://example.com/x"})
		if err != nil || action != want || !strings.Contains(shown.String(), "https://example.com/x") {
			t.Errorf("%q: %s, %v: %s", typed, action, err, shown)
		}
	}
}
