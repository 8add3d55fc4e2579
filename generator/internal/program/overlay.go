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

// overlay collects files that the go command is to see instead of those on disk, in the form of its
// flag -overlay.
type overlay struct {
	dir     string // where the contents are kept
	replace map[string]string
}

// add shows content at path.
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

// merge takes over the overlay that GOFLAGS asks for, as the go command takes one only. It is
// called first, so that our files win.
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

// original puts the paths that contents are shown at in the place of those they are kept at, which
// is what the compiler names in errors. They become relative to dir, as the go command makes all
// others.
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
		if rel, err := filepath.Rel(dir, kept); err == nil { // the go command takes the shorter one
			pairs = append(pairs, "."+string(filepath.Separator)+rel, path, rel, path)
		}
	}
	return strings.NewReplacer(pairs...).Replace(output)
}

// free returns a path below dir at which there is nothing on disk.
func free(dir, name, suffix string) string {
	path := filepath.Join(dir, name+suffix)
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); os.IsNotExist(err) {
			return path
		}
		path = filepath.Join(dir, name+strconv.Itoa(n)+suffix)
	}
}
