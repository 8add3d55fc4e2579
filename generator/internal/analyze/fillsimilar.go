package analyze

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// checkLeft refuses arguments whose names are almost those that the defaults fill: a typing
// error would publish what no client may choose.
func (f *filling) checkLeft(object *model.Type, whole string) bool {
	kept, used := map[string]bool{}, map[string]bool{}
	for name, line := range f.lines {
		if arg, _ := line.Get("inject"); arg.Value == published {
			kept[plainName(name)] = true
		}
	}
	chosen := map[string]*fill{}
	for _, k := range f.fills {
		chosen[k.name] = k
	}
	ok := true
	// Every way to a type is followed, since each needs an answer of its own, unless the
	// type has nothing to report.
	within, clean := map[*model.Type]bool{}, map[*model.Type]bool{}
	var walk func(t *model.Type, path []string) (found bool)
	walk = func(t *model.Type, path []string) (found bool) {
		if t == nil || within[t] || clean[t] {
			return false
		}
		within[t] = true
		defer func() {
			delete(within, t)
			clean[t] = !found
		}()
		found = walk(t.Elem, path)
		if t.Union != nil {
			for _, v := range t.Union.Variants {
				found = walk(v.Type, path) || found
			}
		}
		for _, field := range t.Fields {
			if field.ReadOnly {
				continue
			}
			here := path[:len(path):len(path)]
			if step := field.Path[0]; step.Inlined != nil && t.Go == nil {
				here = append(here, step.Name)
			}
			here = append(here, f.types.Origin(field))
			for _, k := range f.fills {
				if chosen[k.name] != k || k.by == published || !similar(k, field, here, whole) {
					continue
				}
				k.used, found = true, true
				name := plainName(strings.Join(here, "."))
				used[name], used[plainName(k.name)] = true, true
				if kept[name] || kept[plainName(k.name)] || f.reported[name] || f.reported[plainName(whole)+"."+name] {
					continue
				}
				f.reportSimilar(k, field, here)
				ok = false
				break
			}
			found = walk(field.Type, here) || found
		}
		return found
	}
	walk(object, nil)
	return f.checkKept(used) && ok
}

func (f *filling) reportSimilar(k *fill, field *model.Field, path []string) {
	name := strings.Join(path, ".")
	at := f.at
	if field.Pos.IsValid() {
		at = at.At(field.Pos)
	}
	what := "would be published: its name, in JSON or in Go, is almost %s, which %s fills"
	if path[len(path)-1] == k.name {
		what = "would be published: it is called %s, but is not the parameter that %s fills"
	}
	f.diags.Errorf(at.Pos, at.In("argument "+name).Subject, what, k.name, k.by).Relate(k.pos, "the defaults").
		Hint = fmt.Sprintf("add %s:%s to inject=, or //mcp:arg %[1]s inject=%[2]s to the function; inject=_ publishes it", name, k.by)
}

// checkKept refuses inject=_ about what is published in any case. used are the names that
// the defaults would have hidden.
func (f *filling) checkKept(used map[string]bool) bool {
	ok := true
	for _, name := range sortedKeys(f.lines) {
		arg, _ := f.lines[name].Get("inject")
		if arg.Value == published && !used[plainName(name)] {
			f.diags.Errorf(arg.Pos, f.at.In("argument "+name).Subject, "no //mcp:defaults fill it, so it is published in any case").Hint = "delete inject=_"
			ok = false
		}
	}
	return ok
}

// similar reports whether a field is called as what the defaults fill, but for case and
// separators: by its JSON name, also after it was renamed, or by its name in Go.
func similar(k *fill, field *model.Field, path []string, whole string) bool {
	if len(k.path) > 1 {
		name := plainName(strings.Join(path, "."))
		return name == plainName(k.name) || whole != "" && plainName(whole)+"."+name == plainName(k.name)
	}
	want := plainName(k.name)
	return plainName(path[len(path)-1]) == want || plainName(field.Name) == want || plainName(field.Path[len(field.Path)-1].Name) == want
}

// plainName is a name without case and separators of words.
func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}
