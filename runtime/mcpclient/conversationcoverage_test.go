package mcpclient_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// The sides of a conversation.
const (
	fromClient = "Client"
	fromServer = "Server"
)

// coverage contains the messages of all conversations: by revision, then by side and kind as the
// schemas name them (ClientRequest).
type coverage map[string]map[string]map[string]bool

var coverageMu sync.Mutex

// add records a message of a conversation in a revision.
func (c coverage) add(revision, side, text string) {
	if revision == "" {
		return
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Result struct {
			InputRequests map[string]struct{ Method string }
		}
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return
	}
	coverageMu.Lock()
	defer coverageMu.Unlock()
	note := func(kind, method string) {
		if c[revision] == nil {
			c[revision] = map[string]map[string]bool{}
		}
		if c[revision][kind] == nil {
			c[revision][kind] = map[string]bool{}
		}
		c[revision][kind][method] = true
	}
	for _, asked := range m.Result.InputRequests {
		note("ServerRequest", asked.Method)
	}
	switch {
	case m.Method == "":
	case m.ID != nil:
		note(side+"Request", m.Method)
	default:
		note(side+"Notification", m.Method)
	}
}

// notSpoken contains the methods and notifications of the schemas that this client does not
// support, each with the reason.
var notSpoken = map[string]string{
	"tasks/get":                  "experimental, replaced by an extension in 2026-07-28",
	"tasks/result":               "likewise",
	"tasks/cancel":               "likewise",
	"tasks/list":                 "likewise",
	"notifications/tasks/status": "likewise",
}

// check compares the conversations with the tables of package protocol for each revision, and the
// tables with the schemas.
func (c coverage) check(t *testing.T) {
	coverageMu.Lock()
	defer coverageMu.Unlock()
	for _, r := range protocol.All {
		for kind, methods := range spokenIn(r) {
			for _, method := range methods {
				if !c[r.Version][kind][method] {
					t.Errorf("%s: no conversation has the %s %s", r.Version, kind, method)
				}
			}
		}
	}
	t.Run("schemas", func(t *testing.T) {
		for _, r := range protocol.All {
			for kind, methods := range spokenIn(r) {
				union := spec.Union(t, r.Version, kind)
				if kind == "ServerRequest" && r.ServerRequests.Rounds {
					union = spec.Union(t, r.Version, "InputRequest")
				}
				for _, method := range union {
					if !slices.Contains(methods, method) && notSpoken[method] == "" {
						t.Errorf("%s: package protocol does not have the %s %s", r.Version, kind, method)
					}
				}
				for _, method := range methods {
					if !slices.Contains(union, method) {
						t.Errorf("%s: the schema does not have the %s %s", r.Version, kind, method)
					}
				}
			}
		}
	})
}

// spokenIn returns the methods and notifications of a revision.
func spokenIn(r *protocol.Revision) map[string][]string {
	spoken := map[string][]string{
		"ClientNotification": r.ClientMessages.Notifications, "ServerNotification": r.ServerNotifications,
	}
	for method := range r.Methods {
		spoken["ClientRequest"] = append(spoken["ClientRequest"], method)
	}
	for method, capability := range map[string]string{
		protocol.CreateMessage: "sampling", protocol.ListRoots: "roots", protocol.CreateElicitation: "elicitation",
	} {
		if _, ok := r.ServerRequests.Capabilities[capability]; ok {
			spoken["ServerRequest"] = append(spoken["ServerRequest"], method)
		}
	}
	if !r.ServerRequests.Rounds {
		spoken["ServerRequest"] = append(spoken["ServerRequest"], protocol.Ping.String())
	}
	return spoken
}
