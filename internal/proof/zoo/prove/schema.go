package prove

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/pattern"
)

// Schema is a published schema. It contains the parts from which values are generated.
type Schema struct {
	Node *Node // as published

	Type        string
	Description string
	Ref         *Schema // the target of $ref
	Properties  []Property
	Required    map[string]bool
	Closed      bool    // additionalProperties: false
	More        *Schema // additionalProperties, a schema
	Names       *Schema // propertyNames
	Items       *Schema
	AnyOf       []*Schema // or oneOf
	Enum        []*Node
	Default     *Node

	Minimum, Maximum, ExclusiveMinimum, ExclusiveMaximum, MultipleOf *big.Rat

	MinLength, MaxLength, MinItems, MaxItems, MinProperties, MaxProperties int // -1 if absent

	Pattern     string
	Format      string
	Encoding    string
	UniqueItems bool

	regexp *regexp.Regexp
}

// Property is one of an object's properties.
type Property struct {
	Name   string
	Schema *Schema
}

// ParseSchema reads a schema.
func ParseSchema(data string) (*Schema, error) {
	n, err := ParseNode(data)
	if err != nil {
		return nil, err
	}
	p := &schemaParser{root: n, made: map[*Node]*Schema{}}
	s := p.schema(n)
	return s, p.err
}

type schemaParser struct {
	root *Node
	made map[*Node]*Schema
	err  error
}

func (p *schemaParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func (p *schemaParser) schema(n *Node) *Schema {
	if s := p.made[n]; s != nil {
		return s
	}
	s := &Schema{
		Node: n, Required: map[string]bool{},
		MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1, MinProperties: -1, MaxProperties: -1,
	}
	p.made[n] = s
	if n.Kind != '{' {
		p.fail("a schema is %s", n)
		return s
	}
	for _, m := range n.Members {
		p.keyword(s, m.Name, m.Value)
	}
	return s
}

func (p *schemaParser) keyword(s *Schema, name string, v *Node) {
	rats := map[string]**big.Rat{
		"minimum": &s.Minimum, "maximum": &s.Maximum, "exclusiveMinimum": &s.ExclusiveMinimum,
		"exclusiveMaximum": &s.ExclusiveMaximum, "multipleOf": &s.MultipleOf,
	}
	counts := map[string]*int{
		"minLength": &s.MinLength, "maxLength": &s.MaxLength, "minItems": &s.MinItems, "maxItems": &s.MaxItems,
		"minProperties": &s.MinProperties, "maxProperties": &s.MaxProperties,
	}
	if r := rats[name]; r != nil {
		*r, _ = new(big.Rat).SetString(v.Text)
		return
	}
	if c := counts[name]; c != nil {
		*c, _ = strconv.Atoi(v.Text)
		return
	}
	switch name {
	case "type":
		s.Type = v.Text
	case "description":
		s.Description = v.Text
	case "$ref":
		s.Ref = p.ref(v.Text)
	case "properties":
		for _, m := range v.Members {
			s.Properties = append(s.Properties, Property{m.Name, p.schema(m.Value)})
		}
	case "required":
		for _, item := range v.Items {
			s.Required[item.Text] = true
		}
	case "additionalProperties":
		if v.Kind == 'b' {
			s.Closed = v.Text == "false"
		} else {
			s.More = p.schema(v)
		}
	case "propertyNames":
		s.Names = p.schema(v)
	case "items":
		s.Items = p.schema(v)
	case "anyOf", "oneOf":
		for _, item := range v.Items {
			s.AnyOf = append(s.AnyOf, p.schema(item))
		}
	case "enum":
		s.Enum = v.Items
	case "const":
		s.Enum = []*Node{v}
	case "default":
		s.Default = v
	case "pattern":
		s.Pattern = v.Text
		s.regexp, p.err = regexp.Compile(pattern.Translate(v.Text))
	case "format":
		s.Format = v.Text
	case "contentEncoding":
		s.Encoding = v.Text
	case "uniqueItems":
		s.UniqueItems = v.Text == "true"
	case "$defs":
		for _, m := range v.Members {
			p.schema(m.Value)
		}
	}
}

func (p *schemaParser) ref(ref string) *Schema {
	rest, ok := strings.CutPrefix(ref, "#/")
	n := p.root
	for part := range strings.SplitSeq(rest, "/") {
		if n = n.Get(part); n == nil || !ok {
			p.fail("%s leads nowhere", ref)
			return &Schema{Node: object()}
		}
	}
	return p.schema(n)
}

// resolve follows references.
func (s *Schema) resolve() *Schema {
	for s != nil && s.Ref != nil {
		s = s.Ref
	}
	return s
}

// takesNull reports whether null is valid against the schema.
func (s *Schema) takesNull() bool {
	s = s.resolve()
	if s == nil || s.Type == "" && s.AnyOf == nil && s.Enum == nil {
		return true
	}
	if s.Type == "null" {
		return true
	}
	for _, alternative := range s.AnyOf {
		if alternative.takesNull() {
			return true
		}
	}
	return false
}

// of returns the schema that a value was generated for: behind references, and the alternative
// beside null.
func (s *Schema) of(n *Node) *Schema {
	s = s.resolve()
	if s == nil || s.AnyOf == nil {
		return s
	}
	for _, alternative := range s.AnyOf {
		a := alternative.resolve()
		if (a.Type == "null") == (n.Kind == 'n') && a.discriminates(n) {
			return a.of(n)
		}
	}
	return s
}

// discriminates reports whether no single property value shows that an object belongs to another
// alternative.
func (s *Schema) discriminates(n *Node) bool {
	for _, p := range s.Properties {
		if len(p.Schema.Enum) != 1 || n.Kind != '{' {
			continue
		}
		if v := n.Get(p.Name); v != nil && v.Text != p.Schema.Enum[0].Text {
			return false
		}
	}
	return true
}

// property returns the schema of a member, or nil.
func (s *Schema) property(name string) *Schema {
	if s == nil {
		return nil
	}
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return s.More
}
