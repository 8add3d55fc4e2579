package testbed

import (
	"os"
	"strings"
	"testing"
)

// CompareTable compares a table in a page with the expected table. It is between the lines begin
// and end, which include their line feeds. With update it writes the page.
func CompareTable(t *testing.T, page, begin, end, table string, update bool) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	got, after, closed := strings.Cut(rest, end)
	switch {
	case !found || !closed:
		t.Fatalf("%s has no table between %q and %q", page, begin, end)
	case got == table:
	case update:
		if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has another table; the flag -update writes it", page)
	}
}
