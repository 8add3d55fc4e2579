package spec

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Statement is a requirement of the specification for servers, in the words of this project.
type Statement struct {
	ID        string // S and three digits; it never changes
	Level     string // MUST or SHOULD
	Revisions string // all, one, or the first and the last
	Section   string
	Text      string
	Reason    string // why no test asserts it, or only a part of it
}

// The table of statements: "# SECTION", "ID LEVEL REVISIONS: TEXT", and the reason on a separate
// line that begins with a tab.
//
//go:embed statements.txt
var table string

var statementLine = regexp.MustCompile(`^(S\d{3}) (MUST|SHOULD) (all|\d{4}-\d\d-\d\d(?: to \d{4}-\d\d-\d\d)?): (\S.*\.)$`)

// Statements returns all statements, in the order of the specification.
var Statements = sync.OnceValues(func() ([]Statement, error) {
	var all []Statement
	section := ""
	known := map[string]bool{}
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		m := statementLine.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "# "):
			section = line[2:]
		case strings.HasPrefix(line, "\t") && len(all) > 0 && all[len(all)-1].Reason == "":
			all[len(all)-1].Reason = line[1:]
		case m != nil && section != "" && !known[m[1]]:
			known[m[1]] = true
			all = append(all, Statement{ID: m[1], Level: m[2], Revisions: m[3], Section: section, Text: m[4]})
		case line != "":
			return nil, fmt.Errorf("statements.txt: %q", line)
		}
	}
	return all, nil
})

// Holds declares that the code after it asserts the statements with those ids. The page
// docs/decide/conformance.md is generated from these calls in the source: ids must be literals, and
// the call must be in the asserting function.
func Holds(t testing.TB, ids ...string) {
	t.Helper()
	all, err := Statements()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, s := range all {
		known[s.ID] = true
	}
	for _, id := range ids {
		if !known[id] {
			t.Errorf("there is no statement %s", id)
		}
	}
}
