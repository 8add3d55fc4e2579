package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// toolsMember is a member of skills in contracts that the protocol does not define: the tools that
// a caller must be allowed to use.
const toolsMember = "tools"

// SkillTools sets the tools that a caller of a skill must be allowed to use, if the skill exists.
// Lists do not contain them.
func (c *Contract) SkillTools(uri string, tools ...string) {
	if len(tools) == 0 {
		return
	}
	for _, f := range c.features[Skill] {
		if f.key == uri {
			f.set(toolsMember, tools)
		}
	}
}

// isSkill reports whether a URI is the SKILL.md of a skill of one of the contracts, which lists of
// resources contain too.
func (d *differ) isSkill(uri string) bool {
	has := func(f *feature) bool { return f.key == uri }
	return slices.ContainsFunc(d.before.features[Skill], has) || slices.ContainsFunc(d.after.features[Skill], has)
}

// withoutSkills returns resources that are no skills.
func (d *differ) withoutSkills(all []*feature) []*feature {
	return slices.DeleteFunc(slices.Clone(all), func(f *feature) bool { return d.isSkill(f.key) })
}

// skill compares two entries: their text is wording, whatever has changed, and the files are named.
func (d *differ) skill(old, now *jsontree.Value) {
	d.members(old, now, nil, []string{"_meta"}, []string{"uri", "frontmatter", "resources", toolsMember, scopesMember})
	before, after := old.Get("frontmatter"), now.Get("frontmatter")
	if before.Is(jsontree.Object) && after.Is(jsontree.Object) {
		var names []string
		for _, m := range append(slices.Clone(before.Members), after.Members...) {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
				d.changed(Wording, m.Name, before.Get(m.Name), after.Get(m.Name))
			}
		}
	} else {
		d.changed(Breaking, "frontmatter", before, after)
	}
	d.skillFiles(old, now)
	if d.after.answer() || d.before.answer() {
		return
	}
	required, needed := old.Get(toolsMember), now.Get(toolsMember)
	for _, tool := range textsWithout(needed, required) {
		d.add(Breaking, toolsMember, nil, &jsontree.Value{Kind: jsontree.Text, Text: tool}, "callers must be allowed to use the tool %s", tool)
	}
	for _, tool := range textsWithout(required, needed) {
		d.add(Compatible, toolsMember, &jsontree.Value{Kind: jsontree.Text, Text: tool}, nil, "callers need not be allowed to use the tool %s", tool)
	}
}

// textsWithout returns the texts in a list that another one does not contain.
func textsWithout(list, other *jsontree.Value) (texts []string) {
	if !list.Is(jsontree.Array) {
		return nil
	}
	for _, item := range list.Items {
		found := other.Is(jsontree.Array) && slices.ContainsFunc(other.Items, func(o *jsontree.Value) bool { return o.Text == item.Text })
		if !found {
			texts = append(texts, item.Text)
		}
	}
	return texts
}

// skillFiles compares the files of two entries.
func (d *differ) skillFiles(old, now *jsontree.Value) {
	before, after := old.Get("resources"), now.Get("resources")
	wasList, isList := before.Is(jsontree.Array), after.Is(jsontree.Array)
	switch {
	case wasList && !isList:
		d.add(Breaking, "resources", nil, nil, "the text is made when it is read, and some hosts refuse such skills")
	case isList && !wasList:
		d.add(Compatible, "resources", nil, nil, "the text is the same at each read, with digests")
	}
	if !wasList || !isList {
		return
	}
	root := strings.TrimSuffix(now.Str("uri"), "SKILL.md")
	find := func(list *jsontree.Value, uri string) *jsontree.Value {
		at := slices.IndexFunc(list.Items, func(v *jsontree.Value) bool { return v.Str("uri") == uri })
		if at < 0 {
			return nil
		}
		return list.Items[at]
	}
	var changed, added, removed []string
	for _, f := range before.Items {
		name := strings.TrimPrefix(f.Str("uri"), root)
		switch other := find(after, f.Str("uri")); {
		case other == nil:
			removed = append(removed, name)
		case !jsontree.Equal(f, other):
			changed = append(changed, name)
		}
	}
	for _, f := range after.Items {
		if find(before, f.Str("uri")) == nil {
			added = append(added, strings.TrimPrefix(f.Str("uri"), root))
		}
	}
	var parts []string
	for _, part := range []struct {
		how   string
		names []string
	}{{"changed", changed}, {"added", added}, {"removed", removed}} {
		if len(part.names) > 0 {
			parts = append(parts, part.how+" "+shortNames(part.names))
		}
	}
	if len(parts) > 0 {
		d.add(Wording, "resources", nil, nil, "files: %s", strings.Join(parts, "; "))
	}
}

// shortNames joins names, the first ones of many.
func shortNames(names []string) string {
	text := strings.Join(names[:min(len(names), shownNames)], ", ")
	if n := len(names) - shownNames; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
