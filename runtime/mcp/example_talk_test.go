package mcp_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func quietServer(features ...mcp.Feature) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"}, quiet)
	for _, f := range features {
		s.Register(f)
	}
	return s
}

// The client has asked for progress with a token.
func ExampleProgress() {
	s := quietServer(maker("import", func(ctx context.Context) (string, error) {
		for i := range 2 {
			mcp.Progress(ctx, float64(i+1), 2, "another shelf")
		}
		return "imported", nil
	}))
	talk(s, request(1, "tools/call", `{"name":"import","_meta":{"progressToken":"p"}}`))
	// Output:
	// {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":2,"message":"another shelf"}}
	// {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":2,"total":2,"message":"another shelf"}}
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"imported"}]}}
}

// The user is asked for confirmation. The type sure has the directive //mcp:form, and its method is
// generated.
func ExampleElicit() {
	s := quietServer(maker("delete", func(ctx context.Context) (string, error) {
		answer, err := mcp.Elicit[sure](ctx, "Delete all books?")
		if err != nil {
			return "", err
		}
		if !answer.Accepted() || !answer.Value.Yes {
			return "nothing was deleted", nil
		}
		return "deleted", nil
	}))
	talk(s, call(1, "delete", `{}`), answer(1, `{"action":"accept","content":{"yes":true}}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Delete all books?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"]}}}
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"deleted"}]}}
}

// A form that is composed while the program runs.
func ExampleElicitFields() {
	s := quietServer(maker("paint", func(ctx context.Context) (string, error) {
		form := &mcp.FormInfo{Fields: []mcp.FormField{{
			Name: "colour", Kind: mcp.ChoiceField, Required: true,
			Choices: []mcp.FormChoice{{Value: "r", Title: "Red"}, {Value: "g", Title: "Green"}},
		}}}
		answer, err := mcp.ElicitFields(ctx, "Which one?", form)
		return fmt.Sprint(answer.Value["colour"]), err
	}))
	talk(s, call(1, "paint", `{}`), answer(1, `{"action":"accept","content":{"colour":"g"}}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Which one?","requestedSchema":{"type":"object","properties":{"colour":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]}},"required":["colour"]}}}
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"g"}]}}
}

func ExampleElicitURL() {
	s := quietServer(maker("pay", func(ctx context.Context) (string, error) {
		answer, err := mcp.ElicitURL(ctx, "Pay for the book", "https://example.com/pay")
		return string(answer.Action), err
	}))
	talk(s, call(1, "pay", `{}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"the client lacks the capability elicitation.url"}],"isError":true}}
}

func ExampleSample() {
	s := quietServer(maker("summarize", func(ctx context.Context) (string, error) {
		if !mcp.CallFrom(ctx).Can(mcp.CapabilitySampling) {
			return "no summary: there is no model to ask", nil
		}
		message, err := mcp.Sample(ctx, &mcp.SampleRequest{
			Messages: []mcp.SampleMessage{mcp.UserMessage("Summarize Emma.")}, MaxTokens: 200,
		})
		if err != nil {
			return "", err
		}
		return message.Text(), nil
	}))
	talk(s, call(1, "summarize", `{}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no summary: there is no model to ask"}]}}
}

func ExampleRoots() {
	s := quietServer(maker("scan", func(ctx context.Context) (string, error) {
		roots, err := mcp.Roots(ctx)
		return fmt.Sprint(len(roots)), err
	}))
	talk(s, call(1, "scan", `{}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"the client lacks the capability roots"}],"isError":true}}
}

// The ticket is drawn once, even if the handler runs several times.
func ExampleOnce() {
	tickets := 0
	s := quietServer(maker("queue", func(ctx context.Context) (string, error) {
		ticket, err := mcp.Once(ctx, "ticket", func() (int, error) { tickets++; return tickets, nil })
		if err != nil {
			return "", err
		}
		answer, err := mcp.Elicit[sure](ctx, "Will you wait?")
		return fmt.Sprint("ticket ", ticket, ": ", answer.Value.Yes), err
	}))
	talk(s, call(1, "queue", `{}`), answer(1, `{"action":"accept","content":{"yes":true}}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Will you wait?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"]}}}
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ticket 1: true"}]}}
}

// Two questions at once, and the answers.
func ExampleInputRequired() {
	s := quietServer(maker("travel", func(ctx context.Context) (string, error) {
		if !mcp.Answered(ctx, "far") {
			return "", &mcp.InputRequired{Questions: map[string]mcp.Question{
				"far": mcp.FormQuestion[sure]("Far?"), "fast": mcp.FormQuestion[sure]("Fast?"),
			}}
		}
		far, err := mcp.Elicit[sure](ctx, "Far?", mcp.WithKey("far"))
		if err != nil {
			return "", err
		}
		fast, err := mcp.Elicit[sure](ctx, "Fast?", mcp.WithKey("fast"))
		return fmt.Sprint(far.Value.Yes, fast.Value.Yes), err
	}))
	talk(s, call(1, "travel", `{}`), answer(1, `{"action":"accept","content":{"yes":true}}`), answer(2, `{"action":"accept","content":{"yes":false}}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Far?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"]}}}
	// {"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"Fast?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"]}}}
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"true false"}]}}
}

// Processes that share a key can continue each other's rounds.
func ExampleWithStateKeys() {
	fresh, old := make([]byte, 32), make([]byte, 32)
	rand.Read(fresh)
	rand.Read(old)
	mcp.NewServer(mcp.ServerInfo{Name: "x"}, mcp.WithStateKeys(fresh, old))
	// Output:
}

// The trace context of the caller, for a tracing library.
func ExampleCall_Trace() {
	s := quietServer(mcp.NewTool(mcp.ToolInfo{Name: "trace"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult(mcp.CallFrom(ctx).Trace().Parent), nil
	}))
	talk(s, request(1, "tools/call", `{"name":"trace","_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}]}}
}
