package mcp

import "github.com/mcpgen/mcpgen/runtime/internal/protocol"

// This file defines the lists of a server that change, and the capabilities that it leaves out of
// its declaration. Its fields do not change after [NewServer].

// topic is a list whose changes clients can subscribe to.
type topic int

// The lists that change.
const (
	toolsChanged topic = iota
	promptsChanged
	resourcesChanged
	topics
)

var listChanged = [topics]string{protocol.ToolsListChanged, protocol.PromptsListChanged, protocol.ResourcesListChanged}

// topicOf is the topic of each set of features.
var topicOf = [setCount]topic{
	toolSet: toolsChanged, resourceSet: resourcesChanged, templateSet: resourcesChanged, promptSet: promptsChanged,
}

// ServerCapability is a capability of servers that [WithoutCapabilities] can leave out, named by
// its place in ServerCapabilities of the specification's schema.
type ServerCapability string

// The capabilities that a server can leave out.
const (
	ServerLogging              ServerCapability = "logging"               // log messages to clients
	ServerListChanged          ServerCapability = "listChanged"           // the next three together
	ServerToolsListChanged     ServerCapability = "tools.listChanged"     // changes of the list of tools
	ServerResourcesListChanged ServerCapability = "resources.listChanged" // also changes of templates
	ServerPromptsListChanged   ServerCapability = "prompts.listChanged"   // changes of the list of prompts
	ServerSubscribe            ServerCapability = "resources.subscribe"   // updates of resources
)

// withoutCapabilities are the capabilities that a server leaves out.
type withoutCapabilities struct {
	logging   bool
	subscribe bool
	lists     [topics]bool // changes of these lists
}

func (w *withoutCapabilities) add(c ServerCapability) {
	switch c {
	case ServerLogging:
		w.logging = true
	case ServerSubscribe:
		w.subscribe = true
	case ServerListChanged:
		w.lists = [topics]bool{true, true, true}
	case ServerToolsListChanged:
		w.lists[toolsChanged] = true
	case ServerResourcesListChanged:
		w.lists[resourcesChanged] = true
	case ServerPromptsListChanged:
		w.lists[promptsChanged] = true
	}
}

// listCapability is the capability of each list.
var listCapability = [topics]ServerCapability{
	toolsChanged: ServerToolsListChanged, promptsChanged: ServerPromptsListChanged, resourcesChanged: ServerResourcesListChanged,
}
