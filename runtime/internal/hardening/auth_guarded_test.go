package hardening_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// nameGuard is a guard that trusts the name in a token, as principalOf does.
func nameGuard(s *site) *mcpauth.Guard {
	g, err := mcpauth.New(mcpauth.Options{Resource: authResource, Verifiers: []mcpauth.Verifier{names{}}, Log: s.log.Logger()})
	if err != nil {
		s.t.Fatal(err)
	}
	return g
}

// names is a verifier of tokens that are names.
type names struct{}

func (names) Verify(_ context.Context, c *mcpauth.Credential) (*mcpauth.Identity, error) {
	name, ok := strings.CutPrefix(c.Token, "token-of-")
	if !ok {
		return nil, mcpauth.ErrNotMine
	}
	return &mcpauth.Identity{Subject: "user-" + name, Method: "name"}, nil
}

// notAtOnce are rows with much data that run with a guard at night only.
var notAtOnce = []string{"Circles", "Oversized", "Depth", "SlowReader", "LargeReplies", "IdleMemory", "Changes", "LongNames", "FloodedLog"}

// notGuarded are the rows that do not run with a guard, with the reason. Rows of TestAuth test the
// same with a guard.
var notGuarded = func() map[string]string {
	all := map[string]string{}
	for reason, names := range map[string][]string{
		"its requests have no token":                       {"Origin", "Host", "Shutdown"},
		"it expects the names of principals without guard": {"SessionHook", "SessionID", "RequestState"},
		"its clients count by address, or have no name":    {"Rates", "StatedAddress", "Shares", "Limits"},
		"its tokens are wrong in another way":              {"Secrets"},
	} {
		for _, name := range names {
			all[name] = reason
		}
	}
	return all
}()

// TestGuarded runs the rows of TestHardening with a guard in front of the server.
func TestGuarded(t *testing.T) {
	seen := 0
	defer func() {
		if seen != len(notGuarded) {
			t.Errorf("%d of the rows that are left out exist: %v", seen, notGuarded)
		}
	}()
	for _, r := range rows {
		if notGuarded[r.name] != "" {
			seen++
			continue
		}
		if slices.Contains(notAtOnce, r.name) && !*allTransports {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			for _, w := range transports {
				v := target{transport: w, era: w.eras[0], guarded: true}
				if r.not[w.name] == "" && v.is(authTransports...) {
					t.Run(w.name, func(t *testing.T) { r.run(t, v) })
				}
			}
		})
	}
}
