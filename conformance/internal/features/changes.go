package features

import (
	"sync"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Lists changes the lists of the server while it serves. Its methods may be called by several
// goroutines.
type Lists struct {
	server *mcp.Server // set before it serves

	mu sync.Mutex
}

// The tool and the prompt that are removed and registered again.
const (
	comingTool   = "test_coming_and_going"
	comingPrompt = "test_coming_and_going_prompt"
)

// comingAndGoing says that it is there. Each test_trigger_tool_change takes it away or brings it
// back.
//
//mcp:tool
func comingAndGoing() string { return "Here at the moment." }

// comingAndGoingPrompt says that it is there. Each test_trigger_prompt_change takes it away or
// brings it back.
//
//mcp:prompt
func comingAndGoingPrompt() string { return "Here at the moment." }

// TriggerToolChange changes the list of tools, so that clients are notified.
//
//mcp:tool readonly=false additive
func (l *Lists) TriggerToolChange() string {
	return l.toggle(mcp.KindTool, comingTool)
}

// TriggerPromptChange changes the list of prompts, so that clients are notified.
//
//mcp:tool readonly=false additive
func (l *Lists) TriggerPromptChange() string {
	return l.toggle(mcp.KindPrompt, comingPrompt)
}

// toggle removes a feature, or registers it again.
func (l *Lists) toggle(kind mcp.FeatureKind, name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server.Unregister(kind, name) {
		return name + " is gone."
	}
	RegisterMCP(mcp.Select(l.server, func(f mcp.FeatureInfo) bool { return f.Kind == kind && f.Name == name }), l)
	return name + " is back."
}
