package mcpskill

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/skill"
)

// file is a file of a skill. It does not change.
type file struct {
	path   string // below the root of the file system
	mime   string
	text   string // the content of a text
	blob   []byte // the content of any other file; not nil
	digest string // sha256:{hex}
	size   int
}

// loaded are the files of a file system, or of its directories that are skills, sorted by path.
type loaded []*file

// source reads the files of a file system, each once: a file may belong to several skills.
type source struct {
	fs.FS
	known map[string]*file
}

func newSource(files fs.FS) *source { return &source{files, map[string]*file{}} }

// load reads all regular files below a directory, up to the limits of one skill.
func (s *source) load(root string) (loaded, error) {
	var all loaded
	size := 0
	err := fs.WalkDir(s, root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is not a regular file, such as a link or a device: put the file itself there", name)
		case len(all) == skill.MaxFiles:
			return fmt.Errorf("it has more than %d files: hosts need not accept it; divide it", skill.MaxFiles)
		}
		f, err := s.read(name, skill.MaxBytes-size)
		if err != nil {
			return err
		}
		size += f.size
		all = append(all, f)
		return nil
	})
	slices.SortFunc(all, func(a, b *file) int { return cmp.Compare(a.path, b.path) })
	return all, err
}

// read reads a file of at most so many bytes.
func (s *source) read(name string, most int) (*file, error) {
	if f := s.known[name]; f != nil {
		if f.size > most {
			return nil, tooLarge()
		}
		return f, nil
	}
	if err := skill.CheckPath(name); err != nil {
		return nil, err
	}
	data, err := contents(s, name, most)
	if err != nil {
		return nil, err
	}
	f := &file{path: name, size: len(data)}
	sum := sha256.Sum256(data)
	f.digest = "sha256:" + hex.EncodeToString(sum[:])
	mime, text := funcs.MIMEType(name, data)
	f.mime = mime
	if (text || path.Base(name) == skill.File) && utf8.Valid(data) { // SKILL.md is text/markdown
		f.text = string(data)
	} else {
		f.blob = data
	}
	s.known[name] = f
	return f, nil
}

// contents reads a file once, since its size may change meanwhile.
func contents(files fs.FS, name string, most int) (_ []byte, err error) {
	opened, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	info, err := opened.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	if info.Size() > int64(most) {
		return nil, tooLarge()
	}
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := opened.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if len(data) > most {
			return nil, tooLarge()
		}
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

func tooLarge() error {
	return fmt.Errorf("its files have more than %d bytes together: hosts need not accept it; move data into resources of their own", skill.MaxBytes)
}

// below returns the files in a directory and in those below it.
func (all loaded) below(dir string) loaded {
	if dir == "." {
		return all
	}
	var some loaded
	for _, f := range all {
		if strings.HasPrefix(f.path, dir+"/") {
			some = append(some, f)
		}
	}
	return some
}

// find returns the file with a path, or nil.
func (all loaded) find(name string) *file {
	i, ok := slices.BinarySearchFunc(all, name, func(f *file, name string) int { return cmp.Compare(f.path, name) })
	if !ok {
		return nil
	}
	return all[i]
}

// check returns an error unless the files of a directory are those of a skill.
func (all loaded) check(dir string) error {
	main := all.find(path.Join(dir, skill.File))
	if main == nil {
		return fmt.Errorf("it has no %s", skill.File)
	}
	if main.blob != nil {
		return fmt.Errorf("its %s is not UTF-8", skill.File)
	}
	if _, ok := skill.Block([]byte(main.text)); !ok {
		return fmt.Errorf("its %s does not begin with a frontmatter: a line ---, YAML, a line ---", skill.File)
	}
	return nil
}
