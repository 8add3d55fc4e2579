package skills_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/generator/internal/skills"
)

const head = "---\nname: refunds\ndescription: Handles refunds.\n---\n"

// read reads the skills in some files.
func read(root string, files map[string]string) (*skills.Tree, []skills.Problem) {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return skills.Read(fsys, slices.Sorted(maps.Keys(files)), root)
}

// TestRead reads a tree with a skill inside of a skill.
func TestRead(t *testing.T) {
	tree, problems := read("skills", map[string]string{
		"skills/acme/refunds/SKILL.md":            head + "Call `find_order`, then read [the rules](references/rules.md) and `references/rules.md`.\n",
		"skills/acme/refunds/references/rules.md": "# Rules\n\nThe tool `mcp__shop__send_mail` and `a_b`.\n```\n`not_this`\n```\n",
		"skills/acme/refunds/late/SKILL.md":       "---\nname: late\ndescription: Handles late ones.\nmetadata:\n  version: \"1\"\n---\n",
	})
	if len(problems) > 0 {
		t.Fatalf("%+v", problems)
	}
	var got []string
	for _, s := range tree.Skills {
		got = append(got, fmt.Sprintf("%s %s %s", s.Path, s.Name, s.Frontmatter))
		for _, f := range s.Files {
			got = append(got, fmt.Sprintf("  %s %d %.10s", f.Path, f.Size, f.Digest))
		}
	}
	for _, n := range tree.Names {
		got = append(got, fmt.Sprintf("%s:%d:%d %s %q %v", n.File, n.Line, n.Column, n.Name, n.Server, n.Called))
	}
	want := []string{
		`acme/refunds refunds {"name":"refunds","description":"Handles refunds."}`,
		"  SKILL.md 141 sha256:d09", "  late/SKILL.md 76 sha256:46e", "  references/rules.md 71 sha256:f1a",
		`acme/refunds/late late {"name":"late","description":"Handles late ones.","metadata":{"version":"1"}}`,
		"  SKILL.md 76 sha256:46e",
		`skills/acme/refunds/SKILL.md:5:7 find_order "" true`,
		`skills/acme/refunds/references/rules.md:3:11 send_mail "shop" true`, `skills/acme/refunds/references/rules.md:3:38 a_b "" false`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// TestRoot begins the tree above the outermost skill.
func TestRoot(t *testing.T) {
	files := map[string]string{"a/refunds/SKILL.md": head, "a/refunds/x/y.md": "y"}
	for root, want := range map[string]string{"a": "a refunds", ".": ". a/refunds", "a/refunds": "a refunds", "a/refunds/x": "a refunds"} {
		tree, _ := read(root, files)
		if got := tree.Root + " " + tree.Skills[0].Path; got != want {
			t.Errorf("%s: %s, want %s", root, got, want)
		}
	}
}

// TestProblems finds every fault of a tree at its place.
func TestProblems(t *testing.T) {
	const main = "skills/refunds/SKILL.md"
	long := strings.Repeat("x", 1025)
	for _, test := range []struct {
		files string // "PATH" of a file with the text, default main
		text  string
		want  string
	}{
		{"", "# Title\n", main + ":1:1: the file does not begin with frontmatter"},
		{"", "---\nname: refunds\n---\n", main + ":1:1: the frontmatter has no description"},
		{"", "---\ndescription: x\nname: Refunds\n---\n", main + `:3:1: the name "Refunds" of a skill must consist of lower-case letters, digits and hyphens`},
		{"", "---\nname: other\ndescription: x\n---\n", main + `:2:1: the name "other" in the frontmatter differs from "refunds", the last segment of the skill's path`},
		{"", "---\nname: refunds\ndescription: " + long + "\n---\n", main + ":3:1: description in the frontmatter has 1025 characters; at most 1024 are allowed"},
		{"", "---\nname: refunds\ndescription: x\nmetadata:\n  version: 1\n---\n", main + ":4:1: metadata in the frontmatter must be an object whose values are texts"},
		{"", "---\nname: refunds\ndescription: x\nmetadata:\n  version: 1.0.0\n  day: 2026-01-02\n---\n", main + ":6:8: readers of YAML disagree whether 2026-01-02 is a date"},
		{"", "---\nname: refunds\ndescription: \"a\\u200bb\"\n---\n", main + ":1:1: an escape in the frontmatter is the hidden character U+200B, which a model reads"},
		{"", head + "a\u200bb\n", main + ":5:2: the line contains the hidden character U+200B, which a reviewer does not see and a model reads"},
		{"", head + "x \u202e y\n", main + ":5:3: the line contains the hidden character U+202E, which a reviewer does not see and a model reads"},
		{"x.py", "#\n# \U000E0041\n", "skills/refunds/x.py:2:3: the line contains the hidden character U+E0041, which a reviewer does not see and a model reads"},
		{"", "\ufeff" + head, main + ":1:1: the file begins with a byte order mark"},
		{"x.csv", "\ufeffa;b\n", ""},
		{"x.png", "\x89PNG\xff\x00\u200b", ""},
		{"", head + "\xff", main + ": the file is not text in UTF-8"},
		{"", head + "see [x](references/x.md)\n", main + ":5:9 skill-link: references/x.md leads to no file of the skill"},
		{"", head + "see ![x](<a b.png> \"t\") and [y](#there) and [z](https://example.com/a) [e](mailto:a@example.com)\n", main + ":5:10 skill-link: a b.png leads to no file of the skill"},
		{"", head + "[x]: gone.md\n", main + ":5:6 skill-link: gone.md leads to no file of the skill"},
		{"", head + "[x](../other/SKILL.md)\n", main + ":5:5 skill-link: ../other/SKILL.md leads out of the skill, and hosts read the files of the skill alone"},
		{"", head + "```\n[x](gone.md)\n```\n`[x](gone.md)` [x](SKILL.md) [y](.)\n", ""},
		{"scripts/a.py", "a", ""},
		{"", "---\r\nname: refunds\r\ndescription: x\r\n---\r\n", main + " skill-files: lines end with CR LF, so digests differ from those of a checkout with LF"},
		{"x.txt", "-----BEGIN RSA PRIVATE KEY-----\n", "skills/refunds/x.txt:1:1: the line contains a private key, which clients would get"},
		{"x.sh", "\nKEY=AKIA" + "Q3EGJZ7XN5VTPL2M\n", "skills/refunds/x.sh:2:5: the line contains an access key of AWS, which clients would get"},
		{"x.sh", "KEY=AKIAIOSFODNN7EXAMPLE sk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", ""},
		{"../README.md", "# Skills\n", "skills/README.md skill-files: the file belongs to no skill, so clients do not get it"},
		{"../other/skill.md", head, "skills/other/skill.md: the file makes no skill, since its name is not SKILL.md"},
		{`a\b.md`, "x", `skills/refunds/a\b.md: the path "refunds/a\\b.md" has a control character or a backslash`},
	} {
		files := map[string]string{main: head}
		name := main
		if test.files != "" {
			name = "skills/refunds/" + test.files
		}
		if rest, above := strings.CutPrefix(test.files, "../"); above {
			name = "skills/" + rest
		}
		files[name] = test.text
		_, problems := read("skills", files)
		var got []string
		for _, p := range problems {
			at := p.File
			if p.Line > 0 {
				at += fmt.Sprintf(":%d:%d", p.Line, p.Column)
			}
			if p.Rule != "" {
				at += " " + p.Rule
			}
			got = append(got, at+": "+p.Message)
			if p.Hint == "" {
				t.Errorf("%q: no hint for %s", test.text, p.Message)
			}
		}
		if all := strings.Join(got, "\n"); all != test.want {
			t.Errorf("%s %q:\n%s\nwant\n%s", test.files, test.text, all, test.want)
		}
	}
}

// TestCodePaths checks paths in code whose directory the skill has.
func TestCodePaths(t *testing.T) {
	_, problems := read("skills", map[string]string{
		"skills/refunds/SKILL.md":     head + "Run `python scripts/b.py --x`, `./scripts/a.py`, `scripts/`, `build/x.sh` and `scripts/*.py`.\n",
		"skills/refunds/scripts/a.py": "a",
	})
	if len(problems) != 1 || problems[0].Message != "scripts/b.py leads to no file of the skill" || problems[0].Column != 13 {
		t.Errorf("%+v", problems)
	}
}

// TestLimits refuses skills that hosts need not accept, nested ones included, without reading
// their files.
func TestLimits(t *testing.T) {
	files := fstest.MapFS{"s/a/SKILL.md": {Data: []byte("---\nname: a\ndescription: x\n---\n")}}
	names := []string{"s/a/SKILL.md"}
	for i := range 511 {
		name := fmt.Sprintf("s/a/b/%03d.txt", i)
		files[name] = &fstest.MapFile{Data: []byte("x")}
		names = append(names, name)
	}
	if tree, problems := skills.Read(files, names, "s"); len(problems) > 0 || len(tree.Skills[0].Files) != 512 {
		t.Errorf("512 files: %+v", problems)
	}
	files["s/a/z"] = &fstest.MapFile{Data: []byte("x")}
	if _, problems := skills.Read(files, append(names, "s/a/z"), "s"); len(problems) != 1 || problems[0].Message != "the skill has 513 files, and hosts accept 512" {
		t.Errorf("513 files: %+v", problems)
	}
	files["s/a/z"].Data = make([]byte, 16<<20)
	if _, problems := skills.Read(files, []string{"s/a/SKILL.md", "s/a/z"}, "s"); len(problems) != 1 || !strings.Contains(problems[0].Message, "and hosts accept 16777216 (16 MiB)") {
		t.Errorf("16 MiB and a SKILL.md: %+v", problems)
	}
}

// TestNoSkill reports files without a skill, and a skill without a directory.
func TestNoSkill(t *testing.T) {
	for name, want := range map[string]string{
		"skills/README.md": "no directory has a SKILL.md",
		"SKILL.md":         "the skill has no directory of its own, so it has no name",
	} {
		if tree, problems := read(".", map[string]string{name: head}); len(problems) != 1 || problems[0].Message != want || len(tree.Skills) > 0 {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}
