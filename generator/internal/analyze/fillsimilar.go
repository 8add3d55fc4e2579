package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// checkLeft refuses arguments whose names nearly match names that the defaults fill: a typing error
// would publish a value that no client may choose.
func (f *filling) checkLeft(object *model.Type, whole string) bool {
	s := &similarity{filling: f, whole: whole, used: map[string]bool{}, ok: true, within: map[*model.Type]bool{}, clean: map[*model.Type]bool{}}
	last := map[string]*fill{}
	for _, k := range f.fills {
		last[k.name] = k
	}
	var paths []*fill
	for _, k := range f.fills {
		switch {
		case last[k.name] != k || k.by == published:
		case len(k.path) > 1:
			paths = append(paths, k)
		default:
			s.names = append(s.names, k)
		}
	}
	s.anywhere(object, nil)
	for _, k := range paths {
		s.along(object, k, k.path, nil)
		if plainName(k.path[0]) == plainName(whole) {
			s.along(object, k, k.path[1:], nil)
		}
	}
	f.warnOfTypes(object, whole)
	return f.checkKept(s.used) && s.ok
}

// similarity looks for arguments whose names resemble those that the defaults fill.
type similarity struct {
	*filling
	whole string  // name of the parameter that is the whole object, or "" if there are several
	names []*fill // defaults with a name alone, which matches at any depth
	// used are the names that the defaults would have hidden.
	used map[string]bool
	ok   bool
	// anywhere follows every path to a type, since each needs its own line, unless the type has
	// nothing to report.
	within, clean map[*model.Type]bool
}

// anywhere looks for the defaults with a name alone, at any depth.
func (s *similarity) anywhere(t *model.Type, path []string) (found bool) {
	if t == nil || s.within[t] || s.clean[t] {
		return false
	}
	s.within[t] = true
	defer func() {
		delete(s.within, t)
		s.clean[t] = !found
	}()
	found = s.anywhere(t.Elem, path)
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			found = s.anywhere(v.Type, path) || found
		}
	}
	for _, field := range t.Fields {
		here := s.pathOf(t, field, path)
		if i := slices.IndexFunc(s.names, func(k *fill) bool { return s.similar(field, k.name) }); i >= 0 {
			found = true
			s.report(s.names[i], field, here)
		}
		found = s.unseen(field, here) || found
		found = s.anywhere(field.Type, here) || found
	}
	return found
}

// unseen visits a field that is left to encoding/json, which also reads members that the schema
// omits.
func (s *similarity) unseen(field *model.Field, path []string) (found bool) {
	t := field.Type
	for seen := map[*model.Type]bool{}; t.Elem != nil && !seen[t]; t = t.Elem {
		seen[t] = true // a list may contain itself
	}
	if t.Kind != model.Reflect {
		return false
	}
	for _, k := range s.names {
		below := schema.Member(t.Go, func(name string) bool { return plainName(name) == plainName(k.name) })
		if below == nil {
			continue
		}
		k.used, found = true, true
		name := strings.Join(path, ".")
		said := s.used[name]
		for _, name := range s.spellings(path, s.whole) {
			said = said || s.keeps(name)
			s.used[name] = true
		}
		if said {
			continue
		}
		s.ok = false
		at := s.at
		if field.Pos.IsValid() {
			at = at.At(field.Pos)
		}
		s.diags.Errorf(at.Pos, at.In("argument "+name).Subject, "encoding/json would read its member %s, whose name, in JSON or in Go, equals or resembles %s, which %s fills",
			strings.Join(below, "."), k.name, k.by).Relate(k.pos, "the defaults").
			Hint = fmt.Sprintf("leave it out: //mcp:arg %s omit; inject=_ publishes it", name)
	}
	return found
}

// along looks for a member that the rest of a path names.
func (s *similarity) along(t *model.Type, k *fill, rest, path []string) {
	for seen := map[*model.Type]bool{}; t.Elem != nil && !seen[t]; t = t.Elem {
		seen[t] = true // a list may contain itself
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			s.along(v.Type, k, rest, path)
		}
	}
	for _, field := range t.Fields {
		here := s.pathOf(t, field, path)
		below := rest
		if len(here) > len(path)+1 && len(rest) > 1 && plainName(rest[0]) == plainName(here[len(path)]) {
			below = rest[1:] // the name of an inlined parameter
		}
		switch {
		case !s.similar(field, below[0]):
		case len(below) == 1:
			s.report(k, field, here)
		default:
			s.along(field.Type, k, below[1:], here)
		}
	}
}

// pathOf returns the path of a field. It includes the names of inlined parameters.
func (f *filling) pathOf(t *model.Type, field *model.Field, path []string) []string {
	here := path[:len(path):len(path)]
	if step := field.Path[0]; step.Inlined != nil && t.Go == nil {
		here = append(here, step.Name)
	}
	return append(here, f.types.Origin(field))
}

// similar reports whether a field's name matches, ignoring case and separators: its JSON name, also
// after a renaming, or its Go name.
func (s *similarity) similar(field *model.Field, name string) bool {
	want := plainName(name)
	return plainName(s.types.Origin(field)) == want || plainName(field.Name) == want || plainName(field.Path[len(field.Path)-1].Name) == want
}

// report reports an argument that a function would have filled, once, unless a line names it.
func (s *similarity) report(k *fill, field *model.Field, path []string) {
	k.used = true
	names := s.spellings(path, s.whole)
	said := s.used[names[0]]
	for _, name := range names {
		said = said || s.reported[plainName(name)] || s.keeps(name)
		s.used[name] = true
	}
	if !said {
		s.reportSimilar(k, field, path)
		s.ok = false
	}
}

// keeps reports whether inject=_ publishes an argument.
func (f *filling) keeps(name string) bool {
	line := f.lines[name]
	if line == nil {
		return false
	}
	arg, _ := line.Get("inject")
	return arg.Value == published
}

func (f *filling) reportSimilar(k *fill, field *model.Field, path []string) {
	name := strings.Join(path, ".")
	at := f.at
	if field.Pos.IsValid() {
		at = at.At(field.Pos)
	}
	what := "would be published: its name, in JSON or in Go, is almost %s, which %s fills"
	if path[len(path)-1] == k.name || name == k.name {
		what = "would be published: it is called %s, but is not the parameter that %s fills"
	}
	d := f.diags.Errorf(at.Pos, at.In("argument "+name).Subject, what, k.name, k.by).Relate(k.pos, "the defaults")
	if p := f.neededBy(path); p != nil {
		d.Hint = fmt.Sprintf("%s, filled by //mcp:defaults inject=%s:%s; //mcp:arg %s inject=_ above %s publishes it", takes(p, name), path[len(path)-1], k.by, name, p.Func)
		return
	}
	d.Hint = fmt.Sprintf("add %s:%s to inject=, or //mcp:arg %[1]s inject=%[2]s to the function; inject=_ publishes it", name, k.by)
}

// checkKept refuses inject=_ for arguments that are published anyway. used are the names that the
// defaults would have hidden.
func (f *filling) checkKept(used map[string]bool) bool {
	ok := true
	for _, name := range sortedKeys(f.lines) {
		if f.keeps(name) && !used[name] && !f.byType[name] {
			arg, _ := f.lines[name].Get("inject")
			f.diags.Errorf(arg.Pos, f.at.In("argument "+name).Subject, "no //mcp:defaults fill it, so it is published in any case").Hint = "delete inject=_"
			ok = false
		}
	}
	return ok
}

// plainName returns a name without case and word separators.
func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}
