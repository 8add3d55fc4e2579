package typescript

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// use is a plan in one direction. Its types differ: arguments have defaults, which results do not
// have, and the values of an enumeration are closed in arguments alone.
type use struct {
	plan   *model.Type
	output bool
}

// naming contains the names of the declared types.
type naming struct {
	roots   []*root
	uses    []use          // the plans with a declaration, in the order in which tools reach them
	classes map[use]int    // plans of the same class share a declaration
	members map[int][]use  // by class
	names   map[int]string // by class
	byRoot  map[*root]string
}

// of returns the name of a plan, or "" if it is written where it is used.
func (n *naming) of(t *model.Type, output bool) string {
	class, ok := n.classes[use{t, output}]
	if !ok {
		return ""
	}
	return n.names[class]
}

// ofRoot returns the name of an object that has no Go type.
func (n *naming) ofRoot(r *root) string { return n.byRoot[r] }

// isDeclared reports whether a plan gets a declaration: a named struct, union or enumeration, and a
// named list or map, since it may contain itself.
func isDeclared(t *model.Type) bool {
	if t.Name == "" {
		return false
	}
	switch t.Kind {
	case model.Struct, model.Union, model.Slice, model.Array, model.Map:
		return t.Schema == ""
	}
	return t.Schema == "" && t.Enum != nil && isScalar(t)
}

// nameAll names the declared types that some arguments and results contain.
func nameAll(roots []*root) *naming {
	n := &naming{classes: map[use]int{}, roots: roots, byRoot: map[*root]string{}}
	for _, r := range roots {
		if r.plan != nil {
			n.find(r.plan, r.output)
		}
	}
	n.classify()
	n.choose()
	return n
}

// find collects the declared types below a plan.
func (n *naming) find(t *model.Type, output bool) {
	if isDeclared(t) {
		if _, seen := n.classes[use{t, output}]; seen {
			return
		}
		n.classes[use{t, output}] = 0
		n.uses = append(n.uses, use{t, output})
	}
	if t.Schema != "" {
		return
	}
	if t.Elem != nil {
		n.find(t.Elem, output) // the names of a map's members are text
	}
	for _, f := range t.Fields {
		n.find(f.Type, output)
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			if len(v.Type.Fields) > 0 {
				n.find(v.Type, output)
			}
		}
	}
}

// classify finds the plans with the same declaration, such as plans of one type in two packages: it
// begins with the plans that have the same name, and separates those whose declarations differ, or
// refer to different ones, until none does.
func (n *naming) classify() {
	for count := 0; ; {
		texts := map[string]int{}
		next := map[use]int{}
		n.names = map[int]string{}
		for _, class := range n.classes {
			n.names[class] = fmt.Sprintf("#%d", class)
		}
		w := &writer{names: n}
		for _, u := range n.uses {
			text := typeName(u.plan) + "\x00" + n.desired(u) + "\x00" + w.declaration(u.plan, "", u.output)
			if _, ok := texts[text]; !ok {
				texts[text] = len(texts)
			}
			next[u] = texts[text]
		}
		n.classes = next
		if len(texts) == count {
			break
		}
		count = len(texts)
	}
	n.members = map[int][]use{}
	for _, u := range n.uses {
		n.members[n.classes[u]] = append(n.members[n.classes[u]], u)
	}
}

// desired returns the name that a type has if no other one has it: the name of its Go type, with
// the feature for which a directive changed it, and Input for arguments. It does not depend on the
// other types of the file.
func (n *naming) desired(u use) string {
	name := cmp.Or(pascal(u.plan.Name), "Type") + pascal(u.plan.Variant)
	if !u.output {
		name += "Input"
	}
	return name
}

// choose gives every class a name of its own. Types that share one get their package in front, and
// a number if they still share one.
func (n *naming) choose() {
	type candidate struct {
		class int
		root  *root
		name  string
	}
	var all []*candidate
	sharing := map[string]int{}
	for class := range len(n.members) {
		c := &candidate{class: class, name: n.desired(n.members[class][0])}
		all = append(all, c)
		sharing[c.name]++
	}
	for _, r := range n.roots {
		if !r.isNameless() {
			continue
		}
		c := &candidate{root: r, name: cmp.Or(pascal(r.tool.Name), "Tool") + "Args"}
		if r.output {
			c.name = cmp.Or(pascal(r.tool.Name), "Tool") + "Result"
		}
		all = append(all, c)
		sharing[c.name]++
	}
	n.names = map[int]string{}
	taken := map[string]bool{"Tools": true}
	for _, c := range all {
		name := c.name
		if c.root == nil && sharing[name] > 1 {
			name = pascal(packageOf(n.members[c.class][0].plan)) + name
		}
		unique := name
		for i := 2; taken[unique]; i++ {
			unique = name + "_" + strconv.Itoa(i)
		}
		taken[unique] = true
		if c.root != nil {
			n.byRoot[c.root] = unique
		} else {
			n.names[c.class] = unique
		}
	}
}

// declarations writes all declarations, in the order of their names.
func (n *naming) declarations(w *writer) []string {
	texts := map[string]string{}
	for class, members := range n.members {
		texts[n.names[class]] = w.declaration(members[0].plan, n.names[class], members[0].output)
	}
	for r, name := range n.byRoot {
		texts[name] = "export interface " + name + " " + w.object(r.plan, nil, r.output, "") + "\n"
	}
	all := make([]string, 0, len(texts))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		all = append(all, texts[name])
	}
	return all
}

// pascal returns a name in the form of a type: "get_book" becomes GetBook. It is an identifier, and
// not the name of a type of the language, which begin with a small letter.
func pascal(name string) string {
	var b strings.Builder
	upper := true
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			upper = true
		case upper:
			if b.Len() == 0 && unicode.IsDigit(c) {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToUpper(c))
			upper = false
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// packageOf returns the name of the package that declares a type.
func packageOf(t *model.Type) string {
	if named, ok := types.Unalias(t.Go).(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Name()
	}
	return "type"
}

// typeName returns the Go type of a plan with the path of its package.
func typeName(t *model.Type) string {
	if t.Go == nil {
		return ""
	}
	return cmp.Or(types.TypeString(t.Go, nil), t.Name)
}
