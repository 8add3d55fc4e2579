package prove

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	plainDefinition = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	plainProperty   = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	plainTool       = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
)

// Style checks a published schema by the rules for schemas that every client accepts, and returns
// the violations. OddNames are property names that the Go source requires.
func Style(data string, input bool, oddNames func(string) bool) []string {
	n, err := ParseNode(data)
	if err != nil {
		return []string{err.Error()}
	}
	c := &styleCheck{root: n, odd: oddNames, refs: map[string]bool{}}
	if strings.Contains(data, "\n") {
		c.add("", "spans several lines")
	}
	if input {
		c.inputRoot(n)
	} else {
		c.open(n)
	}
	c.schema("#", n, true)
	if defs := n.Get("$defs"); defs != nil {
		for _, m := range defs.Members {
			if !plainDefinition.MatchString(m.Name) {
				c.add("$defs", "the name %q is not plain", m.Name)
			}
			if !c.refs[m.Name] {
				c.add("$defs", "%s is never referred to", m.Name)
			}
			if !c.cyclic(m.Name, m.Value, map[string]bool{}) {
				c.add("$defs", "%s closes no cycle", m.Name)
			}
		}
	}
	return c.found
}

type styleCheck struct {
	root  *Node
	odd   func(string) bool
	refs  map[string]bool
	found []string
}

func (c *styleCheck) add(path, format string, args ...any) {
	c.found = append(c.found, path+": "+fmt.Sprintf(format, args...))
}

// inputRoot checks rule 1.
func (c *styleCheck) inputRoot(n *Node) {
	if t := n.Get("type"); t == nil || t.Text != "object" {
		c.add("#", "the root is not an object")
	}
	if p := n.Get("properties"); p == nil || p.Kind != '{' {
		c.add("#", "the root has no properties")
	}
	if a := n.Get("additionalProperties"); a == nil || a.Text != "false" {
		c.add("#", "the root takes additional properties")
	}
}

// open checks rule 6, for results: a member may be added to each object.
func (c *styleCheck) open(n *Node) {
	n.walk("#", func(path string, at *Node) {
		if a := at.Get("additionalProperties"); a != nil && a.Kind == 'b' && a.Text == "false" {
			c.add(path, "is closed")
		}
	})
}

// schema checks rules 1 to 5 for one schema and its subschemas.
func (c *styleCheck) schema(path string, n *Node, root bool) {
	if n.Kind != '{' {
		c.add(path, "a schema is %s", n)
		return
	}
	seen := map[string]bool{}
	for _, m := range n.Members {
		if seen[m.Name] {
			c.add(path, "%s is there twice", m.Name)
		}
		seen[m.Name] = true
		switch m.Name {
		case "$schema", "$id", "$anchor", "definitions", "allOf", "nullable", "not", "if", "then", "else", "prefixItems", "contains",
			"patternProperties", "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties", "contentMediaType":
			// Package contract does not classify changes of most of these.
			c.add(path, "has %s", m.Name)
		case "$defs":
			if !root {
				c.add(path, "has %s below the root", m.Name)
			}
			for _, d := range m.Value.Members {
				c.schema("#/$defs/"+d.Name, d.Value, false)
			}
		case "$ref":
			name, ok := strings.CutPrefix(m.Value.Text, "#/$defs/")
			if root || !ok || c.root.Get("$defs") == nil || c.root.Get("$defs").Get(name) == nil {
				c.add(path, "has $ref %s", m.Value.Text)
			}
			c.refs[name] = true
		case "type":
			if m.Value.Kind != '"' {
				c.add(path, "type is %s", m.Value)
			}
		case "anyOf", "oneOf":
			if root {
				c.add(path, "has %s", m.Name)
			}
			for _, item := range m.Value.Items {
				c.schema(path+"/"+m.Name, item, false)
			}
		case "properties":
			for _, p := range m.Value.Members {
				if !plainProperty.MatchString(p.Name) && !c.odd(p.Name) {
					c.add(path, "the property name %q is not plain", p.Name)
				}
				c.schema(path+"/"+p.Name, p.Value, false)
			}
		case "propertyNames":
			if p := m.Value.Get("pattern"); p == nil || len(m.Value.Members) > 1 {
				c.schema(path+"/"+m.Name, m.Value, false)
			}
		case "items":
			c.schema(path+"/"+m.Name, m.Value, false)
		case "additionalProperties":
			if m.Value.Kind == '{' {
				c.schema(path+"/*", m.Value, false)
			} else if m.Value.Text != "false" {
				c.add(path, "additionalProperties is %s", m.Value)
			}
		case "required":
			if m.Value.Kind != '[' || len(m.Value.Items) == 0 {
				c.add(path, "required is %s", m.Value)
			}
			for _, item := range m.Value.Items {
				if p := n.Get("properties"); p == nil || p.Get(item.Text) == nil {
					c.add(path, "requires %s, which is not a property", item)
				}
			}
		}
	}
	c.kind(path, n)
}

// kind checks the type of a schema.
func (c *styleCheck) kind(path string, n *Node) {
	t := n.Get("type")
	switch {
	case t == nil:
		if n.Get("$ref") == nil && n.Get("anyOf") == nil && n.Get("oneOf") == nil && n.Get("enum") == nil && n.Get("description") == nil {
			c.add(path, "is empty and has no description")
		}
	case t.Text == "array" && n.Get("items") == nil:
		c.add(path, "has no items")
	case t.Text == "object" && n.Get("properties") == nil && n.Get("additionalProperties") == nil:
		c.add(path, "is an object of no kind")
	}
}

// cyclic reports whether a definition refers to itself, directly or not.
func (c *styleCheck) cyclic(name string, n *Node, seen map[string]bool) bool {
	found := false
	n.walk("", func(_ string, at *Node) {
		ref := at.Get("$ref")
		if ref == nil || found {
			return
		}
		to := strings.TrimPrefix(ref.Text, "#/$defs/")
		if to == name {
			found = true
		} else if def := c.root.Get("$defs").Get(to); def != nil && !seen[to] {
			seen[to] = true
			found = c.cyclic(name, def, seen)
		}
	})
	return found
}
