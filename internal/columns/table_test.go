package columns

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
)

const sample = "KIND\tNAME\tSIGNATURE\tHINTS\tTOKENS\n" +
	"tool\tsearch_books\tfunc(query string, limit integer, subjects []string) []string\treadonly closedworld\t431\n" +
	"tool\tread\tfunc()\t\t12\n" +
	"total\t2 tools\t\t\t443\n"

// Without a width the table equals the output of text/tabwriter.
func TestTableForPipes(t *testing.T) {
	for _, text := range []string{sample, "A\tB\nx\t\n\ty\n", "A\n", ""} {
		var want, got strings.Builder
		w := tabwriter.NewWriter(&want, 0, 0, 2, ' ', 0)
		fmt.Fprint(w, text)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		table := NewTable(&got, Screen{})
		table.Cut = []string{"SIGNATURE"}
		table.Drop("HINTS", "B")
		fmt.Fprint(table, text)
		if err := table.Flush(); err != nil || got.String() != want.String() {
			t.Errorf("%v\n%q, want\n%q", err, got.String(), want.String())
		}
	}
}

func drawn(t *testing.T, text string, s Screen, cut ...string) string {
	t.Helper()
	var screen, out strings.Builder
	s.Out = &screen
	table := NewTable(&out, s)
	table.Cut = cut
	fmt.Fprint(table, text)
	if err := table.Flush(); err != nil || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
	return screen.String()
}

// Every line fits any width; cut cells end with an ellipsis, and names are cut last.
func TestTableFits(t *testing.T) {
	for width := 10; width < 130; width++ {
		got := drawn(t, sample, Screen{Width: width}, "SIGNATURE")
		for line := range strings.Lines(got) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > max(width, 13) {
				t.Errorf("width %d: %d columns: %q", width, n, line)
			}
		}
		if whole := !strings.Contains(got, ellipsis); whole != (width >= 112) {
			t.Errorf("width %d:\n%s", width, got)
		}
	}
	if got, want := drawn(t, sample, Screen{Width: 70}, "SIGNATURE"), "tool   search_books  func(query string,…  readonly closedworld  431\n"; !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	got := drawn(t, "NAME\tX\n漢字漢字漢字漢字\t1\nétude\t2\n", Screen{Width: 12})
	if want := "NAME       X\n漢字漢字…  1\nétude      2\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Columns that would make others unreadable are omitted, in order, and named.
func TestTableDrops(t *testing.T) {
	for _, test := range []struct {
		width   int
		dropped string
		want    string
	}{
		{112, "", "tool   search_books  func(query string, limit integer, subjects []string) []string  readonly closedworld  431\n"},
		{75, "", "tool   search_books  func(query string, limi…  readonly closedworld  431\n"},
		{74, "HINTS", "tool   search_books  func(query string, limit integer, subjects […  431\n"},
		{53, "HINTS", "tool   search_books  func(query string, limi…  431\n"},
		{52, "HINTS KIND", "search_books  func(query string, limit inte…  431\n"},
	} {
		var out strings.Builder
		table := NewTable(nil, Screen{Out: &out, Width: test.width})
		table.Cut = []string{"SIGNATURE"}
		table.Drop("HINTS", "NONE", "KIND")
		fmt.Fprint(table, sample)
		if err := table.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(table.Dropped(), " "); got != test.dropped || !strings.Contains(out.String(), test.want) {
			t.Errorf("width %d: without %q\n%s\nwant without %q\n%s", test.width, got, out.String(), test.dropped, test.want)
		}
	}
}

// Only names are bold, and control characters are escaped.
func TestTableBold(t *testing.T) {
	got := drawn(t, sample, Screen{Bold: true})
	if n := strings.Count(got, "\x1b"); n != 4 || !strings.Contains(got, "tool   \x1b[1msearch_books\x1b[0m  func(") || !strings.Contains(got, "total  2 tools") {
		t.Errorf("%d, %q", n, got)
	}
	if plain := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(got); plain != drawn(t, sample, Screen{}) {
		t.Errorf("%q", plain)
	}
	if got := drawn(t, "NAME\tX\na\x1b[2J\t\x07\n", Screen{Bold: true}); strings.Contains(got, "\x1b[2J") || strings.Contains(got, "\x07") {
		t.Errorf("%q", got)
	}
}

func TestFit(t *testing.T) {
	const text = "greet.go:9:1: it is not set whether clients may read the text of every error [undecided-errors]\n\thint: write one of the two words\n\nshort\n"
	for width := 30; width < 100; width++ {
		got := Screen{Width: width}.Fit(text)
		for line := range strings.Lines(got) {
			if n := len([]rune(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "        "))); n > width {
				t.Errorf("width %d: %d columns: %q", width, n, line)
			}
		}
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text), " ") {
			t.Errorf("width %d: %q", width, got)
		}
	}
	if got := (Screen{}).Fit(text); got != text {
		t.Errorf("%q", got)
	}
}

func TestScreenOf(t *testing.T) {
	for _, test := range []struct {
		terminal                     bool
		term, noColor, columns, code string
		want                         Screen
	}{
		{false, "xterm", "", "40", "", Screen{}},
		{true, "xterm", "", "40", "", Screen{Width: 40, Bold: true}},
		{true, "xterm", "", "", "", Screen{Width: Width, Bold: true}},
		{true, "xterm", "", "wide", "", Screen{Width: Width, Bold: true}},
		{true, "xterm", "1", "40", "", Screen{Width: 40}},
		{true, "dumb", "", "40", "", Screen{Width: 40}},
		{true, "", "", "40", "", Screen{Width: 40}},
		{true, "", "", "40", "1", Screen{Width: 40, Bold: true}},
	} {
		for name, value := range map[string]string{"TERM": test.term, "NO_COLOR": test.noColor, "COLUMNS": test.columns, "WT_SESSION": test.code} {
			t.Setenv(name, value)
		}
		f, err := os.CreateTemp(t.TempDir(), "") // not a terminal
		if err != nil {
			t.Fatal(err)
		}
		got := ScreenOf(f, test.terminal)
		if (got.Out != nil) != test.terminal || got.Width != test.want.Width || got.Bold != test.want.Bold {
			t.Errorf("%+v: %+v", test, got)
		}
		_ = f.Close()
	}
}
