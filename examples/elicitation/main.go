// Elicitation asks the user before something is deleted. The code is the same for every revision:
// in sessions the client gets a request, from 2026-07-28 on it calls again with the answer.
//
//	go run ./elicitation       # serves the client that has started it, which must be able to ask
//	go test -v ./elicitation   # what happens with each answer
//
//mcp:defaults errors=declared
package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

//go:generate go tool mcpgen

func main() { mcpcmd.Main(NewMCPServer(NewNotes())) }

// Deletion is the form that the user fills in.
//
//mcp:form
type Deletion struct {
	// Confirm is whether the note is deleted.
	Confirm bool `json:"confirm" jsonschema:"title=Delete it for good"`
}

// ErrKept is the error that the model gets if the user does not agree.
//
//mcp:error
var ErrKept = errors.New("the user wants to keep the note")

// Notes stores texts by name.
type Notes struct {
	mu    sync.Mutex
	texts map[string]string
}

// NewNotes returns two notes.
func NewNotes() *Notes {
	return &Notes{texts: map[string]string{"plan": "Write a server.", "list": "Milk, tea."}}
}

// DeleteNote deletes a note after the user has agreed, and returns the names of those that are
// left.
//
//mcp:tool destructive closedworld
//mcp:arg name "the name of the note"
func (n *Notes) DeleteNote(ctx context.Context, name string) ([]string, error) {
	n.mu.Lock()
	_, ok := n.texts[name]
	n.mu.Unlock() // the user may take long to answer
	if !ok {
		return nil, mcp.Errorf("there is no note %q", name)
	}
	answer, err := mcp.Elicit[Deletion](ctx, fmt.Sprintf("Delete the note %q?", name))
	if err != nil {
		return nil, err // the client cannot ask, or the call was cancelled
	}
	if !answer.Accepted() || !answer.Value.Confirm {
		return nil, ErrKept
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.texts, name)
	return slices.Sorted(maps.Keys(n.texts)), nil
}
