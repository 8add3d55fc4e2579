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

const vetPreamble = `# Looking at contracts: mcpgen vet

What the generator accepts can still be a bad contract: a tool that nothing describes, a tenant that the model may choose,
a question whose answer nobody looks at. ` + "`mcpgen vet`" + ` finds such things, from the source, before anything is generated:

` + "```" + `sh
go tool mcpgen vet ./...
` + "```" + `

` + "```" + `
store.go:41:13: tool Search: argument tenant: the model chooses it [identity-argument]
	hint: take it from the request: //mcp:inject on a func(context.Context) (T, error) fills the parameter and hides it; ...
` + "```" + `

Exit code 0 says that there is nothing to report, 1 that there are findings, 2 that the command line is wrong. ` + "`-json`" + ` writes one
object a line, with file, line, column, severity, rule, message and hint. Where a package cannot be generated for, the errors of the
generator are reported, since there is no contract to look at then; its warnings are left to the run that generates.

## As a part of go vet

The same program is a tool of go vet, which remembers what it has looked at, and which editors and linters know:

` + "```" + `sh
go vet -vettool=$(go tool -n mcpgen) ./...
` + "```" + `

There the flags are called -mcpgen.rules, -mcpgen.disable, -mcpgen.max-tools and -mcpgen.max-tokens, and the packages must compile,
generated files and all. With -fix the edits are made that are plain: hints that nobody decided are written down as they are
published now, for a reviewer to look at, and directives that ignore nothing are deleted. -fix -diff shows them only.

## What is right, and wanted

A finding is silenced where it is, with the reason, which is not optional. In the package comment the directive is about the whole
package. One that silences nothing is a finding itself, so that none is left over.

` + "```" + `go
// Accounts lists what an account has bought.
//
//mcp:tool readonly closedworld
//mcp:ignore identity-argument Support staff look up the accounts of others.
func Accounts(
	account string, // number of the account
) []Purchase
` + "```" + `

There is no configuration file. What holds for one package stands in its comment, and what holds for a run is a flag: -rules checks some
rules only, -disable leaves some out, -max-tools and -max-tokens set the limits, and 0 lifts them.

## Rules

`

// TestVet keeps the reference of rules equal to the table that is checked.
func TestPage(t *testing.T) {
	want := bytes.NewBufferString(vetPreamble)
	vet.WriteMarkdown(want)
	path := filepath.FromSlash("../../../docs/vet.md")
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
		t.Error("docs/vet.md is not current: go test ./generator/internal/vet -update")
	}
}
