package mcpskill_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// segments are names of files and directories, valid and not.
var segments = []string{
	"a", "b", "one", "two-2", "SKILL.md", "SKILL.md", "skill.md", "x.txt", "pic.png", "é", "日本", "a b", "100%", "%41", "q?", "h#", "*", "a:b",
	"UP", "-x", "x--y", ".hidden", "_u", "[z]", "a+b", "a&b", "tab\t", "nul\x00", `back\slash`, "\xff", strings.Repeat("n", 65), "con.", "'", `"`,
}

// randomTree returns a file system of up to 12 files.
func randomTree(r *rand.Rand) fstest.MapFS {
	fsys := fstest.MapFS{}
	for range r.IntN(12) {
		var parts []string
		for range 1 + r.IntN(4) {
			parts = append(parts, segments[r.IntN(len(segments))])
		}
		name := path.Join(parts...)
		content := []string{"", "text", "\x00\xff", "---\n", "\ufefftext", strings.Repeat("long ", 1000)}[r.IntN(6)]
		if path.Base(name) == skill.File {
			content = text(path.Base(path.Dir(name)))
			if r.IntN(8) == 0 {
				content = []string{"", "# none", "---\nname: x\n", "--- \r\nname: x\r\n---", "\ufeff" + content}[r.IntN(5)]
			}
		}
		mode := fs.FileMode(0o644)
		if r.IntN(60) == 0 {
			mode = fs.ModeSymlink | 0o777
		}
		fsys[name] = &fstest.MapFile{Data: []byte(content), Mode: mode}
	}
	return fsys
}

// blocksOf are the blocks that a generator would write.
func blocksOf(fsys fstest.MapFS) (blocks []mcpskill.Block) {
	for name, f := range fsys {
		if path.Base(name) != skill.File {
			continue
		}
		if b, ok := skill.Block(f.Data); ok {
			frontmatter, err := json.Marshal(map[string]string{"name": path.Base(path.Dir(name)), "description": "Does it."})
			if err != nil {
				panic(err)
			}
			blocks = append(blocks, mcpskill.Block{Path: path.Dir(name), Frontmatter: string(frontmatter), Hash: skill.Hash(b)})
		}
	}
	return blocks
}

// A tree of files is refused with a reason, or becomes skills whose manifests are complete, and
// agree with reads and with directories.
func FuzzTree(f *testing.F) {
	for seed := range uint64(400) {
		f.Add(seed)
	}
	served, refused := 0, 0
	f.Fuzz(func(t *testing.T, seed uint64) {
		fsys := randomTree(rand.New(rand.NewPCG(seed, 1)))
		features, problem := treeOf(t, &mcpskill.TreeInfo{URI: "skill://acme/", Blocks: blocksOf(fsys)}, fsys)
		if problem != "" {
			if !strings.HasPrefix(problem, "mcpskill: skills skill://acme/") {
				t.Errorf("panic: %s", problem)
			}
			refused++
			return
		}
		if len(features) > 0 {
			served++
			proveTree(t, fsys, connect(t, server(features)))
		}
	})
	if f.Failed() || served+refused < 400 { // a worker of -fuzz runs some of them
		return
	}
	if served < 50 || refused < 50 {
		f.Errorf("%d trees are served and %d refused: too few of a kind", served, refused)
	}
}

func treeOf(t *testing.T, info *mcpskill.TreeInfo, fsys fs.FS) (features []mcp.Feature, problem string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			problem = fmt.Sprint(p)
		}
	}()
	return mcpskill.Tree(info, fsys), ""
}

// proveTree compares the skills of a server with the files.
func proveTree(t *testing.T, fsys fstest.MapFS, c *mcptest.Client) {
	t.Helper()
	spec.Holds(t, "S364", "S365", "S366", "S374")
	list, _ := call(t, c, "skills/list", nil)
	want := map[string][]byte{} // by URI, of files in skills
	dirs := map[string]bool{}
	for name := range fsys {
		if path.Base(name) == skill.File {
			dirs[path.Dir(name)] = true
		}
	}
	if len(list.Skills) != len(dirs) {
		t.Fatalf("%d skills, want %d", len(list.Skills), len(dirs))
	}
	for name, f := range fsys {
		for dir := range dirs {
			if strings.HasPrefix(name, dir+"/") {
				want[skill.FileURI("skill://acme", name)] = f.Data
			}
		}
	}
	manifests := map[string]bool{}
	for _, e := range list.Skills {
		for _, uri := range verify(t, c, e.Resources) {
			manifests[uri] = true
			if !strings.HasPrefix(uri, strings.TrimSuffix(e.URI, skill.File)) {
				t.Errorf("%s is not in the directory of %s", uri, e.URI)
			}
		}
		got, code := call(t, c, "skills/get", map[string]any{"uri": e.URI})
		if code != 0 || string(got.Skill.Resources) != string(e.Resources) {
			t.Errorf("skills/get %s: code %d, %s", e.URI, code, got.Skill.Resources)
		}
	}
	walked := map[string]bool{}
	walk(t, c, "skill://acme", walked)
	for _, have := range []map[string]bool{manifests, walked} {
		if got, all := slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, all) {
			t.Errorf("files %q, want %q", got, all)
		}
	}
	for uri, data := range want {
		r := c.Read(uri)
		if got := r.Text() + string(r.Blob()); got != string(data) {
			t.Errorf("%s is %q, want %q", uri, got, data)
		}
	}
}

// walk collects the files below a directory.
func walk(t *testing.T, c *mcptest.Client, uri string, files map[string]bool) {
	t.Helper()
	got, code := call(t, c, "resources/directory/read", map[string]any{"uri": uri})
	if code != 0 || got.ResultType != "complete" || len(got.Resources) == 0 {
		t.Fatalf("%s: code %d, %+v", uri, code, got)
	}
	for _, r := range got.Resources {
		if r.MIMEType == "inode/directory" {
			walk(t, c, r.URI, files)
			continue
		}
		if files[r.URI] {
			t.Errorf("%s is in two directories", r.URI)
		}
		files[r.URI] = true
	}
}
