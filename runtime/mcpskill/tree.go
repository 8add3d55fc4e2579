package mcpskill

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Block is the frontmatter block of one SKILL.md, as the generator has read it.
type Block struct {
	Path        string // of the skill's directory below the root; "." for the root itself
	Frontmatter string // as a JSON object
	// Hash is the SHA-256 of the block, in hexadecimal digits: of the bytes from the first line ---
	// through the next line --- with its line end.
	Hash string
}

// TreeInfo describes the skills of a directory.
type TreeInfo struct {
	URI    string // what the URIs of the skills begin with, such as skill://acme/
	Root   string // the directory in the file system; "" or "." for all of it
	Groups []string
	Scopes []string
	Tools  []string // as in [Info]
	Symbol string
	Blocks []Block // one for each SKILL.md
}

// Tree returns a skill for each directory with a SKILL.md, sorted by path. Generated code calls it.
// A skill in the directory of another one is a skill of its own, and its files are in the manifest
// of the other one too; a server that leaves it out leaves out both. Files outside of all skills
// are not published.
//
// Tree panics in the cases of [New], and if the blocks are not those of the files: the hash of a
// block differs, a SKILL.md has no block, or a block no SKILL.md. Other changes of files need no
// new blocks.
func Tree(info *TreeInfo, files fs.FS) []mcp.Feature {
	features, err := tree(info, files)
	if err != nil {
		panic(fmt.Sprintf("mcpskill: skills %s (%s): %v", info.URI, info.Symbol, err))
	}
	return features
}

func tree(info *TreeInfo, files fs.FS) ([]mcp.Feature, error) {
	if err := skill.CheckPrefix(info.URI); err != nil {
		return nil, err
	}
	if root := path.Clean("./" + info.Root); root != "." {
		var err error
		if files, err = fs.Sub(files, root); err != nil {
			return nil, err
		}
	}
	blocks := map[string]*Block{}
	for i := range info.Blocks {
		blocks[path.Clean("./"+info.Blocks[i].Path)] = &info.Blocks[i]
	}
	from := newSource(files)
	dirs, err := skills(from)
	if err != nil {
		return nil, err
	}
	for dir := range blocks {
		if !slices.Contains(dirs, dir) {
			return nil, stale("%s has no %s any more", dir, skill.File)
		}
	}
	var features []mcp.Feature
	for _, dir := range dirs {
		b := blocks[dir]
		if b == nil {
			return nil, stale("%s is new", path.Join(dir, skill.File))
		}
		one := Info{
			URI: strings.TrimSuffix(info.URI, "/"), Frontmatter: json.RawMessage(b.Frontmatter),
			Groups: info.Groups, Scopes: info.Scopes, Tools: info.Tools, Symbol: info.Symbol,
		}
		if dir != "." {
			one.URI = skill.FileURI(info.URI, dir)
		}
		f, err := treeSkill(one, b, from, dir, dirs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		features = append(features, f)
	}
	return features, nil
}

func stale(format string, args ...any) error {
	return fmt.Errorf("%s since the code was generated: run go generate", fmt.Sprintf(format, args...))
}

// skills returns the directories with a SKILL.md, sorted by path.
func skills(files fs.FS) (dirs []string, err error) {
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Base(name) == skill.File {
			dirs = append(dirs, path.Dir(name))
		}
		return err
	})
	slices.Sort(dirs)
	return dirs, err
}

// treeSkill returns the skill of one directory.
func treeSkill(info Info, b *Block, from *source, dir string, dirs []string) (mcp.Feature, error) {
	all, err := from.load(dir)
	if err != nil {
		return nil, err
	}
	if err := all.check(dir); err != nil {
		return nil, err
	}
	block, _ := skill.Block([]byte(all.find(path.Join(dir, skill.File)).text))
	if skill.Hash(block) != b.Hash {
		return nil, stale("the frontmatter of %s has changed", skill.File)
	}
	front, err := describe(info)
	if err != nil {
		return nil, err
	}
	var nested []string
	for _, d := range dirs {
		inner := d != dir && (dir == "." || strings.HasPrefix(d, dir+"/"))
		if inner && !slices.ContainsFunc(nested, func(n string) bool { return strings.HasPrefix(d, n+"/") }) {
			nested = append(nested, d)
		}
	}
	return feature(info, front, all, dir, nested), nil
}
