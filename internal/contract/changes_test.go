package contract

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is said about the changes in testdata")

// TestChanges goes through the table of changes and their classes.
func TestChanges(t *testing.T) {
	const file = "testdata/changes.txt"
	table, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	count := 0
	blocks := strings.Split(string(table), "\n\n")
	for i, block := range blocks {
		if i > 0 {
			out.WriteString("\n\n")
		}
		title, ok := strings.CutPrefix(block, "## ")
		if !ok {
			out.WriteString(block)
			continue
		}
		count++
		lines := strings.Split(strings.TrimRight(title, "\n"), "\n")
		if len(lines) < 4 || !strings.HasPrefix(lines[2], "- ") || !strings.HasPrefix(lines[3], "+ ") {
			t.Fatalf("no case: %s", block)
		}
		class, _, _ := strings.Cut(lines[0], ":")
		before, after := contractOf(t, lines[1], lines[2][2:]), contractOf(t, lines[1], lines[3][2:])
		d := Compare(before, after)
		if d.Class().String() != class {
			t.Errorf("%s: the class is %v", lines[0], d.Class())
		}
		said := said(d)
		if got := strings.Join(lines[4:], "\n"); got != strings.Join(said, "\n") && !*update {
			t.Errorf("%s: said is\n%s\nwant\n%s", lines[0], strings.Join(said, "\n"), got)
		}
		out.WriteString("## " + strings.Join(append(lines[:4:4], said...), "\n"))
		if i == len(blocks)-1 {
			out.WriteByte('\n')
		}
		for _, c := range []*Contract{before, after} {
			if d := Compare(c, c); len(d.Changes) > 0 {
				t.Errorf("%s: compared with itself: %v", lines[0], said)
			}
		}
	}
	if count < 60 {
		t.Errorf("there are %d cases", count)
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// said returns the changes in the form of the table.
func said(d *Difference) []string {
	var lines []string
	for i := range d.Changes {
		lines = append(lines, fmt.Sprintf("= %v: %v", d.Changes[i].Class, &d.Changes[i]))
	}
	for _, note := range d.Notes {
		lines = append(lines, "= note: "+note)
	}
	return lines
}

// contractOf returns a contract with the subject of a case.
func contractOf(t *testing.T, what, text string) *Contract {
	t.Helper()
	switch what {
	case "argument":
		text = `{"inputSchema":{"type":"object","properties":{"x":` + text + `}}}`
	case "input":
		text = `{"inputSchema":` + text + `}`
	case "field":
		text = `{"outputSchema":{"type":"object","properties":{"x":` + text + `},"required":["x"]}}`
	case "output":
		text = `{"outputSchema":` + text + `}`
	}
	if what != "contract" {
		text = strings.Replace(`{"server":{"name":"s"},"tools":[{"name":"t",`+text[1:]+`]}`, ",}", "}", 1)
	}
	c, err := Read([]byte(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return c
}
