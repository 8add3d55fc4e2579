package mcptest

import (
	"strings"
	"testing"
)

func TestLineDiff(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a", "a", ""},
		{"a\nb\nc", "a\nx\nc", "@@ line 1 @@\n a\n-b\n+x\n c\n"},
		{"a\nb", "a\nb\nc", "@@ line 1 @@\n a\n b\n+c\n"},
		{"a\nb\nc\nd", "b\nc\nx\nd", "@@ line 1 @@\n-a\n b\n c\n+x\n d\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9", "0\n2\n3\n4\n5\n6\n7\n8\n0", "@@ line 1 @@\n-1\n+0\n 2\n 3\n 4\n@@ line 6 @@\n 6\n 7\n 8\n-9\n+0\n"},
	} {
		if got := lineDiff(c.before, c.after); got != c.want {
			t.Errorf("%q, %q: got\n%swant\n%s", c.before, c.after, got, c.want)
		}
	}
	long := strings.Repeat("a\nb\n", 5000)
	other := strings.Repeat("c\nd\n", 5000)
	if got := lineDiff(long, other); !strings.HasSuffix(got, "… and more\n") || strings.Count(got, "\n") > diffLines+2 {
		t.Errorf("a long difference has %d lines", strings.Count(got, "\n"))
	}
}
