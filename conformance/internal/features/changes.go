package features

import (
	"sync"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Lists changes what the server lists while it serves. Its methods may be called
// by many goroutines at once.
type Lists struct {
	server *mcp.Server // set before it serves

	mu sync.Mutex
}

// The tool and the prompt that come and go.
const (
	comingTool   = "test_coming_and_going"
	comingPrompt = "test_coming_and_going_prompt"
)

// comingAndGoing says that it is there. Each test_trigger_tool_change takes it away
// or brings it back.
//
//mcp:tool
func comingAndGoing() string { return "Here at the moment." }

// comingAndGoingPrompt says that it is there. Each test_trigger_prompt_change takes
// it away or brings it back.
//
//mcp:prompt
func comingAndGoingPrompt() string { return "Here at the moment." }

// TriggerToolChange changes the list of tools, so that clients are told.
//
//mcp:tool readonly=false additive
func (l *Lists) TriggerToolChange() string {
	return l.turn(mcp.KindTool, comingTool)
}

// TriggerPromptChange changes the list of prompts, so that clients are told.
//
//mcp:tool readonly=false additive
func (l *Lists) TriggerPromptChange() string {
	return l.turn(mcp.KindPrompt, comingPrompt)
}

// turn takes a feature away, or brings it back.
func (l *Lists) turn(kind mcp.Kind, name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server.Unregister(kind, name) {
		return name + " is gone."
	}
	RegisterMCP(mcp.Select(l.server, func(f mcp.FeatureInfo) bool { return f.Kind == kind && f.Name == name }), l)
	return name + " is back."
}
