package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// target is a package to load.
type target struct {
	pattern string // for go list
	dir     string // "" if only go list knows it
}

// find returns the packages that the patterns match. It uses directories directly. Other patterns
// are listed by the go command, without imports; from the matches of a ... pattern it keeps only
// the packages with a directive or a generated file.
func (l *loader) find(ctx context.Context) ([]target, error) {
	var targets []target
	listing := false
	for _, p := range l.patterns {
		switch {
		case strings.HasSuffix(p, ".go") && !isDir(l.abs(p)):
			return nil, &Error{
				Message: fmt.Sprintf("%s is a file, and the generator works on packages", p),
				Hint:    "name the directory: " + filepath.Dir(p),
			}
		case !local(p):
			listing = true
		default:
			base, _, wild := strings.Cut(p, "...")
			if wild {
				base = base[:strings.LastIndexByte(filepath.ToSlash(base), '/')+1]
				listing = true
			}
			dir := l.abs(base)
			if !isDir(dir) {
				return nil, &Error{Message: fmt.Sprintf("there is no directory %s", dir), Hint: "name a package by its directory (./store) or import path"}
			}
			targets = append(targets, target{pattern: filepath.ToSlash(p), dir: dir})
		}
	}
	if !listing {
		if len(targets) == 1 && moduleRoot(targets[0].dir) != moduleRoot(l.dir) {
			// In this directory the go command finds the module of the package.
			l.chdir(targets[0].dir)
			targets[0].pattern = "."
		}
		return targets, nil
	}
	return l.list(ctx)
}

// moduleRoot returns the nearest directory with a go.mod, or "".
func moduleRoot(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// wildcard reports whether a pattern may match any number of packages.
func wildcard(p string) bool {
	return strings.Contains(p, "...") || slices.Contains([]string{"all", "std", "cmd", "work", "tool"}, p)
}

// local reports whether a pattern is a directory.
func local(p string) bool {
	return p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") ||
		strings.HasPrefix(p, `.\`) || strings.HasPrefix(p, `..\`) || filepath.IsAbs(p)
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// abs makes a path absolute and keeps the spelling of the directory.
func (l *loader) abs(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(l.dir, name)
}

// listed contains the fields requested from go list.
type listed struct {
	ImportPath, Dir, Name string
	Match                 []string
	GoFiles, CgoFiles     []string
	IgnoredGoFiles        []string
	InvalidGoFiles        []string
	Error                 *struct{ Pos, Err string }
}

// list runs go list -find with the patterns.
func (l *loader) list(ctx context.Context) ([]target, error) {
	l.progress("listing the packages of " + strings.Join(l.patterns, " "))
	args := []string{"list", "-e", "-find", "-json=ImportPath,Dir,Name,Match,GoFiles,CgoFiles,IgnoredGoFiles,InvalidGoFiles,Error"}
	if l.tags != "" {
		args = append(args, "-tags="+l.tags)
	}
	out, err := l.goCommand(ctx, append(append(args, "--"), l.patterns...)...)
	if err != nil {
		return nil, l.explain(ctx, err)
	}
	var targets []target
	var broken *Error
	found := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read output of go list: %w", err)
		}
		named := slices.ContainsFunc(p.Match, func(m string) bool { return !wildcard(m) })
		if p.Dir == "" {
			if named || broken == nil {
				broken = l.unmatched(p)
			}
			continue
		}
		found++
		if named || relevant(p) {
			targets = append(targets, target{pattern: p.ImportPath, dir: p.Dir})
		}
	}
	switch {
	case broken != nil:
		return nil, l.inEnvironment(ctx, broken)
	case found == 0:
		return nil, l.inEnvironment(ctx, &Error{
			Message: fmt.Sprintf("no package matches %s in %s", strings.Join(l.patterns, " "), l.dir),
			Hint:    "start in the directory of the module, or name a package: ./store",
		})
	case len(targets) == 0:
		return nil, &Error{
			Message: fmt.Sprintf("no //mcp: directive in the %s that %s matches", packageCount(found), strings.Join(l.patterns, " ")),
			Hint:    "write //mcp:tool above a function",
		}
	}
	return targets, nil
}

// inAnotherModule is the hint for a directory that the go command does not find among the packages
// of the main module.
const inAnotherModule = "the directory belongs to another module: run mcpgen there, or name the directory alone"

// unmatched returns the reason why a pattern matches no directory.
func (l *loader) unmatched(p listed) *Error {
	e := &Error{Message: fmt.Sprintf("there is no package %s", p.ImportPath)}
	if p.Error != nil && p.Error.Err != "" {
		e.Message = strings.TrimSpace(p.Error.Err)
	}
	switch {
	case local(p.ImportPath) && isDir(l.abs(p.ImportPath)):
		e.Hint = inAnotherModule
	case isDir(l.abs(p.ImportPath)):
		e.Hint = "a directory begins with a dot: ./" + p.ImportPath
	case local(p.ImportPath) && wildcard(p.ImportPath):
		e.Hint = "begin the pattern in a module, in a workspace too: ./store/..."
	}
	return e
}

func packageCount(n int) string {
	if n == 1 {
		return "one package"
	}
	return fmt.Sprint(n, " packages")
}

// relevant reports whether a package contains a directive or a file generated by mcpgen. A file
// that cannot be read counts, so that its error is shown.
func relevant(p listed) bool {
	if len(p.GoFiles)+len(p.CgoFiles)+len(p.InvalidGoFiles) == 0 {
		return false // tests only, or programs to be run by themselves
	}
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles, p.InvalidGoFiles) {
		if name == GeneratedFile {
			if state, err := stateOfFile(filepath.Join(p.Dir, name)); state == Ours || err != nil {
				return true
			}
			continue
		}
		src, err := regularfile.Read(filepath.Join(p.Dir, name))
		if err != nil || mentions(src) {
			return true
		}
	}
	return false
}

// mentions reports whether a source may contain a comment in the namespace of the directives:
// "mcp:", in any case, right after the opening of a comment. It may return true for other sources,
// too.
func mentions(src []byte) bool {
	for i := 0; ; {
		n := bytes.IndexByte(src[i:], ':')
		if n < 0 {
			return false
		}
		i += n + 1
		before := bytes.TrimRightFunc(src[max(0, i-64):i-1], unicode.IsSpace)
		if len(before) < 3 || !strings.EqualFold(string(before[len(before)-3:]), "mcp") {
			continue
		}
		text := before[:len(before)-3]
		opening := bytes.TrimRightFunc(text, func(r rune) bool {
			return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == '*'
		})
		star := len(opening) < len(text) && text[len(opening)] == '*'
		if len(opening) == 0 || bytes.HasSuffix(opening, []byte("//")) || star && opening[len(opening)-1] == '/' {
			return true
		}
	}
}

// withoutOrphans reports the directories that contain only a generated file, and leaves them out:
// the go command, which never sees that file, would report them as missing packages. It returns an
// error if no other target is left.
func (l *loader) withoutOrphans(targets []target) ([]target, error) {
	var kept []target
	var orphan *Error
	for _, t := range targets {
		state, err := stateOfFile(filepath.Join(t.dir, GeneratedFile))
		if t.dir == "" || err != nil || state != Ours || hasSources(t.dir) {
			kept = append(kept, t)
			continue
		}
		orphan = &Error{
			Message: fmt.Sprintf("there are no Go files in %s but %s, which is left over", t.dir, GeneratedFile),
			Hint:    "delete it, or restore the source that it was generated from",
		}
		l.diags.Add(orphan.Diagnostic())
	}
	if orphan != nil && len(kept) == 0 {
		return nil, orphan
	}
	return kept, nil
}

// hasSources reports whether a directory contains a Go file, including tests and excluded files,
// other than the generated one.
func hasSources(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), ".go") && e.Name() != GeneratedFile
	})
}

// goCommand runs the go command in the directory and returns its output. It lists the packages that
// load reads, also if GOFLAGS contains flags that the system does not support.
func (l *loader) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	if args[0] == "list" {
		args = slices.Insert(slices.Clone(args), 1, plain...)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = l.dir, l.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return stdout.Bytes(), nil
}
