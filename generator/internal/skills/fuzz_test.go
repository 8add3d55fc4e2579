package skills_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/generator/internal/skills"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// FuzzTree checks that a tree of files has a problem at a place of it, or is a tree that a server
// registers and serves: each skill with its frontmatter and its files. A text is a tree: files are
// divided by lines that begin with @, the name of the next file.
func FuzzTree(f *testing.F) {
	const one = "@skills/a/SKILL.md\n---\nname: a\ndescription: x\n---\n"
	for _, tree := range []string{
		one, one + "text\n@skills/a/b/SKILL.md\n---\nname: b\ndescription: y\n---\n@skills/a/b/c.txt\nc\n", one + "@skills/README.md\n",
		"@a/SKILL.md\n---\nname: b\n---\n", one + "@skills/a/x y/é.bin\n\x00\xff\n", one + "[x](gone.md) `some_tool`\n@skills/a/.h\nh\n", "@SKILL.md\n", "",
		one + "@skills/x.d/e f/skill-2/SKILL.md\n---\nname: skill-2\ndescription: |-\n  x\nmetadata: {a: \"1\"}\n---\n",
	} {
		f.Add(tree)
	}
	f.Fuzz(func(t *testing.T, text string) {
		files := fstest.MapFS{}
		name := ""
		for line := range strings.Lines(text) {
			if next, ok := strings.CutPrefix(line, "@"); ok {
				if name = path.Clean(strings.TrimSuffix(next, "\n")); !fs.ValidPath(name) || name == "." {
					return
				}
				files[name] = &fstest.MapFile{}
			} else if name != "" {
				files[name].Data = append(files[name].Data, line...)
			}
		}
		var names []string
		for name := range files {
			for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
				if files[dir] != nil {
					return // a file is no directory
				}
			}
			names = append(names, name)
		}
		slices.Sort(names)
		tree, problems := skills.Read(files, names, "skills")
		refused := false
		for _, p := range problems {
			if p.Message == "" || p.Hint == "" || p.File != "" && files[p.File] == nil || p.Line > strings.Count(string(data(files, p.File)), "\n")+1 {
				t.Fatalf("%q: %+v", text, p)
			}
			refused = refused || p.Rule == ""
		}
		if refused {
			return
		}
		served(t, files, tree)
	})
}

func data(files fstest.MapFS, name string) []byte {
	if f := files[name]; f != nil {
		return f.Data
	}
	return nil
}

// served registers a tree as generated code does, and compares what a client gets.
func served(t *testing.T, files fstest.MapFS, tree *skills.Tree) {
	info := &mcpskill.TreeInfo{URI: "skill://acme/", Root: tree.Root}
	for _, s := range tree.Skills {
		info.Blocks = append(info.Blocks, mcpskill.Block{Path: s.Path, Frontmatter: string(s.Frontmatter), Hash: s.Hash})
	}
	s := mcp.NewServer(mcp.ServerInfo{Name: "test", Version: "1"})
	for _, f := range mcpskill.Tree(info, files) {
		s.Register(f)
	}
	c := mcptest.New(t, s, mcptest.Options{})
	defer c.Close()
	raw, err := c.Request("skills/list", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Skills []struct {
			URI         string
			Frontmatter json.RawMessage
			Resources   []struct {
				URI, Digest string
				Size        int
			}
		}
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, one := range list.Skills {
		got = append(got, string(one.Frontmatter))
		for _, r := range one.Resources {
			got = append(got, fmt.Sprintf("%s %d", r.Digest, r.Size))
			if c.Read(r.URI).Contents == nil {
				t.Errorf("%s cannot be read", r.URI)
			}
		}
	}
	for _, one := range tree.Skills {
		want = append(want, string(one.Frontmatter))
		for _, f := range one.Files {
			want = append(want, fmt.Sprintf("%s %d", f.Digest, f.Size))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("a client gets %q, want %q", got, want)
	}
}
