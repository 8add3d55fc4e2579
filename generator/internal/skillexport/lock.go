package skillexport

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/internal/regularfile"
	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/internal/skillentry"
)

// lock is the origin of a skill: the file beside its directory.
type lock struct {
	Version    int        `json:"version"`
	Server     string     `json:"server"`
	URI        string     `json:"uri"`
	Date       time.Time  `json:"date"`
	KeepsTools bool       `json:"keepsAllowedTools"`
	Files      []lockFile `json:"files"`
}

// lockFile is a file of the skill.
type lockFile struct {
	Path   string `json:"path"`
	Digest string `json:"digest"` // as the server publishes it
	Size   int64  `json:"size"`
	// Written is the digest of the written file, if fields of its frontmatter were left out.
	Written string   `json:"written,omitempty"`
	Dropped []string `json:"dropped,omitempty"`
}

const (
	lockVersion = 1
	maxLock     = 8 << 20
)

// lockFile returns the path of the lock file of a skill. No skill has a dot in its name.
func (p *Plan) lockFile(name string) string {
	return filepath.Join(p.options.Dir, name+".lock.json")
}

func readLock(file string) (*lock, error) {
	data, err := regularfile.ReadWithin(file, maxLock)
	if err != nil {
		return nil, err
	}
	l := &lock{}
	if err := json.Unmarshal(data, l); err != nil {
		return nil, err
	}
	if l.Version != lockVersion {
		return nil, fmt.Errorf("version %d is unknown: a newer mcpgen has written it", l.Version)
	}
	return l, nil
}

// changedFiles returns the paths of the files of a directory that differ from those that were
// written, with their difference.
func (l *lock) changedFiles(dir string) (changed []string) {
	want := map[string]string{}
	for _, f := range l.Files {
		want[f.Path] = f.Digest
		if f.Written != "" {
			want[f.Path] = f.Written
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return []string{err.Error()}
	}
	defer func() { _ = root.Close() }() // files were only opened below it
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case len(changed) > mostShown:
			return fs.SkipAll
		}
		digest, listed := want[name]
		delete(want, name)
		switch {
		case !listed:
			changed = append(changed, name+" is new")
		case !d.Type().IsRegular() || digestIn(root, name) != digest:
			changed = append(changed, name)
		}
		return nil
	})
	if err != nil {
		return append(changed, err.Error())
	}
	for name := range want {
		changed = append(changed, name+" is missing")
	}
	return shown(changed)
}

// digestIn returns the digest of a file, or "" for one that cannot be read or is too large.
func digestIn(root *os.Root, name string) string {
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, skill.MaxBytes+1))
	if err != nil {
		return ""
	}
	return skill.Digest(data)
}

// changedEntry returns the paths of the files that the server has changed since.
func (l *lock) changedEntry(e *skillentry.Entry) (changed []string) {
	was := map[string]string{}
	for _, f := range l.Files {
		was[f.Path] = f.Digest
	}
	for _, f := range e.Files {
		switch digest, ok := was[f.Path]; {
		case !ok:
			changed = append(changed, f.Path+" is new")
		case digest != f.Digest:
			changed = append(changed, f.Path)
		}
		delete(was, f.Path)
	}
	for name := range was {
		changed = append(changed, name+" is gone")
	}
	return shown(changed)
}

// mostShown limits the files that a message names.
const mostShown = 10

func shown(names []string) []string {
	slices.Sort(names)
	if more := len(names) - mostShown; more > 0 {
		return append(names[:mostShown], fmt.Sprintf("and %d more", more))
	}
	return names
}

// write writes the lock file whole, or not at all.
func (l *lock) write(dir, name string) error {
	data, err := json.MarshalIndent(l, "", "\t")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, temporary)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
