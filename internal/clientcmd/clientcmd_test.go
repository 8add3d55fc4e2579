package clientcmd

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/clients"
)

// Errors about flags do not print values, and each has a hint.
func TestVariables(t *testing.T) {
	for _, text := range []string{"=swordfish", "A B=swordfish", "${A}=swordfish"} {
		err := (&Options{Env: []string{text}}).Variables(&clients.Server{Command: "/notes"})
		if _, ok := errors.AsType[*UsageError](err); !ok || strings.Contains(err.Error(), "swordfish") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for want, o := range map[string]struct {
		Options
		clients.Server
	}{
		"-env API_KEY ": {Options{Scope: "project", Env: []string{"API_KEY=1"}}, clients.Server{Command: "/notes"}},
		"-header 'Authorization=Bearer ${TOKEN}'": {Options{Scope: "project", Header: []string{"Authorization=Bearer abc"}}, clients.Server{URL: "https://example.com/mcp"}},
	} {
		var out, problems strings.Builder
		c := commandIn(t, &out, &problems)
		if err := c.Install(t.Context(), "cursor", "notes", &o.Server, &o.Options, nil); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(problems.String(), "looks like a secret") || !strings.Contains(problems.String(), "hint: "+want) {
			t.Errorf("%q, want %q", problems.String(), want)
		}
	}
}

// JavaScript parsers that assign members treat this name as the prototype of the object.
func TestName(t *testing.T) {
	for name, good := range map[string]bool{
		"notes": true, "a-b_C9": true, "constructor": true, "__proto__": false, "": false, "a.b": false, "a b": false, "ä": false, "a\n": false,
		strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
	} {
		if err := checkName(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}
