package skillexport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/internal/frontmatter"
	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/internal/skillentry"
)

// temporary is the pattern of temporary files and directories, which hosts do not take for skills.
const temporary = ".mcpgen-export-*"

// Read returns the content of a file of a skill.
type Read func(context.Context, skillentry.File) ([]byte, error)

// Write reads the files of the skills that the directory does not have, compares them with their
// entries, and writes them. If ctx is done, or one file cannot be read or differs, it writes no
// skill. The directories appear whole, one after the other.
func (p *Plan) Write(ctx context.Context, read Read) (err error) {
	made, err := makeAll(p.options.Dir)
	if err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	defer func() {
		if err != nil {
			removeEmpty(made)
		}
	}()
	stage, err := os.MkdirTemp(p.options.Dir, temporary)
	if err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	locks := map[string]*lock{}
	for _, s := range p.Skills {
		if s.Unchanged {
			continue
		}
		if locks[s.Name], err = p.stage(ctx, s, filepath.Join(stage, s.Name), read); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, s := range p.Skills {
		if l := locks[s.Name]; l != nil {
			if err := p.publish(s, l, filepath.Join(stage, s.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// stage writes the files of a skill into a new directory.
func (p *Plan) stage(ctx context.Context, s *Skill, dir string, read Read) (*lock, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make directory: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // files were only opened below it
	l := &lock{Version: lockVersion, Server: p.options.Server, URI: s.URI, Date: p.options.Now.UTC(), KeepsTools: p.options.KeepTools}
	for _, f := range s.Files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		data, err := read(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("skill %s: %s: %w", s.Name, f.Path, err)
		}
		if err := check(s.Entry, f, data); err != nil {
			return nil, fmt.Errorf("skill %s: %w", s.Name, err)
		}
		record := lockFile{Path: f.Path, Digest: f.Digest, Size: f.Size}
		written, names, err := p.withoutRights(f, data)
		if err != nil {
			return nil, &ConflictError{s.Name, fmt.Sprintf("%s: the fields that ask for rights cannot be left out: %v", f.Path, err), "-allowed-tools writes the request for tools"}
		}
		if len(names) > 0 {
			s.Dropped[f.Path] = names
			record.Dropped, record.Written = names, skill.Digest(written)
		}
		l.Files = append(l.Files, record)
		if err := create(root, f.Path, written); err != nil {
			return nil, fmt.Errorf("skill %s: write file: %w", s.Name, err)
		}
	}
	return l, nil
}

// check verifies a file.
func check(e *skillentry.Entry, f skillentry.File, data []byte) error {
	if f.Path != skill.File {
		return f.Check(data)
	}
	_, err := e.CheckMain(data)
	return err
}

// withoutRights returns the content to write. A SKILL.md further below is the skill of another
// approval, and loses the same fields.
func (p *Plan) withoutRights(f skillentry.File, data []byte) (written []byte, dropped []string, err error) {
	if !strings.EqualFold(path.Base(f.Path), skill.File) || !bytes.HasPrefix(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("---")) {
		return data, nil, nil
	}
	return frontmatter.Without(data, func(name string) bool { return drops(name, p.options.KeepTools) })
}

// create writes a new file below a directory. It fails if the file system takes the name for the
// name of another file, such as readme.md for README.md.
func create(root *os.Root, name string, data []byte) error {
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// publish writes the lock file, and moves the directory to its place. A lock file without a
// directory means nothing, and a directory without a lock file could not be recognized.
func (p *Plan) publish(s *Skill, l *lock, from string) error {
	dir := filepath.Join(p.options.Dir, s.Name)
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return &ConflictError{s.Name, dir + " has appeared meanwhile", "export it again"}
	}
	if err := l.write(p.options.Dir, p.lockFile(s.Name)); err != nil {
		return fmt.Errorf("skill %s: write lock file: %w", s.Name, err)
	}
	if err := os.Rename(from, dir); err != nil {
		return errors.Join(fmt.Errorf("skill %s: move directory: %w", s.Name, err), os.Remove(p.lockFile(s.Name)))
	}
	return nil
}

// makeAll makes a directory, and returns the directories that were missing, the deepest first.
func makeAll(dir string) (made []string, err error) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); err == nil || !errors.Is(err, fs.ErrNotExist) || filepath.Dir(d) == d {
			break
		}
		made = append(made, d)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		removeEmpty(made)
		return nil, err
	}
	return made, nil
}

// removeEmpty removes directories unless something is in them.
func removeEmpty(dirs []string) {
	for _, d := range dirs {
		_ = os.Remove(d) // fails for a directory that is not empty
	}
}
