package vet_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/vet"
)

var update = flag.Bool("update", false, "write the generated page")

const vetPreamble = `# Checking contracts: mcpgen vet

A contract that the generator accepts can still be a bad one: a tool has no description, the model chooses the tenant, the
error of a question to the user is dropped. ` + "`mcpgen vet`" + ` finds such faults in the source, before anything is generated:

` + "```" + `sh
go tool mcpgen vet ./...
` + "```" + `

` + "```" + `
store.go:41:13: tool Search: argument tenant: the model chooses it [identity-argument]
	hint: take it from the request: //mcp:arg tenant inject=currentTenant above the function, ... fills and hides it ...
` + "```" + `

Exit code 0 means that there are no findings, 1 that there are some, 2 that the command line is wrong. ` + "`-json`" + ` writes one
object a line, with file, line, column, severity, rule, message and hint. If code cannot be generated for a package, the errors of
the generator are reported instead, since there is no contract to check; ` + "`mcpgen vet`" + ` does not report its warnings.

## As a part of go vet

The same program can be run by go vet, which caches its results and is supported by editors and linters:

` + "```" + `sh
go vet -vettool=$(go tool -n mcpgen) ./...
` + "```" + `

The flags are then called -mcpgen.rules, -mcpgen.disable, -mcpgen.max-tools and -mcpgen.max-tokens, and the packages must compile,
generated files included. -fix applies two kinds of edits: hints that are not set are written out as they are published now, for a
reviewer to check, and //mcp:ignore directives without a finding are deleted. -fix -diff only prints the edits.

## Suppressing a finding

//mcp:ignore in the doc comment of a feature suppresses the findings of one rule there. The reason is required. In the package
comment it applies to the whole package. A directive that suppresses nothing is a finding itself, so that none is left over.

` + "```" + `go
// Accounts lists what an account has bought.
//
//mcp:tool readonly closedworld
//mcp:ignore identity-argument Support staff look up the accounts of others.
func Accounts(
	account string, // number of the account
) []Purchase
` + "```" + `

There is no configuration file. Settings of a package are in its comment, and settings of a run are flags: -rules checks only the
rules that it names, -disable leaves rules out, and -max-tools and -max-tokens set limits, where 0 means no limit.

## Rules

`

// TestPage compares the reference of rules with the table of rules.
func TestPage(t *testing.T) {
	want := bytes.NewBufferString(vetPreamble)
	vet.WriteMarkdown(want)
	path := filepath.FromSlash("../../../docs/decide/vet.md")
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("docs/decide/vet.md is not current: go test ./generator/internal/vet -update")
	}
}
