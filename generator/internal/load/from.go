package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// origins contains the packages that the //mcp:from directives of others name.
type origins struct {
	paths map[string][]string // import paths by the directory that names them
	dirs  map[string]string   // known directories by import path
}

// origins finds the packages that the targets name. They are read together with the targets, so
// that both use the same types.
func (l *loader) origins(ctx context.Context, targets []target) (*origins, error) {
	o := &origins{paths: map[string][]string{}, dirs: map[string]string{}}
	modules := map[string]string{} // path by root
	var unknown []string
	for _, t := range targets {
		paths, err := fromPaths(t.dir)
		if err != nil {
			return nil, err
		}
		o.paths[t.dir] = paths
		for _, path := range paths {
			if _, known := o.dirs[path]; known {
				continue
			}
			root := moduleRoot(t.dir)
			if _, known := modules[root]; !known {
				modules[root] = ModulePath(root)
			}
			if o.dirs[path] = inModule(root, modules[root], path); o.dirs[path] == "" {
				unknown = append(unknown, path)
			}
		}
	}
	return o, l.locate(ctx, o.dirs, unknown)
}

// targets returns the packages that are not loaded anyway.
func (o *origins) targets(loaded []target) []target {
	var more []target
	for path, dir := range o.dirs {
		if dir == "" || !slices.ContainsFunc(loaded, func(t target) bool { return t.dir == dir }) {
			more = append(more, target{pattern: path, dir: dir})
		}
	}
	slices.SortFunc(more, func(a, b target) int { return strings.Compare(a.pattern, b.pattern) })
	return more
}

// fromPaths returns the import paths that the package comments of a directory name with //mcp:from.
func fromPaths(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read directory: %w", err)
	}
	var paths []string
	for _, e := range entries {
		if !sourceFile(e.Name()) || e.Name() == GeneratedFile {
			continue
		}
		name := filepath.Join(dir, e.Name())
		src, err := regularfile.Read(name)
		if err != nil || !bytes.Contains(src, []byte("//mcp:from")) {
			continue // an unreadable file is reported when it is loaded
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, src, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			continue
		}
		for _, set := range directive.ScanFile(fset, f, &diag.List{}) {
			for _, d := range set.All("from") {
				for _, word := range d.Words() {
					if ImportPath(word.Value) && !slices.Contains(paths, word.Value) {
						paths = append(paths, word.Value)
					}
				}
			}
		}
	}
	return paths, nil
}

// ImportPath reports whether a word may be the import path of one package: it is neither a
// directory nor a pattern.
func ImportPath(word string) bool {
	return word != "" && !local(word) && !wildcard(word) && !strings.ContainsAny(word, `@\`) && !strings.HasPrefix(word, "-")
}

// ModulePath returns the path that the go.mod file of a directory declares, or "".
func ModulePath(root string) string {
	content, err := regularfile.Read(filepath.Join(root, "go.mod"))
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(content) {
		if words := strings.Fields(string(line)); len(words) >= 2 && words[0] == "module" {
			return strings.Trim(words[1], "\"`")
		}
	}
	return ""
}

// inModule returns the directory of a package of the module in root, or "" if it is in another
// module.
func inModule(root, module, path string) string {
	if path != module && !strings.HasPrefix(path, module+"/") || module == "" {
		return ""
	}
	dir := filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(path[len(module):], "/")))
	if !isDir(dir) || moduleRoot(dir) != root {
		return ""
	}
	return dir
}

// locate requests the directories of packages of other modules from the go command. Packages that
// it does not find get no directory.
func (l *loader) locate(ctx context.Context, dirs map[string]string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	args := []string{"list", "-e", "-find", "-json=ImportPath,Dir"}
	if l.tags != "" {
		args = append(args, "-tags="+l.tags)
	}
	out, err := l.goCommand(ctx, append(append(args, "--"), paths...)...)
	if err != nil {
		return l.explain(ctx, err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read output of go list: %w", err)
		}
		if _, asked := dirs[p.ImportPath]; asked {
			dirs[p.ImportPath] = p.Dir
		}
	}
}

// isTarget reports whether a package is one of the targets.
func isTarget(targets []target, lp *packages.Package) bool {
	return slices.ContainsFunc(targets, func(t target) bool {
		return lp.Dir != "" && sameDir(t.dir, lp.Dir) || lp.Dir == "" && t.pattern == lp.PkgPath
	})
}

func sameDir(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// connect sets the packages that a package names.
func (o *origins) connect(p *Package, sources map[string]*Package, missing map[string]*Error) {
	for dir, paths := range o.paths {
		if len(paths) == 0 || !sameDir(dir, p.Dir) {
			continue
		}
		p.From, p.Missing = map[string]*Package{}, map[string]*Error{}
		for _, path := range paths {
			switch {
			case sources[path] != nil:
				p.From[path] = sources[path]
			case missing[path] != nil:
				p.Missing[path] = missing[path]
			default:
				p.Missing[path] = &Error{Message: fmt.Sprintf("the go command finds no package %s", path)}
			}
		}
	}
}
