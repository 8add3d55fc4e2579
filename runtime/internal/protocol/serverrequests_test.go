package protocol

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// The requests to clients in each revision, as in the fact sheet of the revisions.
func TestAsking(t *testing.T) {
	for i, want := range []string{
		"roots sampling sampling.context",
		"roots sampling sampling.context",
		"elicitation roots sampling sampling.context",
		"elicitation elicitation.url roots sampling sampling.context sampling.tools",
		"elicitation elicitation.url roots sampling sampling.context sampling.tools",
	} {
		r := All[i]
		if got := strings.Join(slices.Sorted(maps.Keys(r.ServerRequests.Capabilities)), " "); got != want {
			t.Errorf("%s: clients can %s, want %s", r.Version, got, want)
		}
		if r.ServerRequests.Rounds != r.PerRequest {
			t.Errorf("%s: rounds are for clients without a session", r.Version)
		}
		for name, declared := range r.ServerRequests.Capabilities {
			if r.ServerRequests.Capabilities[declared] != declared {
				t.Errorf("%s: %s is declared by %s, which the revision has not", r.Version, name, declared)
			}
		}
		if r.ServerRequests.ElicitationID && !r.ServerRequests.RichForms || r.ServerRequests.ElicitationID && r.ServerRequests.Rounds {
			t.Errorf("%s: elicitationId", r.Version)
		}
	}
}

func TestAsks(t *testing.T) {
	for m := Unknown; m < MethodCount; m++ {
		want := slices.Contains([]string{"tools/call", "prompts/get", "resources/read"}, m.String())
		if m.MayAskClient() != want {
			t.Errorf("%s may ask: %v", m, m.MayAskClient())
		}
	}
	if len(Levels) != 8 || Levels[DefaultLevel] != "info" {
		t.Errorf("levels %v", Levels)
	}
}
