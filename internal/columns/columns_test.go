package columns

import (
	"strings"
	"testing"
)

func TestRow(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("words and ", 20))
	for _, test := range []struct {
		head   string
		column int
		text   string
		want   string
	}{
		{"  a", 6, "text", "  a   text\n"},
		{"  abc", 6, "text", "  abc\n      text\n"}, // one space would not show a column
		{"  abcdef", 6, "text", "  abcdef\n      text\n"},
		{"  a", 6, "", "  a\n"},
		{"", 2, "text", "  text\n"},
		{"  é", 6, "x", "  é   x\n"},
		{"", 4, strings.Repeat("x", 90) + " y", "    " + strings.Repeat("x", 90) + "\n    y\n"},
	} {
		if got := Row(test.head, test.column, test.text); got != test.want {
			t.Errorf("%q: %q, want %q", test.head, got, test.want)
		}
	}
	got := Row("  head", 10, long)
	for line := range strings.Lines(got) {
		if len(line) > Width+1 || len(line) < 60 && !strings.HasSuffix(got, line) {
			t.Errorf("%q", line)
		}
	}
	if joined := strings.Join(strings.Fields(got), " "); joined != "head "+long {
		t.Errorf("the words are %q", joined)
	}
}
