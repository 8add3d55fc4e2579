package analyze

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// origin contains the lines by which a package is emitted in another one.
type origin struct {
	lines []*fromLine
}

// fromLine is one package named in an //mcp:from line.
type fromLine struct {
	groups []string // empty for all features
	prefix string
	pos    token.Position // position of the import path
}

// selects reports whether the line emits a feature of these groups.
func (l *fromLine) selects(groups []string) bool {
	return len(l.groups) == 0 || slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(l.groups, g) })
}

// collectFrom reads //mcp:from and adds an analyzer for each package that it names, in order of
// path.
func (a *analyzer) collectFrom() {
	if a.out.NotEmitted {
		return
	}
	lines := map[string]*origin{}
	for _, d := range a.declared("from") {
		groups, _ := d.dir.List("group")
		prefix, _ := d.dir.String("prefix")
		for _, word := range d.dir.Words() {
			at := diag.Place{Pos: word.Pos, Subject: "//mcp:from"}
			source := a.origin(word.Value, at)
			if source == nil {
				continue
			}
			from := lines[source.Path]
			if from == nil {
				from = &origin{}
				lines[source.Path] = from
				a.out.From = append(a.out.From, source.Types)
				a.sources = append(a.sources, &analyzer{shared: a.shared, pkg: source, from: from})
			}
			from.lines = append(from.lines, &fromLine{groups: groups, prefix: prefix, pos: word.Pos})
		}
	}
	byPath := func(x, y *types.Package) int { return cmp.Compare(x.Path(), y.Path()) }
	slices.SortFunc(a.out.From, byPath)
	slices.SortFunc(a.sources[1:], func(x, y *analyzer) int { return byPath(x.pkg.Types, y.pkg.Types) })
	for _, source := range a.sources[1:] {
		sets, found := source.pkg.Directives()
		source.sets, source.damaged = sets, found.HasErrors()
		a.diags.Append(found)
		source.pkg.CheckConstraints(a.out.Constraint, source.sets, a.diags)
		a.types.AddSource(source.pkg)
		source.checkNotEmitted()
	}
}

// origin returns the package that a line names, or nil after a diagnostic.
func (a *analyzer) origin(path string, at diag.Place) *load.Package {
	fail := func(hint, format string, args ...any) *load.Package {
		a.diags.Errorf(at.Pos, at.Subject, format, args...).Hint = hint
		return nil
	}
	if !load.ImportPath(path) {
		return fail("write the import path of the package, and name each package", "%q is not an import path", path)
	}
	if path == a.pkg.Path {
		return fail("delete it: the features of the package itself are emitted in any case", "names the package that contains it")
	}
	source := a.pkg.From[path]
	if source == nil {
		what, hint := a.missing(path)
		return fail(hint, "%s", what)
	}
	switch {
	case source.Name == "main":
		return fail("move the annotated declarations into a package that can be imported", "%s is a program, which cannot be imported", path)
	case !schema.Importable(a.pkg.Path, path):
		return fail("put this package below the directory that holds internal", "%s is in an internal package that this package cannot import", path)
	case leadsTo(source.Imports, a.pkg.Path, map[string]bool{}):
		return fail("let the program import both, or move this directive into a package that the other does not import",
			"%s imports this package, so the generated file cannot import it", path)
	}
	return source
}

// missing returns the reason why a package was not loaded.
func (a *analyzer) missing(path string) (what, hint string) {
	e := a.pkg.Missing[path]
	if e == nil {
		return fmt.Sprintf("the package %s was not loaded", path), "put it into a file that every build has"
	}
	if below, ok := strings.CutPrefix(path, a.pkg.Module+"/"); ok {
		parent, name := filepath.Split(filepath.FromSlash(below))
		entries, err := os.ReadDir(filepath.Join(a.pkg.ModuleDir, parent))
		var names []string
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		if err != nil || !slices.Contains(names, name) {
			what = fmt.Sprintf("there is no directory %s in the module %s", below, a.pkg.Module)
			if near := diag.Nearest(name, names); near != "" {
				hint = "did you mean " + strings.TrimSuffix(path, name) + near + "?"
			}
			return what, hint
		}
	}
	what, get, _ := strings.Cut(e.Message, "; to add it:")
	if hint = strings.TrimSpace(get); hint == "" {
		hint = e.Hint
	}
	return strings.TrimSpace(what), hint
}

// leadsTo reports whether one of the packages is the one with the path, or imports it.
func leadsTo(imports map[string]*packages.Package, path string, seen map[string]bool) bool {
	for _, p := range imports {
		if p.PkgPath == path {
			return true
		}
		if !seen[p.PkgPath] {
			seen[p.PkgPath] = true
			if leadsTo(p.Imports, path, seen) {
				return true
			}
		}
	}
	return false
}

// selected returns the emitted features with a directive of that word.
func (a *analyzer) selected(word string) []declared {
	all := slices.DeleteFunc(a.declared(word), func(d declared) bool { return a.refused[d.set] })
	if a.from == nil {
		return all
	}
	return slices.DeleteFunc(all, func(d declared) bool { return a.line(d) == nil })
}

// line returns the first line that selects a feature, or nil. In the package itself it returns nil.
func (a *analyzer) line(d declared) *fromLine {
	if a.from == nil {
		return nil
	}
	groups := a.groupsOf(d)
	i := slices.IndexFunc(a.from.lines, func(l *fromLine) bool { return l.selects(groups) })
	if i < 0 {
		return nil
	}
	return a.from.lines[i]
}

// checkSelected refuses lines that select nothing.
func (a *analyzer) checkSelected() {
	if a.from == nil || a.damaged {
		return // an unreadable directive may be the missing one
	}
	count, groups, used := 0, map[string]bool{}, map[*fromLine]bool{}
	for _, word := range featureWords {
		for _, d := range a.declared(word) {
			count++
			used[a.line(d)] = true
			for _, g := range a.groupsOf(d) {
				groups[g] = true
			}
		}
	}
	for _, l := range a.from.lines {
		if used[l] || count == 0 && len(l.groups) == 0 && a.brings() {
			continue
		}
		what, hint := a.unused(l, count, groups)
		a.diags.Errorf(l.pos, "//mcp:from", "%s", what).Hint = hint
	}
}

// brings reports whether a package without features declares something for the features of others.
func (a *analyzer) brings() bool {
	return slices.ContainsFunc([]string{"inject", "error", "decode", "encode", "constructor", "schema"}, func(word string) bool {
		return len(a.declared(word)) > 0
	})
}

// unused returns the reason why a line selects nothing.
func (a *analyzer) unused(l *fromLine, count int, groups map[string]bool) (what, hint string) {
	path := a.pkg.Path
	switch {
	case count == 0 && len(a.declared("from")) > 0:
		return fmt.Sprintf("package %s has no annotated function: it takes its features from other packages", path), "name those packages here, too"
	case count == 0:
		return fmt.Sprintf("package %s has no feature", path), "write //mcp:tool above a function there"
	case len(l.groups) == 0:
		return fmt.Sprintf("every feature of %s is selected by a line above", path), "delete it"
	}
	all := strings.Join(l.groups, " or ")
	if slices.ContainsFunc(l.groups, func(g string) bool { return groups[g] }) {
		return fmt.Sprintf("every feature of %s in group %s is selected by a line above", path, all), "delete it"
	}
	what = fmt.Sprintf("no feature of %s is in group %s", path, all)
	known := sortedKeys(groups)
	if near := diag.Nearest(l.groups[0], known); near != "" {
		return what, "did you mean " + near + "?"
	}
	if len(known) > 0 {
		return what, "the groups there are " + strings.Join(known, ", ")
	}
	return what, "put group= on the directives there"
}

// featureWords are the directives for features.
var featureWords = []string{"tool", "resource", "prompt", "skill"}

// groupsOf returns the groups of a feature in its own package.
func (a *analyzer) groupsOf(d declared) []string {
	if own, set := d.dir.List("group"); set {
		return own
	}
	return a.settingsOver(settings{}, d).groups
}

// emitNone returns the emit=none of the package, or nil.
func (a *analyzer) emitNone() *directive.Directive {
	for _, d := range a.declared("defaults") {
		if v, _ := d.dir.String("emit"); v == "none" && d.set.Target == directive.Package {
			return d.dir
		}
	}
	return nil
}

// checkNotEmitted refuses features that only the package itself could emit, if it emits nothing.
func (a *analyzer) checkNotEmitted() {
	for _, d := range a.declared("defaults") {
		if emit, set := d.dir.Get("emit"); set && d.set.Target != directive.Package {
			a.diags.Errorf(emit.Pos, "//mcp:defaults", "emit= is about a package, and this is type %s", d.set.Name).Hint = "put it into the package comment"
		}
	}
	for _, d := range a.declared("defaults") {
		if word, set := d.dir.Get("receiver"); set && d.set.Target != directive.Type {
			a.diags.Errorf(word.Pos, "//mcp:defaults", "receiver= is about a type, and this is the package").Hint = "put it above the type, or on each //mcp:tool"
		}
	}
	none := a.emitNone()
	if none == nil {
		return
	}
	refuse := func(d declared, hint, format string, args ...any) {
		a.diags.Errorf(d.dir.Pos, "//mcp:"+d.dir.Word, format, args...).Relate(none.Pos, "emit=none").Hint = hint
	}
	for _, d := range a.declared("server") {
		refuse(d, "put it into the package with //mcp:from", "nothing is emitted for this package, so it cannot be a server")
	}
	for _, d := range a.declared("from") {
		refuse(d, "leave emit=none out", "nothing is emitted for this package")
	}
	for _, d := range a.declared("form") {
		refuse(d, "leave emit=none out, or declare the form in a package without it", "a form is given a method, which only its own package can declare")
	}
}

// pkgOf returns the package of a declaration for the model: nil for the package that is generated
// for.
func (a *analyzer) pkgOf() *types.Package {
	if a.from == nil {
		return nil
	}
	return a.pkg.Types
}

// symbol returns the symbol of a declaration for people, with its package if that is another one.
func (a *analyzer) symbol(name string) string {
	if a.from == nil {
		return name
	}
	if rest, ok := strings.CutPrefix(name, "(*"); ok {
		return "(*" + a.pkg.Name + "." + rest
	}
	return a.pkg.Name + "." + name
}

// outside reports whether the code for the package is generated into another one.
func (a *analyzer) outside() bool { return a.from != nil || a.out.NotEmitted }

// exported refuses a declaration that other packages cannot name if the code is generated into
// another package.
func (a *analyzer) exported(obj types.Object, what string, at diag.Place) bool {
	if obj.Exported() || !a.outside() {
		return true
	}
	d := a.diags.Errorf(at.Pos, at.Subject, "%s %s is not exported, so no other package can use it", what, obj.Name())
	if none := a.emitNone(); none != nil {
		d.Relate(none.Pos, "emit=none").Hint = "export it, or leave emit=none out and let this package emit its features"
		return false
	}
	d.Relate(a.from.lines[0].pos, "the package that emits it").Hint = "export it"
	if _, isFunc := obj.(*types.Func); isFunc {
		d.Hint += ", or let group= on //mcp:from leave it out"
	}
	return false
}

// spellable refuses a signature that the file cannot spell.
func (a *analyzer) spellable(fn *types.Func, at diag.Place) bool {
	if !a.outside() && fn.Pkg() == a.pkg.Types {
		return true
	}
	sig := fn.Signature()
	for _, list := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range list.Variables() {
			problem, hint := a.types.Unnameable(v.Type())
			if problem == "" {
				continue
			}
			what := "a result"
			if list == sig.Params() {
				what = "a parameter"
			}
			if v.Name() != "" {
				what = fmt.Sprintf("%s %s", strings.TrimPrefix(what, "a "), v.Name())
			}
			pos := a.position(v.Pos())
			if fn.Pkg() != a.pkg.Types {
				pos = at.Pos
			}
			a.diags.Errorf(pos, at.Subject, "%s: %s, so generated code cannot name it", what, problem).Hint = hint
			return false
		}
	}
	return true
}
