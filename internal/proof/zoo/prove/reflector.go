package prove

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	invopop "github.com/invopop/jsonschema"
)

// Difference is one keyword in which a published schema and the Reflector's schema differ.
type Difference struct {
	Tool string
	// Directives is set for a tool with lines of //mcp:arg.
	Directives bool
	Output     bool   // in the output schema
	Path       string // of the value that the schema describes
	Keyword    string // "shape" if the types differ, "property NAME", "required NAME"
	Ours       *Node  // nil if the keyword is missing
	Theirs     *Node
	Type       reflect.Type      // of the value, behind pointers; nil if unknown
	Owner      reflect.Type      // the struct that contains the value
	Tag        reflect.StructTag // of the field with the value
	Field      reflect.Type      // the type of that field
}

func (d Difference) String() string {
	side := "input"
	if d.Output {
		side = "output"
	}
	return fmt.Sprintf("%s: %s schema of %q (%v): %s is %s, and %s by the Reflector", d.Tool, side, d.Path, d.Type, d.Keyword, shown(d.Ours), shown(d.Theirs))
}

func shown(n *Node) string {
	if n == nil {
		return "missing"
	}
	if s := n.String(); len(s) <= 200 {
		return s
	}
	return n.String()[:200] + "…"
}

// CompareReflector compares the schemas of all tools with those that the Reflector generates from
// the same Go types. Every difference must belong to a class. It returns the counts by class.
func CompareReflector(t *testing.T, cfg Config) map[string]int {
	t.Helper()
	session := Connect(t, cfg.Server, Modern)
	tools, err := session.Tools()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	unexplained := 0
	for _, tool := range tools {
		if cfg.Own != nil && cfg.Own(tool.Name) {
			continue // the Reflector does not support it
		}
		p := &prover{session: session, tool: tool, report: &Report{Exceptions: map[Exception]int{}}}
		if !p.prepare(cfg) {
			t.Errorf("%s: the schemas are not usable", tool.Name)
			continue
		}
		if p.learn(); p.goType == nil {
			t.Errorf("%s: no value was accepted", tool.Name)
			continue
		}
		for _, d := range p.compare() {
			d.Directives = slices.Contains(cfg.Directives, tool.Name)
			class := classOf(d)
			counts[class]++
			if class == "" {
				if unexplained++; unexplained <= 40 {
					t.Error(d)
				}
			}
		}
	}
	return counts
}

// compare lists the differences of one tool's schemas.
func (p *prover) compare() []Difference {
	holder := holderOf(p.goType, p.whole)
	theirs, ok := reflected(holder)
	if !ok {
		return []Difference{{Tool: p.tool.Name, Keyword: "panic", Type: p.goType}}
	}
	c := &comparison{tool: p.tool.Name, theirs: theirs, seen: map[[2]*Node]bool{}}
	c.ours = p.schema.Node
	c.schema("", c.ours, theirs, goPlace{t: behind(holder)})
	if p.written != nil {
		if !p.whole {
			if theirs, ok = reflected(p.goType); !ok {
				return c.found
			}
		}
		c.ours, c.theirs, c.output = p.written.Node, theirs, true
		c.schema("", c.ours, theirs, goPlace{t: behind(p.goType)})
	}
	return c.found
}

// reflected returns the Reflector's schema of a type, unless it panics.
func reflected(t reflect.Type) (n *Node, ok bool) {
	defer func() {
		if recover() != nil {
			n, ok = nil, false
		}
	}()
	if embedsItself(behind(t), map[reflect.Type]bool{}) {
		return nil, false // it would never end
	}
	names := map[reflect.Type]string{}
	r := &invopop.Reflector{Anonymous: true, Namer: func(t reflect.Type) string {
		if t.Name() == "" {
			return ""
		}
		if names[t] == "" {
			names[t] = "T" + strconv.Itoa(len(names))
		}
		return names[t]
	}}
	data, err := json.Marshal(r.ReflectFromType(t))
	if err != nil {
		return nil, false
	}
	n, err = ParseNode(string(data))
	return n, err == nil
}

// embedsItself reports whether a chain of embedded fields leads back to a type.
func embedsItself(t reflect.Type, open map[reflect.Type]bool) bool {
	if t == nil || t.Kind() != reflect.Struct {
		return false
	}
	if open[t] {
		return true
	}
	open[t] = true
	defer delete(open, t)
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && embedsItself(behind(f.Type), open) {
			return true
		}
	}
	return false
}

// goPlace is the position of a schema in the Go types.
type goPlace struct {
	t, owner, field reflect.Type
	tag             reflect.StructTag
}

type comparison struct {
	tool         string
	output       bool
	ours, theirs *Node
	seen         map[[2]*Node]bool
	found        []Difference
}

func (c *comparison) add(path, keyword string, ours, theirs *Node, at goPlace) {
	c.found = append(c.found, Difference{
		Tool: c.tool, Output: c.output, Path: path, Keyword: keyword, Ours: ours, Theirs: theirs,
		Type: behind(at.t), Owner: at.owner, Tag: at.tag, Field: at.field,
	})
}

// follow resolves a reference within a document; true means the empty schema.
func follow(root, n *Node) *Node {
	for {
		ref := n.Get("$ref")
		if ref == nil {
			break
		}
		name, ok := strings.CutPrefix(ref.Text, "#/$defs/")
		to := root.Get("$defs").Get(name)
		if !ok || to == nil {
			break
		}
		n = to
	}
	return n
}

// schema compares two schemas and their subschemas.
func (c *comparison) schema(path string, ours, theirs *Node, at goPlace) {
	ours, theirs = follow(c.ours, ours), follow(c.theirs, theirs)
	pair := [2]*Node{ours, theirs}
	if c.seen[pair] {
		return
	}
	c.seen[pair] = true
	if theirs.Kind == 'b' {
		if theirs.Text == "true" && len(ours.Members) == 1 && ours.Get("description") != nil {
			c.add(path, "true", ours, theirs, at)
			return
		}
		c.add(path, "shape", ours, theirs, at)
		return
	}
	if kind(ours) != kind(theirs) {
		if n := alternative(ours); n != nil && kind(follow(c.ours, n)) == kind(theirs) {
			c.add(path, "anyOf", ours.Get("anyOf"), theirs.Get("oneOf"), at)
			c.schema(path, n, theirs, at)
			return
		}
		c.add(path, "shape", ours, theirs, at)
		return
	}
	if a, b := alternative(ours), alternative(theirs); a != nil && b != nil {
		c.add(path, "anyOf", ours.Get("anyOf"), theirs.Get("oneOf"), at)
		c.schema(path, a, b, at)
		return
	}
	for _, name := range keywords(ours, theirs) {
		c.keyword(path, name, ours.Get(name), theirs.Get(name), at)
	}
}

// kind returns the type of a schema, or the keyword that implies it.
func kind(n *Node) string {
	if t := n.Get("type"); t != nil {
		return t.Text
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if n.Get(name) != nil {
			return "anyOf"
		}
	}
	return ""
}

// alternative returns the alternative to null in a schema with two alternatives.
func alternative(n *Node) *Node {
	for _, name := range []string{"anyOf", "oneOf"} {
		list := n.Get(name)
		if list == nil || len(list.Items) != 2 {
			continue
		}
		for i, item := range list.Items {
			if kind(item) == "null" {
				return list.Items[1-i]
			}
		}
	}
	return nil
}

func keywords(a, b *Node) []string {
	var names []string
	for _, n := range []*Node{a, b} {
		for _, m := range n.Members {
			if m.Name != "$schema" && m.Name != "$defs" && !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

func (c *comparison) keyword(path, name string, ours, theirs *Node, at goPlace) {
	switch {
	case name == "properties":
		c.properties(path, ours, theirs, at)
	case name == "required":
		c.required(path, ours, theirs, at)
	case (name == "items" || name == "additionalProperties") && ours != nil && theirs != nil && ours.Kind == '{' && theirs.Kind != 'b':
		t := behind(at.t)
		if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map) {
			t = t.Elem()
		} else {
			t = nil
		}
		step := "[]"
		if name == "additionalProperties" {
			step = ".*"
		}
		c.schema(path+step, ours, theirs, goPlace{t: t, owner: at.owner, field: at.field, tag: at.tag})
	case name == "items" && ours != nil && theirs != nil:
		c.add(path+"[]", "true", ours, theirs, at)
	case ours == nil || theirs == nil || !same(ours, theirs):
		c.add(path, name, ours, theirs, at)
	}
}

func (c *comparison) properties(path string, ours, theirs *Node, at goPlace) {
	if ours == nil || theirs == nil {
		if (ours == nil || len(ours.Members) == 0) && (theirs == nil || len(theirs.Members) == 0) {
			return
		}
		c.add(path, "properties", ours, theirs, at)
		return
	}
	t := behind(at.t)
	for _, name := range keywords2(ours, theirs) {
		a, b := ours.Get(name), theirs.Get(name)
		inner := goPlace{owner: t}
		if t != nil && t.Kind() == reflect.Struct {
			if f, ok := fieldOf(t, name); ok {
				inner.t, inner.field, inner.tag = f.Type, f.Type, f.Tag
			}
		}
		if a == nil || b == nil {
			c.add(path, "property "+name, a, b, inner)
			continue
		}
		c.schema(joinPath(path, name), a, b, inner)
	}
}

func keywords2(a, b *Node) []string {
	var names []string
	for _, n := range []*Node{a, b} {
		for _, m := range n.Members {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

func (c *comparison) required(path string, ours, theirs *Node, at goPlace) {
	set := func(n *Node) map[string]bool {
		out := map[string]bool{}
		if n != nil {
			for _, item := range n.Items {
				out[item.Text] = true
			}
		}
		return out
	}
	a, b := set(ours), set(theirs)
	t := behind(at.t)
	for _, name := range slices.Sorted(keysOf(a, b)) {
		if a[name] == b[name] {
			continue
		}
		inner := goPlace{owner: t}
		if t != nil && t.Kind() == reflect.Struct {
			if f, ok := fieldOf(t, name); ok {
				inner.t, inner.field, inner.tag = f.Type, f.Type, f.Tag
			}
		}
		c.add(path, "required "+name, boolean(a[name]), boolean(b[name]), inner)
	}
}

func keysOf(sets ...map[string]bool) func(func(string) bool) {
	all := map[string]bool{}
	for _, s := range sets {
		for name := range s {
			all[name] = true
		}
	}
	return func(yield func(string) bool) {
		for name := range all {
			if !yield(name) {
				return
			}
		}
	}
}

// same compares two values of a keyword, numbers by their value.
func same(a, b *Node) bool {
	if a.Kind != b.Kind || len(a.Items) != len(b.Items) || len(a.Members) != len(b.Members) {
		return false
	}
	if a.Kind == '0' {
		x, ok1 := new(big.Rat).SetString(a.Text)
		y, ok2 := new(big.Rat).SetString(b.Text)
		return ok1 && ok2 && x.Cmp(y) == 0
	}
	for i := range a.Items {
		if !same(a.Items[i], b.Items[i]) {
			return false
		}
	}
	for _, m := range a.Members {
		other := b.Get(m.Name)
		if other == nil || !same(m.Value, other) {
			return false
		}
	}
	return a.Text == b.Text
}
