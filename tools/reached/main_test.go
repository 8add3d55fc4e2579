package main

import (
	"slices"
	"testing"
)

func TestReaches(t *testing.T) {
	r := &repository{
		packages: map[string]bool{"docs/internal/pages": true, "generator/cli": true, "runtime/mcp": true, "runtime/mcpws": true, "interop": true},
		units: map[string]*dependencies{"scripts": {
			all:    map[string]bool{"runtime/mcp": true, "generator/cli": true},
			tested: map[string]bool{"generator/cli": true},
		}},
	}
	scripts := units[slices.IndexFunc(units, func(u unit) bool { return u.name == "scripts" })]
	for _, test := range []struct {
		file string
		want bool
	}{
		{"runtime/mcp/server.go", true},
		{"runtime/mcp/embedded/page.html", true}, // not in a package of its own
		{"runtime/mcp/server_test.go", false},
		{"runtime/mcp/testdata/odd/package/file.go", false},
		{"generator/cli/script_test.go", true},
		{"generator/cli/testdata/file.go", true},
		{"runtime/mcpws/conn.go", false},
		{"runtime/mcpother/doc.txt", true}, // belongs to no package
		{"testdata/scripts/http.txtar", true},
		{"testdata/conversations/calls.txtar", true}, // belongs to no package
		{"docs/start/guide.md", false},
		{"README.md", false}, // docs reads it
		{".ci/run", true},
		{"interop/clients/package.json", false},
		{"go.mod", true},
	} {
		if got := r.reaches(test.file, scripts); got != test.want {
			t.Errorf("%s: %v, want %v", test.file, got, test.want)
		}
	}
}

// A file of this repository reaches the units that depend on it.
func TestReached(t *testing.T) {
	r, err := load("../..")
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"scripts", "docs", "pipeline", "corpus", "replicas", "interop"}
	for _, test := range []struct {
		files []string
		want  []string
	}{
		{nil, nil},
		{[]string{"go.mod"}, all},
		{[]string{"runtime/internal/hardening/slow_test.go", "runtime/mcphttp/get_test.go"}, nil},
		{[]string{"internal/proof/zoo/prove/prove.go"}, []string{"interop"}},
		{[]string{"generator/internal/emit/emit.go"}, []string{"scripts", "docs", "pipeline", "corpus", "interop"}},
		{[]string{"bench/replicas/check.go"}, []string{"replicas"}},
		{[]string{"runtime/mcp/server.go"}, []string{"scripts", "docs", "corpus", "replicas", "interop"}},
	} {
		if got := r.reached(test.files); !slices.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.files, got, test.want)
		}
	}
}
