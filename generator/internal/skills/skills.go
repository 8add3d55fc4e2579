// Package skills reads trees of Agent Skills and checks them before they are published: the rules
// of the format and of the extension, and mistakes that only a reader of all files sees.
package skills

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/frontmatter"
	"github.com/mcpgen/mcpgen/internal/skill"
)

// Tree contains the skills of some files.
type Tree struct {
	Root   string // the directory that the paths of skills begin at
	Skills []*Skill
	// Outside are the files below Root that belong to no skill, which are not published.
	Outside []string
	// Names are names in the Markdown files of the skills that may be meant as tools.
	Names []Name
}

// Skill is a directory with a SKILL.md.
type Skill struct {
	Path        string // of the directory, below the root of the tree
	Name        string
	Description string
	Frontmatter []byte // as JSON
	Hash        string // SHA-256 of the frontmatter block, in hex
	Files       []*File
}

// File is a file of a skill or of a skill inside of it.
type File struct {
	Path   string // below the directory of the skill
	Digest string // sha256:HEX
	Size   int
}

// The rules by which problems can be ignored.
const (
	RuleLink  = "skill-link"  // a reference to a file that is not there
	RuleFiles = "skill-files" // a file that is published otherwise than it looks
)

// Problem is a fault of a tree.
type Problem struct {
	File    string // "" for the tree
	Line    int    // from 1; 0 for the whole file
	Column  int
	Skill   string // path of the skill, may be ""
	Rule    string // set for warnings
	Message string
	Hint    string
}

// Read reads the skills in some files, whose paths are sorted. The tree begins at root, or at the
// next directory above that contains all skills and is inside of none. The result is
// complete only if no problem is an error, which are those without a rule.
func Read(files fs.FS, names []string, root string) (*Tree, []Problem) {
	r := &reader{files: files, names: names, read: map[string]*file{}, tree: &Tree{Root: root}}
	r.directories()
	for _, dir := range r.dirs {
		r.skill(dir)
	}
	r.outside()
	slices.SortStableFunc(r.tree.Names, func(a, b Name) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return r.tree, slices.Compact(r.problems)
}

type reader struct {
	files    fs.FS
	names    []string
	dirs     []string // with a SKILL.md, sorted
	tree     *Tree
	read     map[string]*file // files that were read and checked
	problems []Problem
}

// file is the content of a file, as far as the skills that contain it need it.
type file struct {
	digest string
	size   int
	text   string // of a Markdown file
}

func (r *reader) add(p Problem) { r.problems = append(r.problems, p) }

// directories finds the skills and the root of the tree.
func (r *reader) directories() {
	for _, name := range r.names {
		switch base := path.Base(name); {
		case base == skill.File:
			r.dirs = append(r.dirs, path.Dir(name))
		case strings.EqualFold(base, skill.File):
			r.add(Problem{File: name, Message: "the file makes no skill, since its name is not " + skill.File, Hint: "rename it to " + skill.File})
		}
	}
	slices.Sort(r.dirs)
	if len(r.dirs) == 0 {
		r.add(Problem{Message: "no directory has a " + skill.File, Hint: "write skills/NAME/" + skill.File + ", and embed skills"})
		return
	}
	for _, dir := range r.dirs {
		if dir == "." {
			r.add(Problem{File: skill.File, Message: "the skill has no directory of its own, so it has no name", Hint: "move its files into a directory with the name of the skill"})
			r.dirs = nil
			return
		}
		// The first of the directories that contain the root is the outermost one.
		for _, is := below(r.tree.Root, dir); !is; _, is = below(r.tree.Root, dir) {
			r.tree.Root = path.Dir(r.tree.Root)
		}
	}
}

// below returns the path of a file below a directory, and whether it is there.
func below(dir, name string) (string, bool) {
	if dir == "." {
		return name, true
	}
	return strings.CutPrefix(name, dir+"/")
}

// skill reads the skill in a directory.
func (r *reader) skill(dir string) {
	rel, _ := below(r.tree.Root, dir)
	s := &Skill{Path: rel}
	main := path.Join(dir, skill.File)
	fail := func(line, column int, hint, format string, args ...any) {
		r.add(Problem{File: main, Line: line, Column: column, Skill: rel, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	size, names := r.sizes(dir)
	switch {
	case len(names) > skill.MaxFiles:
		fail(0, 0, "split the skill, or pack files together", "the skill has %d files, and hosts accept %d", len(names), skill.MaxFiles)
		return
	case size > skill.MaxBytes:
		fail(0, 0, "leave files out, or split the skill", "the files of the skill have %d bytes, and hosts accept %d (16 MiB)", size, skill.MaxBytes)
		return
	}
	for _, name := range names {
		f := r.file(name)
		if f == nil {
			return
		}
		rest, _ := below(dir, name)
		published, _ := below(r.tree.Root, name)
		if err := skill.CheckPath(published); err != nil {
			r.add(Problem{File: name, Skill: rel, Message: err.Error(), Hint: "rename it"})
		}
		s.Files = append(s.Files, &File{rest, f.digest, f.size})
	}
	text := r.file(main).text
	block, err := frontmatter.Parse([]byte(text))
	if e, ok := errors.AsType[*frontmatter.Error](err); ok {
		fail(e.Line, e.Column, e.Hint, "%s", e.Problem)
		return
	}
	r.frontmatter(s, dir, block)
	r.links(s, dir, text, names)
	r.tree.Skills = append(r.tree.Skills, s)
}

// sizes returns the files below a directory and the sum of their sizes, without reading them.
func (r *reader) sizes(dir string) (size int64, names []string) {
	for _, name := range r.names {
		if _, inside := below(dir, name); !inside {
			continue
		}
		names = append(names, name)
		if info, err := fs.Stat(r.files, name); err == nil {
			size += info.Size()
		}
	}
	return size, names
}

// remedies are the hints for fields of a frontmatter.
var remedies = []struct{ field, hint string }{
	{"description", "describe what the skill does and when to use it, in at most 1024 characters"},
	{"compatibility", "name what the skill needs, in at most 500 characters"},
	{"license", "write the name of the license, or of its file"},
	{"metadata", "write a mapping of names to texts, and quote numbers"},
	{"allowed-tools", "write the tools in one text, with spaces between them"},
	{"name", "write lower-case letters, digits and single hyphens, as the directory is called"},
}

// quoted matches the parts of a message that come from the file.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// frontmatter checks the fields that Agent Skills defines.
func (r *reader) frontmatter(s *Skill, dir string, block *frontmatter.Block) {
	s.Frontmatter, s.Hash = block.JSON, block.Hash
	fields, err := skill.ParseFrontmatter(block.JSON, path.Base(dir))
	if err != nil {
		p := Problem{File: path.Join(dir, skill.File), Line: 1, Column: 1, Skill: s.Path, Message: err.Error(), Hint: "see agentskills.io/specification"}
		words := quoted.ReplaceAllString(p.Message, "")
		for _, remedy := range remedies {
			if strings.Contains(words, remedy.field) {
				p.Line, p.Hint = block.Line(remedy.field), remedy.hint
				break
			}
		}
		r.add(p)
		return
	}
	s.Name, s.Description = fields.Name, fields.Description
	if c, found := hiddenIn(block.JSON); found {
		r.add(Problem{
			File: path.Join(dir, skill.File), Line: 1, Column: 1, Skill: s.Path,
			Message: fmt.Sprintf("an escape in the frontmatter is the hidden character %U, which a model reads", c), Hint: "delete it",
		})
	}
}

// outside finds the files that belong to no skill.
func (r *reader) outside() {
	for _, name := range r.names {
		inside := slices.ContainsFunc(r.dirs, func(dir string) bool {
			_, is := below(dir, name)
			return is
		})
		if !inside && !strings.EqualFold(path.Base(name), skill.File) {
			r.tree.Outside = append(r.tree.Outside, name)
		}
	}
	if n := len(r.tree.Outside); n > 0 && len(r.dirs) > 0 {
		p := Problem{File: r.tree.Outside[0], Rule: RuleFiles, Message: "the file belongs to no skill, so clients do not get it", Hint: "move it into a skill, or embed the skills alone"}
		if n > 1 {
			p.Message = fmt.Sprintf("the file and %d more belong to no skill, so clients do not get them", n-1)
		}
		r.add(p)
	}
}
