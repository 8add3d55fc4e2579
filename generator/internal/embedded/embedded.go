// Package embedded finds the files that //go:embed puts into a variable, by the rules of the go
// command. The go command itself lists the files of all variables of a package together, and it
// does not see the directives of packages whose source is replaced by an overlay.
package embedded

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern is one argument of a //go:embed directive.
type Pattern struct {
	Text string // such as skills, all:skills or skills/*.md
	Pos  token.Pos
}

// Patterns returns the arguments of the //go:embed directives above a declaration, in order: all
// comments between the end of the declaration before it and its name.
func Patterns(f *ast.File, spec *ast.ValueSpec) ([]Pattern, error) {
	begin := f.Name.End()
	for _, decl := range f.Decls {
		if decl.End() <= spec.Pos() {
			begin = decl.End()
		}
		if group, ok := decl.(*ast.GenDecl); ok {
			for _, before := range group.Specs {
				if before.End() <= spec.Pos() {
					begin = max(begin, before.End())
				}
			}
		}
	}
	var all []Pattern
	for _, group := range f.Comments {
		for _, comment := range group.List {
			if comment.Slash < begin || comment.Slash >= spec.Pos() {
				continue
			}
			dir, ok := ast.ParseDirective(comment.Slash, comment.Text)
			if !ok || dir.Tool != "go" || dir.Name != "embed" {
				continue
			}
			args, err := dir.ParseArgs()
			if err != nil {
				return nil, fmt.Errorf("read //go:embed: %w", err)
			}
			for _, arg := range args {
				all = append(all, Pattern{arg.Arg, arg.Pos})
			}
		}
	}
	return all, nil
}

// Error is the reason why a pattern cannot be embedded.
type Error struct {
	Pattern Pattern
	Problem string
	Hint    string
}

// Error returns the pattern and the reason.
func (e *Error) Error() string { return "pattern " + e.Pattern.Text + ": " + e.Problem }

// Tree contains the files of a variable.
type Tree struct {
	// Files are slash-separated paths below the directory of the package, sorted.
	Files []string
	// Root is the directory that all patterns have in common, "." for the directory of the package.
	// It does not depend on the files that a wildcard matches.
	Root string
	// Links are the paths of symbolic links and other irregular files, which go:embed leaves out.
	Links []string
}

// Files returns the files of a package directory that patterns match: for a directory its files at
// any depth, without those whose name, or a directory's, begins with . or _ (unless the pattern
// begins with all:), and without modules inside of it. Errors are of type [*Error], except those of
// reading directories.
func Files(dir string, patterns []Pattern) (*Tree, error) {
	t := &Tree{}
	found, links := map[string]bool{}, map[string]bool{}
	for _, p := range patterns {
		m := &matcher{dir: dir, pattern: p, found: found, links: links}
		if err := m.match(); err != nil {
			return nil, err
		}
		root := fixed(strings.TrimPrefix(p.Text, "all:"))
		if info, err := os.Lstat(m.abs(root)); err == nil && !info.IsDir() {
			root = path.Dir(root)
		}
		if t.Root == "" {
			t.Root = root
		}
		t.Root = common(t.Root, root)
	}
	for name := range found {
		t.Files = append(t.Files, name)
	}
	for name := range links {
		t.Links = append(t.Links, name)
	}
	slices.Sort(t.Files)
	slices.Sort(t.Links)
	return t, t.check(patterns)
}

// check refuses files that the go command does not pass to the compiler.
func (t *Tree) check(patterns []Pattern) error {
	folded := map[string]string{}
	for _, name := range t.Files {
		first := name[0]
		if first < utf8.RuneSelf && first != '.' && first != '_' && !unicode.IsDigit(rune(first)) && !unicode.IsLetter(rune(first)) {
			return &Error{patterns[0], fmt.Sprintf("the path %s begins with a character that the go command refuses", name), "begin it with a letter or a digit"}
		}
		fold := strings.ToLower(name)
		if other := folded[fold]; other != "" {
			return &Error{patterns[0], fmt.Sprintf("%s and %s differ only in case", other, name), "rename one of them"}
		}
		folded[fold] = name
	}
	return nil
}

// fixed returns the elements of a pattern before the first one with a wildcard.
func fixed(pattern string) string {
	elements := strings.Split(pattern, "/")
	i := slices.IndexFunc(elements, func(e string) bool { return strings.ContainsAny(e, `*?[\`) })
	if i < 0 {
		return pattern
	}
	return path.Join(append([]string{"."}, elements[:i]...)...)
}

// common returns the directory that contains two paths or is one of them.
func common(a, b string) string {
	for a != "." && a != b && !strings.HasPrefix(b, a+"/") {
		a = path.Dir(a)
	}
	return a
}

// matcher adds the files of one pattern.
type matcher struct {
	dir          string
	pattern      Pattern
	all          bool // the pattern begins with all:
	found, links map[string]bool
}

func (m *matcher) abs(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

func (m *matcher) errorf(hint, format string, args ...any) error {
	return &Error{m.pattern, fmt.Sprintf(format, args...), hint}
}

func (m *matcher) match() error {
	glob, all := strings.CutPrefix(m.pattern.Text, "all:")
	m.all = all
	if _, err := path.Match(glob, ""); err != nil || glob == "." || !fs.ValidPath(glob) {
		return m.errorf("write a path below the directory of the package, with slashes and without ..", "it is not the pattern of a path")
	}
	matches, err := fs.Glob(os.DirFS(m.dir), glob)
	if err != nil {
		return fmt.Errorf("find files of %s: %w", m.pattern.Text, err)
	}
	if len(matches) == 0 {
		return m.errorf("create the file or directory, or correct the pattern", "it matches no file")
	}
	for _, name := range matches {
		if err := m.add(name); err != nil {
			return err
		}
	}
	return nil
}

// add adds a file, or the files of a directory, that the pattern matches itself.
func (m *matcher) add(name string) error {
	info, err := os.Lstat(m.abs(name))
	if err != nil {
		return fmt.Errorf("find files of %s: %w", m.pattern.Text, err)
	}
	for dir := name; dir != "."; dir = path.Dir(dir) {
		above, err := os.Lstat(m.abs(dir))
		switch {
		case m.isModule(dir):
			return m.errorf("delete its go.mod", "%s belongs to the module in %s", name, dir)
		case dir != name && err == nil && !above.IsDir():
			return m.errorf("write the files into the directory itself", "%s is behind the link %s", name, dir)
		case isBad(path.Base(dir)):
			return m.errorf("rename it: a module cannot contain that name", "%s is not embedded because of the name %s", name, path.Base(dir))
		}
	}
	switch {
	case info.IsDir():
		return m.walk(name)
	case !info.Mode().IsRegular():
		return m.errorf("write the file itself", "%s is a link or another irregular file", name)
	}
	m.found[name] = true
	return nil
}

// walk adds the files of a directory.
func (m *matcher) walk(root string) error {
	count := 0
	err := fs.WalkDir(os.DirFS(m.dir), root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		bad := isBad(base)
		hidden := (base[0] == '.' || base[0] == '_') && (!m.all || bad)
		switch {
		case name == root:
			if m.isModule(name) {
				return fs.SkipDir
			}
		case d.IsDir() && (hidden || bad || m.isModule(name)):
			return fs.SkipDir
		case d.IsDir() || hidden:
		case bad:
			return m.errorf("rename it: a module cannot contain that name", "%s has a name that is not embedded", name)
		case !d.Type().IsRegular():
			m.links[name] = true
		default:
			count++
			m.found[name] = true
		}
		return nil
	})
	if err == nil && count == 0 {
		return m.errorf("put a file into it; names that begin with . or _ need all: before the pattern", "the directory %s has no file that is embedded", root)
	}
	return err
}

// isModule reports whether a directory begins another module.
func (m *matcher) isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(m.abs(dir), "go.mod"))
	return err == nil && dir != "."
}

// devices are names that Windows reserves, with any ending.
var devices = []string{
	"CON", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "PRN", "AUX", "NUL",
}

// isBad reports whether a module cannot contain a file or directory of that name (go mod, zip files
// of modules).
func isBad(name string) bool {
	if strings.Count(name, ".") == len(name) || strings.HasSuffix(name, ".") {
		return true
	}
	for _, r := range name {
		if r < unicode.MaxASCII && !unicode.IsDigit(r) && !unicode.IsLetter(r) && !strings.ContainsRune("!#$%&()+,-.=@[]^_{}~ ", r) ||
			r >= unicode.MaxASCII && !unicode.IsLetter(r) {
			return true
		}
	}
	stem, _, _ := strings.Cut(name, ".")
	return slices.ContainsFunc(devices, func(device string) bool { return strings.EqualFold(device, stem) }) ||
		slices.Contains([]string{".bzr", ".hg", ".git", ".svn"}, name)
}
