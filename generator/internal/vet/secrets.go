package vet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// SecretResult is the rule for secrets in results. The generator warns of them, too.
const SecretResult = "secret-result"

// mostMembers limits the members on paths to secrets that are visited in one result: the number of
// paths grows exponentially if types contain others several times over several levels.
const mostMembers = 2_000

// SecretWarnings adds the findings of [SecretResult], one for each type with such members, without
// those that //mcp:ignore suppresses.
func SecretWarnings(pkg *load.Package, m *model.Package, diags *diag.List) {
	c := newChecker(pkg, m, &Options{Rules: []string{SecretResult}})
	c.rule = SecretResult
	c.secretResults()
	c.ignore()
	others := map[any][]string{}
	for _, f := range c.found {
		subject, _, _ := strings.Cut(f.Subject, ":")
		others[f.key] = append(others[f.key], subject)
	}
	for _, f := range c.found {
		subjects := others[f.key]
		if subjects == nil {
			continue
		}
		delete(others, f.key)
		d := f.Diagnostic()
		d.Severity = diag.Warning
		if len(subjects) > 1 {
			d.Message += ", also from " + firstOf(subjects[1:])
			d.Hint += "; mcpgen vet has the line for each of them"
		}
		diags.Add(d)
	}
}

// secretMember is a secret member of a result.
type secretMember struct {
	of    *model.Type // the object that contains it
	field *model.Field
	path  string // in the form of omit=
}

// secretResults checks the rule secret-result. It reports each object of a result once.
func (c *checker) secretResults() {
	features := c.inSource()
	leads := leadingToSecrets(features)
	for _, f := range features {
		found := secretMembers(f, leads)
		if len(found) == 0 || f.set == nil {
			continue
		}
		var paths []string
		named := map[any][]string{}
		var keys []any
		first := map[any]*model.Field{}
		for _, s := range found {
			if !slices.Contains(paths, s.path) {
				paths = append(paths, s.path)
			}
			var key any = f.set // several named results
			if s.of.Go != nil {
				key = s.of.Go.String()
			}
			if first[key] == nil {
				keys, first[key] = append(keys, key), s.field
			}
			if name := strings.TrimPrefix(s.of.Name+"."+s.field.Name, "."); !slices.Contains(named[key], name) {
				named[key] = append(named[key], name)
			}
		}
		hint := "leave them out: " + omitLine(f, paths) + " above the function, or json:\"-\" in the type; //mcp:ignore " + SecretResult + " REASON if clients may have them"
		for _, key := range keys {
			c.report(f.set, c.fieldPos(f, first[key]), f.subject+": result", hint, "clients get %s", firstOf(named[key])).key = key
		}
	}
}

// resultOf returns the type whose members omit= can name, or nil.
func resultOf(f *feature) *model.Type {
	switch {
	case f.call == nil:
		return nil
	case f.call.Result.Short != nil:
		return f.call.Result.Short.Of // omit= does not name the list
	}
	return f.call.Result.Output
}

// leadingToSecrets returns the objects in results that contain a secret directly or indirectly. All
// others are skipped, since types that contain each other have too many paths.
func leadingToSecrets(features []*feature) map[*model.Type]bool {
	leads, seen := map[*model.Type]bool{}, map[*model.Type]bool{}
	within := map[*model.Type][]*model.Type{} // for an object, the objects that contain it
	var secrets []*model.Type
	var visit func(t *model.Type)
	visit = func(t *model.Type) {
		for _, o := range objectsOf(t) {
			if seen[o] {
				continue
			}
			seen[o] = true
			for _, field := range o.Fields {
				if isSecret(field) {
					secrets = append(secrets, o)
					continue
				}
				for _, inner := range objectsOf(field.Type) {
					within[inner] = append(within[inner], o)
				}
				visit(field.Type)
			}
		}
	}
	for _, f := range features {
		if result := resultOf(f); result != nil {
			visit(result)
		}
	}
	for len(secrets) > 0 {
		o := secrets[len(secrets)-1]
		secrets = secrets[:len(secrets)-1]
		if !leads[o] {
			leads[o] = true
			secrets = append(secrets, within[o]...)
		}
	}
	return leads
}

// secretMembers returns the secret members in the result of a feature.
func secretMembers(f *feature, leads map[*model.Type]bool) (found []secretMember) {
	result := resultOf(f)
	left := mostMembers
	inside := map[*model.Type]bool{} // omit= applies to an object wherever it occurs inside the value
	var visit func(t *model.Type, path string)
	visit = func(t *model.Type, path string) {
		for _, o := range objectsOf(t) {
			if inside[o] || !leads[o] {
				continue
			}
			inside[o] = true
			for _, field := range o.Fields {
				if left--; left < 0 {
					break
				}
				if isSecret(field) {
					found = append(found, secretMember{o, field, path + field.Name})
				} else {
					visit(field.Type, path+field.Name+".")
				}
			}
			delete(inside, o)
		}
	}
	if result != nil {
		visit(result, "")
	}
	return found
}

// objectsOf returns the structs that a value consists of, behind pointers and in lists and maps:
// one, or the variants of a union.
func objectsOf(t *model.Type) []*model.Type {
	for seen := map[*model.Type]bool{}; t.Elem != nil && !seen[t]; t = t.Elem {
		seen[t] = true
	}
	switch {
	case t.Kind == model.Struct:
		return []*model.Type{t}
	case t.Union == nil:
		return nil
	}
	var all []*model.Type
	for _, v := range t.Union.Variants {
		all = append(all, v.Type)
	}
	return all
}

// omitLine returns the line //mcp:result of a feature with more names in its omit=.
func omitLine(f *feature, paths []string) string {
	line := "//mcp:result"
	lists := map[string][]string{}
	if dir := f.set.Get("result"); dir != nil {
		for _, word := range dir.Words() {
			line += " " + word.Value
		}
		for _, key := range []string{"only", "omit"} {
			lists[key], _ = dir.List(key)
		}
	}
	lists["omit"] = append(lists["omit"][:len(lists["omit"]):len(lists["omit"])], paths...)
	for _, key := range slices.Backward(slices.Sorted(maps.Keys(lists))) {
		if len(lists[key]) > 0 {
			line += fmt.Sprintf(" %s=%s", key, strings.Join(lists[key], ","))
		}
	}
	return line
}
