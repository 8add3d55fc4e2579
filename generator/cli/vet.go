package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/generator/internal/vet"
)

// vet lints the contracts of packages, from their source.
func (c *command) vet(args []string) int {
	f := newFlags("vet")
	asJSON := f.Bool("json", false, "write findings as JSON, one object a line, to standard output")
	wide := f.Bool("wide", false, "break no lines on a terminal")
	options := vetOptions(c.ctx)
	options.Register(f.FlagSet)
	patterns, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	result, err := pipeline.Generate(c.ctx, pipeline.Config{
		Dir: c.dir, Env: c.environment(), Tags: f.tags, Patterns: patterns, Progress: c.progress.begin, Packages: c.progress.packages, Unformatted: true,
	})
	report := func(l *diag.List) { c.fitted(l, *wide) }
	if *asJSON {
		report = func(l *diag.List) { diag.PrintJSON(c.out, l, c.dir) }
	}
	var found diag.List
	if nothing, ok := errors.AsType[*load.Error](err); ok && c.ctx.Err() == nil {
		c.progress.end()
		found.Add(nothing.Diagnostic())
		report(&found)
		return exitFound
	}
	if err != nil {
		c.progress.end()
		return c.fail(err)
	}
	switch {
	case result.Diagnostics.HasErrors(): // there is no contract to check
		found.Append(result.Diagnostics)
	case len(result.Packages) == 0:
		found.Add(c.nothing(strings.Join(orHere(patterns), " ")))
	}
	if found.Len() == 0 {
		c.progress.begin("checking the contracts")
		findings, err := vetFindings(result, options, !*asJSON)
		if err != nil {
			c.progress.end()
			return c.fail(err)
		}
		found.Append(findings)
	}
	c.progress.end()
	report(&found)
	if found.Len() > 0 {
		return exitFound
	}
	if f.verbose {
		c.noteln("no findings in %s", count(len(result.Packages), "package"))
	}
	return exitDone
}

// vetFindings returns the findings in all packages. If joined, a finding that repeats at several
// places is listed once.
func vetFindings(result *pipeline.Result, options *vet.Options, joined bool) (*diag.List, error) {
	var found diag.List
	for _, p := range result.Packages {
		findings, err := vet.Package(p.Loaded, p.Model, options)
		if err != nil {
			return nil, err
		}
		if joined {
			findings = vet.Join(findings)
		}
		for _, finding := range findings {
			found.Add(finding.Diagnostic())
		}
	}
	return &found, nil
}

// fitted prints a list for people, in lines that fit the terminal.
func (c *command) fitted(l *diag.List, wide bool) {
	if c.report.Out == nil || wide {
		c.diagnostics(l)
		return
	}
	c.progress.clear()
	var text strings.Builder
	diag.Print(&text, l, c.dir)
	for line := range strings.Lines(c.report.Fit(text.String())) {
		// Print has escaped characters that a terminal would interpret.
		if place := placeOf.FindString(line); place != "" && c.report.Bold {
			line = "\x1b[1m" + place + "\x1b[0m" + line[len(place):]
		}
		fmt.Fprint(c.report.Out, line)
	}
}

// placeOf matches the position at the beginning of a finding.
var placeOf = regexp.MustCompile(`^\S+:\d+:\d+:`)

// vetOptions counts tokens like mcpgen list.
func vetOptions(ctx context.Context) *vet.Options {
	o := vet.NewOptions()
	o.Tokens = func(m *model.Package) ([]int, error) {
		listing, err := listed(ctx, m)
		if err != nil {
			return nil, err
		}
		var tokens []int
		for _, row := range rows(m, listing) {
			if row.kind == "tool" {
				tokens = append(tokens, row.tokens())
			}
		}
		return tokens, nil
	}
	return o
}

// asVetTool reports whether "go vet -vettool" has started the command as its tool, with -V=full,
// -flags, or flags and a .cfg file.
func asVetTool(args []string) bool {
	switch {
	case len(args) == 0:
		return false
	case len(args) == 1 && (args[0] == "-V=full" || args[0] == "-flags"):
		return true
	}
	last := len(args) - 1
	return strings.HasSuffix(args[last], ".cfg") &&
		!slices.ContainsFunc(args[:last], func(arg string) bool { return !strings.HasPrefix(arg, "-") })
}

// vetTool runs the analyzer for go vet, and exits.
func vetTool(ctx context.Context) {
	flag.CommandLine.Init("mcpgen", flag.ExitOnError)
	unitchecker.Main(vet.NewAnalyzer(vetOptions(ctx)))
}

const helpVet = `usage: mcpgen vet [flags] [packages]

Checks the contracts of packages for faults that the generator accepts and a
reviewer would not. It works from the source, and writes nothing. Each finding
ends with the rule in brackets. Exit code 1 means that there are findings.

	-rules LIST   check only these rules, separated by commas
	-disable LIST do not check these
	-max-tools N  limit the tools of a package (40); 0 is any number
	-max-tokens N limit the tokens of a tool (1000), as mcpgen list
	              estimates them; 0 is any number
	-json         write findings as JSON, one object a line, to standard
	              output: file, line, column, severity, rule, message and
	              hint
	-wide         break no lines at the width of a terminal
` + helpFlags + `
A finding that is right and wanted is silenced in the doc comment of the
function, or in the package comment for all of the package, with the reason:

	//mcp:ignore identity-argument An operator looks up others' accounts.

The same program serves go vet, which caches its results, and with -fix makes
the simple edits. There its flags are called -mcpgen.rules and so on:

	go vet -vettool=$(go tool -n mcpgen) ./...

The rules:

`

// vetHelp returns the help of vet with the table of rules.
func vetHelp() string {
	var b bytes.Buffer
	fmt.Fprint(&b, helpVet)
	vet.WriteHelp(&b)
	return b.String()
}
