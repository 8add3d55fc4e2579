package program

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// overlay collects files that replace the files on disk for the go command, in the form of its flag
// -overlay.
type overlay struct {
	dir     string // directory of the contents
	replace map[string]string
}

// add puts content at path.
func (o *overlay) add(path string, content []byte) error {
	kept := filepath.Join(o.dir, strconv.Itoa(len(o.replace))+"_"+filepath.Base(path))
	if err := os.WriteFile(kept, content, 0o600); err != nil {
		return fmt.Errorf("write overlaid file: %w", err)
	}
	if o.replace == nil {
		o.replace = make(map[string]string)
	}
	o.replace[filepath.Clean(path)] = kept
	return nil
}

// merge adds the overlay in GOFLAGS, since the go command accepts only one. It is called first, so
// that the program's own files take precedence.
func (o *overlay) merge(env []string, dir string) error {
	for _, flag := range strings.Fields(lookup(env, "GOFLAGS")) {
		file, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "overlay=")
		if !ok {
			continue
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		text, err := regularfile.Read(file)
		if err != nil {
			return fmt.Errorf("read overlay of GOFLAGS: %w", err)
		}
		var own struct{ Replace map[string]string }
		if err := json.Unmarshal(text, &own); err != nil {
			return fmt.Errorf("read overlay of GOFLAGS: %s: %w", file, err)
		}
		o.replace = own.Replace
	}
	return nil
}

// write writes the description of the overlay and returns its path.
func (o *overlay) write() (string, error) {
	text, err := json.Marshal(struct{ Replace map[string]string }{o.replace})
	if err != nil {
		return "", fmt.Errorf("describe overlay: %w", err)
	}
	file := filepath.Join(o.dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", fmt.Errorf("write overlay: %w", err)
	}
	return file, nil
}

// original replaces the paths of the stored contents, which the compiler names in errors, by the
// paths that they overlay, relative to dir like all other paths of the go command.
func (o *overlay) original(output, dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return output
	}
	var pairs []string
	for path, kept := range o.replace {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			path = rel
			if filepath.Base(rel) == rel {
				path = "." + string(filepath.Separator) + rel
			}
		}
		pairs = append(pairs, kept, path)
		if rel, err := filepath.Rel(dir, kept); err == nil { // the go command prints the shorter one
			pairs = append(pairs, "."+string(filepath.Separator)+rel, path, rel, path)
		}
	}
	return strings.NewReplacer(pairs...).Replace(output)
}

// free returns a path below dir that does not exist on disk.
func free(dir, name, suffix string) string {
	path := filepath.Join(dir, name+suffix)
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); os.IsNotExist(err) {
			return path
		}
		path = filepath.Join(dir, name+strconv.Itoa(n)+suffix)
	}
}
