package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// tools contains the tools of a replica. Each call has a unique name (its nonce), under which
// clients and handlers record their observations.
type tools struct {
	replica string
	effects io.Writer
	server  *mcp.Server
}

const (
	progressEvents = 20                     // of a call of steps
	progressPause  = 110 * time.Millisecond // servers send ten a second
	resources      = 50
	workSteps      = 3 // of a task
	workPause      = 700 * time.Millisecond
)

// arguments are the arguments of all tools.
type arguments struct {
	Nonce string `json:"nonce"`
	Item  int    `json:"item"`
}

func (t *tools) register() {
	for _, tool := range []struct {
		name string
		call func(context.Context, arguments) (string, error)
	}{
		{"add", t.add}, {"events", t.events}, {"steps", t.steps}, {"ask", t.ask}, {"change", t.change}, {"limited", t.limited},
	} {
		t.server.Register(t.tool(tool.name, tool.call))
	}
	t.server.Register(mcptask.Tool(t.tool("work", t.work), mcptask.Support{Required: true, Restart: true}))
	t.server.Register(mcptask.Tool(t.tool("quick", t.limited), mcptask.Support{Required: true, Restart: true}))
	for i := range resources {
		t.server.Register(mcp.TextResource(&mcp.ResourceInfo{URI: itemURI(i), Name: fmt.Sprint("item", i)}, "stock"))
	}
}

func itemURI(n int) string { return "shop://item/" + strconv.Itoa(n) }

func (t *tools) tool(name string, call func(context.Context, arguments) (string, error)) mcp.Feature {
	schema := `{"type":"object","properties":{"nonce":{"type":"string"},"item":{"type":"integer"}},"required":["nonce"]}`
	return mcp.NewTool(mcp.ToolInfo{Name: name, InputSchema: schema}, func(ctx context.Context, text json.RawMessage) (*mcp.ToolResult, error) {
		var a arguments
		if err := json.Unmarshal(text, &a); err != nil {
			return nil, err
		}
		result, err := call(ctx, a)
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(result), nil
	})
}

// effect appends a line to the file of effects, with one write.
func (t *tools) effect(kind, nonce, value string) {
	fmt.Fprintf(t.effects, "%d %s %s %s %d\n", time.Now().UnixNano(), kind, nonce, value, os.Getpid())
}

// add is a short call.
func (t *tools) add(_ context.Context, a arguments) (string, error) {
	t.effect(ranEffect, a.Nonce, "-")
	return a.Nonce, nil
}

// eventsOfCall is the number of events of a call of events.
const eventsOfCall = 50

// events is a call with log messages.
func (t *tools) events(ctx context.Context, a arguments) (string, error) {
	log := mcp.Logger(ctx)
	for range eventsOfCall {
		log.Warn("something has happened")
	}
	return a.Nonce, nil
}

// steps is a call with progress.
func (t *tools) steps(ctx context.Context, a arguments) (string, error) {
	t.effect(ranEffect, a.Nonce, "-")
	for i := range progressEvents {
		mcp.Progress(ctx, float64(i+1), progressEvents, a.Nonce)
		select {
		case <-time.After(progressPause):
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	return a.Nonce, nil
}

// form is the form of all questions.
var form = mcp.FormInfo{Fields: []mcp.FormField{{Name: "answer", Kind: mcp.StringField, Required: true}}}

// ask is a call with a question.
func (t *tools) ask(ctx context.Context, a arguments) (string, error) {
	answer, err := mcp.ElicitFields(ctx, a.Nonce, &form)
	if err != nil {
		return "", err
	}
	value := fmt.Sprint(answer.Value["answer"])
	t.effect(answeredEffect, a.Nonce, value)
	return value, nil
}

// change changes a resource.
func (t *tools) change(_ context.Context, a arguments) (string, error) {
	t.effect(changedEffect, a.Nonce, itemURI(a.Item))
	t.server.ResourceUpdated(itemURI(a.Item))
	return a.Nonce, nil
}

// limited is a call whose rate is limited.
func (t *tools) limited(_ context.Context, a arguments) (string, error) { return a.Nonce, nil }

// work is a task of steps with a question after them.
func (t *tools) work(ctx context.Context, a arguments) (string, error) {
	run := fmt.Sprint(mcptask.FromContext(ctx).Attempt)
	for i := range workSteps {
		_, err := mcp.Once(ctx, "step"+strconv.Itoa(i), func() (int, error) {
			t.effect(stepEffect, a.Nonce, strconv.Itoa(i))
			select {
			case <-time.After(workPause):
				return i, nil
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			}
		})
		if errors.Is(err, mcptask.ErrLeaseLost) {
			t.effect(lostEffect, a.Nonce, run)
		}
		if err != nil {
			return "", err
		}
	}
	answer, err := mcp.ElicitFields(ctx, a.Nonce, &form)
	if err != nil {
		return "", err
	}
	value := fmt.Sprint(answer.Value["answer"])
	if _, err := mcp.Once(ctx, "used", func() (bool, error) {
		t.effect(answeredEffect, a.Nonce, value)
		return true, nil
	}); err != nil {
		return "", err
	}
	return value + " by run " + run, nil
}
