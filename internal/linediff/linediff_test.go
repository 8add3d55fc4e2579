package linediff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// side returns the lines that edits keep of a text.
func side(edits []Edit, kind byte) string {
	var out []string
	for _, e := range edits {
		if e.Kind == ' ' || e.Kind == kind {
			out = append(out, e.Text)
		}
	}
	return strings.Join(out, "\n")
}

// Edits have both texts, whatever these are, and few of them are changes.
func TestEdits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		a := make([]string, r.IntN(30))
		for i := range a {
			a[i] = fmt.Sprint(r.IntN(1 + n/10))
		}
		b := append([]string(nil), a...)
		for range r.IntN(5) {
			if at := r.IntN(len(b) + 1); at < len(b) && r.IntN(2) == 0 {
				b = append(b[:at:at], b[at+1:]...)
			} else {
				b = append(b[:at:at], append([]string{fmt.Sprint("new", r.IntN(3))}, b[at:]...)...)
			}
		}
		for name, f := range map[string]func(a, b []string) []Edit{"Edits": Edits, "anchors": betweenAnchors} {
			edits := f(a, b)
			if side(edits, '-') != strings.Join(a, "\n") || side(edits, '+') != strings.Join(b, "\n") {
				t.Fatalf("%s of %q and %q: %v", name, a, b, edits)
			}
		}
	}
	// Long texts are compared between the lines that occur once.
	long := make([]string, 6000)
	for i := range long {
		long[i] = fmt.Sprint("line ", i)
	}
	changed := append([]string{"first"}, long...)
	changed[3000] = "changed"
	changed = append(changed, "last")
	changes := 0
	for _, e := range Edits(long, changed) {
		if e.Kind != ' ' {
			changes++
		}
	}
	if changes != 4 {
		t.Errorf("%d changes of long texts", changes)
	}
}

func TestUnified(t *testing.T) {
	numbered := func(changed map[int]string) string {
		var b strings.Builder
		for i := 1; i <= 20; i++ {
			line, ok := changed[i]
			if !ok {
				line = fmt.Sprintf("line %d\n", i)
			}
			b.WriteString(line)
		}
		return b.String()
	}
	for name, test := range map[string]struct{ before, after, want string }{
		"alike":   {"a\n", "a\n", ""},
		"new":     {"", "a\nb\n", "diff old new\n--- old\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		"deleted": {"a\n", "", "diff old new\n--- old\n+++ new\n@@ -1,1 +0,0 @@\n-a\n"},
		"one end": {"a\nb", "a\nb\n", "diff old new\n--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		"context": {
			numbered(nil), numbered(map[int]string{10: "ten\n"}),
			"diff old new\n--- old\n+++ new\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+ten\n line 11\n line 12\n line 13\n",
		},
		"two parts": {
			numbered(nil), numbered(map[int]string{2: "", 19: "line 19\nmore\n"}),
			"diff old new\n--- old\n+++ new\n@@ -1,5 +1,4 @@\n line 1\n-line 2\n line 3\n line 4\n line 5\n" +
				"@@ -17,4 +16,5 @@\n line 17\n line 18\n line 19\n+more\n line 20\n",
		},
		"near each other": {
			numbered(nil), numbered(map[int]string{5: "five\n", 12: "twelve\n"}),
			"diff old new\n--- old\n+++ new\n@@ -2,14 +2,14 @@\n line 2\n line 3\n line 4\n-line 5\n+five\n line 6\n line 7\n line 8\n line 9\n line 10\n line 11\n-line 12\n+twelve\n line 13\n line 14\n line 15\n",
		},
	} {
		if got := string(Unified("old", []byte(test.before), "new", []byte(test.after))); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}
