package load

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// Config selects the packages to load. The zero value selects the package in the current directory.
type Config struct {
	Dir      string       // directory of the patterns; "" is the current one
	Env      []string     // environment of the go command; nil means the process's environment
	Tags     string       // build tags, separated by commas
	Patterns []string     // directories, import paths, ... patterns; an empty list means "."
	Progress func(string) // called with the name of each stage; may be nil
	// Packages is called, from another goroutine, with the number of loaded packages, dependencies
	// included, if loading takes longer than SlowLoad: the go command then compiles them for the
	// first time. It may be nil.
	Packages func(count int)
}

// SlowLoad is the time after which Load counts the packages.
const SlowLoad = 2 * time.Second

// Load loads the packages that the patterns match, in order of import path. For a ... pattern it
// loads the packages with directives or a generated file. The list contains the reasons why the
// source of the packages themselves cannot be read; errors of the type checker are in the packages.
// Load returns an [*Error] if there is nothing to load, or the cause of ctx when ctx is done. With
// an error it returns no packages.
func Load(ctx context.Context, cfg Config) ([]*Package, *diag.List, error) {
	l, err := newLoader(cfg)
	if err != nil {
		return nil, &diag.List{}, err
	}
	pkgs, err := l.load(ctx)
	if err != nil {
		return nil, &l.diags, err
	}
	return pkgs, &l.diags, nil
}

// loader loads packages for one call of Load. All go commands run in dir with env, so that they
// agree on modules, build tags and the spelling of paths, by which the overlay replaces files.
type loader struct {
	dir      string
	env      []string
	tags     string
	patterns []string
	progress func(string)
	counted  func(int)
	slow     time.Duration // time after which the packages are counted
	diags    diag.List
	parsed   parsedFiles
}

func newLoader(cfg Config) (*loader, error) {
	// The working directory is PWD if that is correct, including symbolic links. Paths must be
	// spelt the same way everywhere, or the overlay does not match them.
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("find directory: %w", err)
	}
	if !isDir(dir) {
		return nil, &Error{Message: fmt.Sprintf("there is no directory %s", dir)}
	}
	l := &loader{env: cfg.Env, tags: cfg.Tags, patterns: cfg.Patterns, progress: cfg.Progress, counted: cfg.Packages, slow: SlowLoad, parsed: newParsedFiles()}
	if l.env == nil {
		l.env = os.Environ()
	}
	l.chdir(dir)
	if len(l.patterns) == 0 {
		l.patterns = []string{"."}
	}
	if l.progress == nil {
		l.progress = func(string) {}
	}
	return l, nil
}

// chdir sets the directory of the go command.
func (l *loader) chdir(dir string) {
	l.dir = dir
	l.env = append(uninstrumented(l.env), "PWD="+dir)
}

// mode requests export data of all packages, and source and types of the packages that the patterns
// match. NeedDeps would read everything as source.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedTypesInfo | packages.NeedSyntax |
	packages.NeedModule | packages.NeedExportFile

// plain turns off flags in GOFLAGS that instrument packages: the go command would replace the
// source by files of the build cache, return packages that are compiled once more, or refuse a flag
// that the system does not support.
var plain = []string{"-cover=false", "-race=false", "-msan=false", "-asan=false"}

// uninstrumented returns an environment in which GOFLAGS does not instrument packages. go/packages
// also runs the go command without the flags of plain, and the go command refuses flags that the
// system does not support.
func uninstrumented(env []string) []string {
	flags := strings.Fields(getenv(env, "GOFLAGS"))
	kept := slices.DeleteFunc(slices.Clone(flags), func(flag string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		return slices.ContainsFunc(plain, func(off string) bool {
			is := strings.TrimSuffix(strings.TrimPrefix(off, "-"), "=false")
			return name == is || is == "cover" && (name == "covermode" || name == "coverpkg")
		})
	})
	if len(kept) == len(flags) {
		return slices.Clip(env)
	}
	return append(slices.Clip(env), "GOFLAGS="+strings.Join(kept, " "))
}

func (l *loader) load(ctx context.Context) ([]*Package, error) {
	targets, err := l.find(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkLinks(dirsOf(targets)); err != nil {
		return nil, err
	}
	if targets, err = l.withoutOrphans(targets); err != nil {
		return nil, err
	}
	from, err := l.origins(ctx, targets)
	if err != nil {
		return nil, err
	}
	if err := checkLinks(dirsOf(from.targets(targets))); err != nil {
		return nil, err
	}
	roots := slices.Concat(targets, from.targets(targets))
	generated := hidden{}
	var patterns []string
	for _, t := range roots {
		patterns = append(patterns, "pattern="+t.pattern)
		if t.dir == "" {
			continue
		}
		name := filepath.Join(t.dir, GeneratedFile)
		state, err := stateOfFile(name)
		if err != nil {
			return nil, err
		}
		if state == Ours {
			generated[name] = true
		}
	}
	if len(targets) == 1 {
		l.progress("loading " + targets[0].pattern)
	} else {
		l.progress(fmt.Sprintf("loading %d packages", len(targets)))
	}
	stop := l.countIfSlow(ctx, targets)
	loaded, err := l.packages(ctx, patterns, generated, l.headsOf(ctx, roots, generated))
	stop()
	if err != nil {
		return nil, err
	}
	if err := checkLinks(importedDirs(loaded)); err != nil {
		return nil, err
	}
	return l.collect(ctx, loaded, targets, from)
}

// packages loads packages by go/packages. Heads replace sources if no compiled package needs more.
func (l *loader) packages(ctx context.Context, patterns []string, generated hidden, sources heads) ([]*packages.Package, error) {
	tmp, err := os.MkdirTemp("", "mcpgen-overlay-*")
	if err != nil {
		return nil, fmt.Errorf("write overlay: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	overlay, err := l.writeOverlay(tmp, l.outsideCache(ctx, generated), sources)
	if err != nil {
		return nil, err
	}
	flags := slices.Clone(plain)
	if overlay != "" {
		flags = append(flags, "-overlay="+overlay)
	}
	if l.tags != "" {
		flags = append(flags, "-tags="+l.tags)
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: mode, Context: ctx, Dir: l.dir, Env: l.env, BuildFlags: flags,
		Fset: l.parsed.fset,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			if f := l.parsed.of(name, src); f != nil {
				return f, nil
			}
			return generated.parse(fset, name, src)
		},
	}, patterns...)
	if err != nil {
		return nil, l.explain(ctx, err)
	}
	if rest, dropped := sources.without(loaded); dropped {
		return l.packages(ctx, patterns, generated, rest)
	}
	return loaded, nil
}

// countIfSlow counts the packages after some time, until the returned function is called.
func (l *loader) countIfSlow(ctx context.Context, targets []target) (stop func()) {
	if l.counted == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-ctx.Done():
			return
		case <-time.After(l.slow):
		}
		args := []string{"list", "-e", "-deps", "-f", "{{.ImportPath}}"}
		if l.tags != "" {
			args = append(args, "-tags="+l.tags)
		}
		args = append(args, "--")
		for _, t := range targets {
			args = append(args, t.pattern)
		}
		// If it fails, loading fails, too, and reports the reason.
		if out, err := l.goCommand(ctx, args...); err == nil && ctx.Err() == nil {
			l.counted(bytes.Count(out, []byte("\n")))
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// outsideCache drops the files of the module cache, which an overlay must not replace.
func (l *loader) outsideCache(ctx context.Context, files hidden) hidden {
	kept := hidden{}
	for name := range files {
		if !l.inModuleCache(ctx, name) {
			kept[name] = true
		}
	}
	return kept
}

// inModuleCache reports whether a file or directory is in the module cache, whose directories
// contain a version in their name.
func (l *loader) inModuleCache(ctx context.Context, name string) bool {
	if !strings.Contains(name, "@v") {
		return false
	}
	out, err := l.goCommand(ctx, "env", "GOMODCACHE")
	cache := strings.TrimSpace(string(out))
	return err == nil && cache != "" && strings.HasPrefix(name, cache+string(filepath.Separator))
}

// collect makes packages from the result of go/packages. It returns the targets.
func (l *loader) collect(ctx context.Context, loaded []*packages.Package, targets []target, from *origins) ([]*Package, error) {
	slices.SortFunc(loaded, func(a, b *packages.Package) int { return cmp.Compare(a.PkgPath, b.PkgPath) })
	var pkgs []*Package
	sources, missing := map[string]*Package{}, map[string]*Error{}
	exports := newExports(loaded)
	for _, lp := range loaded {
		p, err := l.convert(ctx, lp)
		_, named := from.dirs[lp.PkgPath]
		aside := named && !isTarget(targets, lp)
		if nothing, ok := errors.AsType[*Error](err); ok && (aside || len(targets) > 1) {
			if missing[lp.PkgPath] = nothing; !aside {
				l.diags.Add(nothing.Diagnostic())
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		p.exports = exports
		if sources[p.Path] = p; !aside {
			pkgs = append(pkgs, p)
		}
	}
	for _, p := range pkgs {
		from.connect(p, sources, missing)
	}
	if len(loaded) == 0 {
		// go/packages returns no packages and no error if the go command finds nothing, and for
		// some of its errors, such as a go.mod that is not up to date.
		list := []string{"list", "--"}
		for _, t := range targets {
			list = append(list, t.pattern)
		}
		if _, err := l.goCommand(ctx, list...); err != nil {
			return nil, l.explain(ctx, err)
		}
		return nil, l.inEnvironment(ctx, &Error{
			Message: fmt.Sprintf("the go command found no package for %s in %s", strings.Join(l.patterns, " "), l.dir),
			Hint:    "see what go list " + strings.Join(l.patterns, " ") + " says there",
		})
	}
	return pkgs, nil
}
