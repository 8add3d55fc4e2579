// Package skillexport writes skills of servers into a directory in which hosts look for skills:
// each verified, whole or not at all, and none over what is there.
package skillexport

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/internal/skillentry"
)

// Options says where skills come from and go to.
type Options struct {
	Dir    string // is made if it is missing
	Server string // how the user knows the server; recorded in the lock files
	// KeepTools keeps the fields by which skills ask for tools.
	KeepTools bool
	Now       time.Time
}

// Plan is a set of skills to be written.
type Plan struct {
	Skills []*Skill

	options Options
}

// Skill is a skill of a plan.
type Skill struct {
	*skillentry.Entry
	// Unchanged is set if the directory has the skill already, in this state: it is not written.
	Unchanged bool
	// Dropped are the fields that are left out, by the path of the file: those of SKILL.md from the
	// beginning, those of skills within after Plan.Write.
	Dropped map[string][]string
}

// ConflictError describes a skill that cannot be written.
type ConflictError struct {
	Skill   string // its name
	Problem string
	Hint    string
}

// Error names the skill and the problem.
func (e *ConflictError) Error() string { return fmt.Sprintf("skill %s: %s", e.Skill, e.Problem) }

// NewPlan compares skills with the directory. It writes nothing. The error is a *[ConflictError]
// for a skill without digests, two skills of one name, and a directory that has something else.
func NewPlan(o Options, entries []*skillentry.Entry) (*Plan, error) {
	p := &Plan{options: o}
	byName := map[string]*skillentry.Entry{}
	for _, e := range entries {
		if e.Dynamic {
			return nil, &ConflictError{e.Name, "the server generates its content, so that nothing shows whether a file is complete", "a host that knows the extension can load it from the server"}
		}
		if other := byName[e.Name]; other != nil {
			return nil, &ConflictError{e.Name, fmt.Sprintf("%s and %s have this name, and would be the same directory", other.URI, e.URI),
				"export each into a directory of its own: -skill URI"}
		}
		byName[e.Name] = e
		for _, f := range e.Files {
			if isGit(f.Path) {
				return nil, &ConflictError{e.Name, fmt.Sprintf("its file %q would be settings of git", f.Path), "no export writes such a file; ask the author of the server to leave it out"}
			}
		}
		s := &Skill{Entry: e, Dropped: map[string][]string{}}
		if err := p.compare(s); err != nil {
			return nil, err
		}
		if names := dropped(e.Fields(), o.KeepTools); len(names) > 0 {
			s.Dropped[skill.File] = names
		}
		p.Skills = append(p.Skills, s)
	}
	return p, nil
}

// isGit reports whether a path has a part that git takes for a repository.
func isGit(file string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(file), "/"), func(part string) bool {
		part = strings.TrimRight(part, ". ")
		return part == ".git" || strings.HasPrefix(part, "git~")
	})
}

// Changes reports whether a plan has anything to write.
func (p *Plan) Changes() bool {
	return slices.ContainsFunc(p.Skills, func(s *Skill) bool { return !s.Unchanged })
}

// Size returns the bytes of all files of a skill.
func (s *Skill) Size() (n int64) {
	for _, f := range s.Files {
		n += f.Size
	}
	return n
}

// Within returns the directories of the skills within the directory of a skill, which hosts may
// load too.
func (s *Skill) Within() (dirs []string) {
	for _, f := range s.Files {
		if dir, base := path.Split(f.Path); dir != "" && strings.EqualFold(base, skill.File) {
			dirs = append(dirs, strings.TrimSuffix(dir, "/"))
		}
	}
	return dirs
}

// scripts are the endings of files that interpreters run.
var scripts = []string{
	".bash", ".bat", ".cjs", ".cmd", ".command", ".exe", ".fish", ".js", ".jsx", ".ksh", ".lua", ".mjs", ".php", ".pl", ".ps1", ".psm1", ".py", ".pyw",
	".rb", ".sh", ".ts", ".tsx", ".vbs", ".zsh",
}

// IsScript reports whether a file looks like a program, by its name: its content is not known
// before the user agrees.
func IsScript(file string) bool {
	return slices.Contains(strings.Split(path.Dir(file), "/"), "scripts") || slices.Contains(strings.Split(path.Dir(file), "/"), "bin") ||
		slices.Contains(scripts, strings.ToLower(path.Ext(file)))
}

// fields of frontmatter that give rights: to use tools, and to run programs. The spellings are
// those that any host reads, without hyphens.
var (
	toolFields = []string{"allowedtools"}
	hookFields = []string{"hooks"}
)

// dropped returns the names of the fields to leave out. Hooks are programs that a host runs by
// itself, and are never written.
func dropped(names []string, keepTools bool) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !drops(name, keepTools) })
}

func drops(name string, keepTools bool) bool {
	plain := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
	return slices.Contains(hookFields, plain) || !keepTools && slices.Contains(toolFields, plain)
}

// compare finds out whether the directory has the skill.
func (p *Plan) compare(s *Skill) error {
	dir := filepath.Join(p.options.Dir, s.Name)
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	elsewhere := "name another directory, or remove " + dir
	record, err := readLock(p.lockFile(s.Name))
	switch {
	case !info.IsDir():
		return &ConflictError{s.Name, dir + " is not a directory", elsewhere}
	case errors.Is(err, fs.ErrNotExist):
		return &ConflictError{s.Name, dir + " is there, and was not written by this command", elsewhere}
	case err != nil:
		return &ConflictError{s.Name, fmt.Sprintf("%s cannot be read: %v", p.lockFile(s.Name), err), elsewhere}
	case record.Server != p.options.Server || record.URI != s.URI:
		return &ConflictError{s.Name, fmt.Sprintf("%s is the skill %s of the server %s", dir, record.URI, record.Server), elsewhere}
	}
	if here := record.changedFiles(dir); len(here) > 0 {
		return &ConflictError{s.Name, "files in " + dir + " were changed since they were written: " + strings.Join(here, ", "), elsewhere}
	}
	if there := record.changedEntry(s.Entry); len(there) > 0 {
		return &ConflictError{s.Name, "the server has changed it: " + strings.Join(there, ", "), "to take the new one, remove " + dir + " and export it again"}
	}
	if record.KeepsTools != p.options.KeepTools && len(dropped(s.Fields(), false)) > len(dropped(s.Fields(), true)) {
		problem := dir + " was written with the tools that it asks for"
		if p.options.KeepTools {
			problem = dir + " was written without the tools that it asks for"
		}
		return &ConflictError{s.Name, problem, "to change that, remove " + dir + " and export it again"}
	}
	s.Unchanged = true
	return nil
}
