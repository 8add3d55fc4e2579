package contract

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// differ collects changes.
type differ struct {
	Difference
	before, after *Contract

	// kind and name of the current feature.
	kind Kind
	name string
}

func (d *differ) add(class Class, rule string, old, now *jsontree.Value, format string, args ...any) {
	d.Changes = append(d.Changes, Change{
		Class: class, Kind: d.kind, Name: d.name, Rule: rule, Old: old.JSON(), New: now.JSON(), Text: fmt.Sprintf(format, args...),
	})
}

// changed adds a change if a member has changed.
func (d *differ) changed(class Class, name string, old, now *jsontree.Value) {
	if !jsontree.Equal(old, now) {
		d.add(class, name, old, now, "%s", changeText(name, old, now))
	}
}

// members compares members that need no special rule. A change of a member outside of the lists has
// an unknown effect.
func (d *differ) members(old, now *jsontree.Value, words, compatible, known []string) {
	var names []string
	for _, m := range append(slices.Clone(old.Members), now.Members...) {
		if !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	for _, name := range names {
		a, b := old.Get(name), now.Get(name)
		switch {
		case slices.Contains(known, name) || jsontree.Equal(a, b):
		case slices.Contains(words, name):
			d.changed(Wording, name, a, b)
		case slices.Contains(compatible, name):
			d.changed(Compatible, name, a, b)
		default:
			d.add(Breaking, name, a, b, "%s, cannot be classified", changeText(name, a, b))
		}
	}
}

func (d *differ) server() {
	a, b := d.before.server, d.after.server
	if a == nil || b == nil {
		return
	}
	d.kind, d.name = Server, ""
	d.members(a, b, []string{"title", "description", "instructions", "websiteUrl", "icons"}, []string{"name", "_meta"}, nil)
}

// list compares the features of a kind by their keys.
func (d *differ) list(k Kind) {
	before, after := d.before.features[k], d.after.features[k]
	if k == Resource {
		before, after = d.withoutSkills(before), d.withoutSkills(after)
	}
	now := byName(after)
	met := map[*feature]bool{}
	for _, f := range before {
		d.kind, d.name = k, f.key
		match := now[f.key]
		if match == nil {
			d.add(Breaking, "feature", nil, nil, "removed")
			d.aliases(f, nil, now)
			continue
		}
		met[match] = true
		if match.key != f.key {
			d.add(Compatible, "feature", nil, &jsontree.Value{Kind: jsontree.Text, Text: match.key}, "renamed to %s, which still answers to the old name", match.key)
		}
		d.feature(f.value, match.value)
		d.aliases(f, match, now)
		d.scopes(f, match)
	}
	was := byName(before)
	for _, f := range after {
		if !met[f] && was[f.key] == nil {
			d.kind, d.name = k, f.key
			d.add(Compatible, "feature", nil, nil, "added")
		}
	}
}

// byName returns the features by key, and tools by alias as well. Names take precedence over
// aliases.
func byName(list []*feature) map[string]*feature {
	names := map[string]*feature{}
	for _, f := range list {
		for _, alias := range f.aliases() {
			names[alias] = f
		}
	}
	for _, f := range list {
		names[f.key] = f
	}
	return names
}

// scopes compares the scopes that a caller must have, which results of a server do not contain.
func (d *differ) scopes(old, now *feature) {
	if d.after.answer() || d.before.answer() {
		return
	}
	before, after := old.texts(scopesMember), now.texts(scopesMember)
	for _, scope := range after {
		if !slices.Contains(before, scope) {
			d.add(Breaking, scopesMember, nil, &jsontree.Value{Kind: jsontree.Text, Text: scope}, "callers must have the scope %s", scope)
		}
	}
	for _, scope := range before {
		if !slices.Contains(after, scope) {
			d.add(Compatible, scopesMember, &jsontree.Value{Kind: jsontree.Text, Text: scope}, nil, "callers need not have the scope %s", scope)
		}
	}
}

// aliases compares the further names of a tool, which results of a server do not contain.
func (d *differ) aliases(old, now *feature, answers map[string]*feature) {
	if d.after.answer() {
		return
	}
	for _, alias := range old.aliases() {
		name := &jsontree.Value{Kind: jsontree.Text, Text: alias}
		switch answers[alias] {
		case nil:
			d.add(Breaking, aliasesMember, name, nil, "the alias %s removed", alias)
		case now:
		default:
			d.add(Breaking, aliasesMember, name, nil, "%s, which was an alias, is another tool now", alias)
		}
	}
	if now == nil {
		return
	}
	for _, alias := range now.aliases() {
		if alias != old.key && !slices.Contains(old.aliases(), alias) {
			d.add(Compatible, aliasesMember, nil, &jsontree.Value{Kind: jsontree.Text, Text: alias}, "the alias %s added", alias)
		}
	}
}

func (d *differ) feature(old, now *jsontree.Value) {
	switch d.kind {
	case Tool:
		d.tool(old, now)
	case Prompt:
		d.prompt(old, now)
	case Skill:
		d.skill(old, now)
	default:
		d.resource(old, now)
	}
}

func (d *differ) resource(old, now *jsontree.Value) {
	d.metadata(old, now, d.pageUI)
	d.members(old, now, []string{"name", "title", "description", "icons", "annotations", "size"}, nil, []string{"_meta", "uri", "uriTemplate", "mimeType", scopesMember})
	switch a, b := old.Get("mimeType"), now.Get("mimeType"); {
	case a == nil && b != nil:
		d.changed(Compatible, "mimeType", a, b)
	default:
		d.changed(Breaking, "mimeType", a, b)
	}
}

func (d *differ) prompt(old, now *jsontree.Value) {
	d.members(old, now, []string{"title", "description", "icons"}, []string{"_meta"}, []string{"name", "arguments", scopesMember})
	before, after := argumentsOf(old), argumentsOf(now)
	find := func(list []*jsontree.Value, name string) *jsontree.Value {
		at := slices.IndexFunc(list, func(v *jsontree.Value) bool { return v.Str("name") == name })
		if at < 0 {
			return nil
		}
		return list[at]
	}
	required := func(v *jsontree.Value) bool { r := v.Get("required"); return r != nil && r.Text == "true" }
	for _, a := range before {
		b := find(after, a.Str("name"))
		since := len(d.Changes)
		switch {
		case b == nil:
			d.add(Breaking, "arguments", a, nil, "removed")
		case required(b) && !required(a):
			d.add(Breaking, "required", jsontree.False, jsontree.True, "required now")
		case required(a) && !required(b):
			d.add(Compatible, "required", jsontree.True, jsontree.False, "optional now")
		}
		if b != nil {
			d.members(a, b, []string{"title", "description"}, []string{"_meta"}, []string{"name", "required"})
		}
		d.inArgument(since, a.Str("name"))
	}
	for _, b := range after {
		if find(before, b.Str("name")) != nil {
			continue
		}
		since := len(d.Changes)
		if required(b) {
			d.add(Breaking, "arguments", nil, b, "added, required")
		} else {
			d.add(Compatible, "arguments", nil, b, "added")
		}
		d.inArgument(since, b.Str("name"))
	}
}

func argumentsOf(prompt *jsontree.Value) []*jsontree.Value {
	var all []*jsontree.Value
	if list := prompt.Get("arguments"); list != nil {
		for _, a := range list.Items {
			if a.Kind == jsontree.Object {
				all = append(all, a)
			}
		}
	}
	return all
}

// inArgument sets place and path of the changes since an index.
func (d *differ) inArgument(since int, path string) {
	for i := since; i < len(d.Changes); i++ {
		d.Changes[i].Place, d.Changes[i].Path = "argument", path
	}
}
