package revision

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestReadEntries(t *testing.T) {
	const blob = "100644 blob 0123 7\ta b.go\x00"
	for text, want := range map[string]string{
		"":   "[]",
		blob: "[{100644 0123 a b.go  7}]",
		blob + "160000 commit 4567 -\tsub\x00" + blob: "[{100644 0123 a b.go  7} {100644 0123 a b.go  7}]",
		"100644 blob 0123 7 a.go\x00":                 "read output of git ls-tree: \"100644 blob 0123 7 a.go\"",
		"100644 blob 0123 7":                          "read output of git ls-tree: \"100644 blob 0123 7\"",
		"100644 blob 0123\ta.go\x00":                  "read output of git ls-tree: \"100644 blob 0123\\ta.go\"",
		"100644 blob 0123 7 8\ta.go\x00":              "read output of git ls-tree: \"100644 blob 0123 7 8\\ta.go\"",
		"100644 blob 0123 x\ta.go\x00":                "read output of git ls-tree: strconv.ParseInt: parsing \"x\": invalid syntax",
	} {
		all, err := readEntries([]byte(text))
		got := fmt.Sprint(all)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestReceive covers replies of git that do not match the requests, and names that cannot exist
// together.
func TestReceive(t *testing.T) {
	file := func(name string) entry { return entry{mode: "100644", name: name, size: 2} }
	linked := func(name string) entry { return entry{mode: linkMode, name: name, size: 2} }
	const good = "0123 blob 2\nxy\n"
	for _, c := range []struct {
		wanted []entry
		answer string
		want   string // part of the error
	}{
		{nil, "", ""},
		{[]entry{file("a"), file("b/c")}, good + good, ""},
		{[]entry{file("a")}, "", `git cat-file answers "" for a`},
		{[]entry{file("a")}, "0123 missing\n", `git cat-file answers "0123 missing" for a`},
		{[]entry{file("a")}, "0123 tree 2\nxy\n", `git cat-file answers "0123 tree 2" for a`},
		{[]entry{file("a")}, "0123 blob 3\nxyz\n", `git cat-file answers "0123 blob 3" for a`},
		{[]entry{file("a")}, "0123 blob 2 4\nxy\n", `git cat-file answers "0123 blob 2 4" for a`},
		{[]entry{file("a")}, "0123 blob 2\nxy", "unexpected EOF"},
		{[]entry{file("a"), file("b")}, good, `git cat-file answers "" for b`},
		{[]entry{file("a"), file("a/b")}, good + good, "a"},
		{[]entry{file("a"), linked("a")}, good + good, "a"},
		{[]entry{file("a"), linked("a/b")}, good + good, "a"},
		{[]entry{linked("a"), linked("b")}, "0123 blob 2\n..\n0123 blob 2\na/\n", ""},
	} {
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		err = new(Tree).receive(bufio.NewReader(strings.NewReader(c.answer)), root, c.wanted)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q for %v: %v, want %s", c.answer, c.wanted, err, c.want)
		}
		for _, e := range c.wanted {
			if _, err := os.Lstat(dir + "/" + e.name); e.mode == linkMode && c.want == "" && !os.IsNotExist(err) {
				t.Errorf("the link %s is there: %v", e.name, err)
			}
		}
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	}
}
