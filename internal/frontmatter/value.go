package frontmatter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxDepth limits the nesting of values.
const maxDepth = 64

// value is the JSON text of a value while it is written.
type value struct {
	out   []byte
	lines map[string]int // of the members of the outermost mapping
}

// node writes a node.
func (v *value) node(n *yaml.Node, depth int) error {
	switch {
	case depth > maxDepth:
		return fault(n, fmt.Sprintf("values are nested more than %d times", maxDepth), "write it flatter")
	case n.Kind == yaml.AliasNode:
		return fault(n, "an alias, which readers may refuse", "write the value itself")
	case n.Anchor != "":
		return fault(n, "an anchor, which readers may refuse", "delete &"+n.Anchor)
	case n.Style&yaml.TaggedStyle != 0 || n.Tag == "!":
		return fault(n, "a tag, which readers may ignore or refuse", "delete it, and quote the value if it is text")
	}
	switch n.Kind {
	case yaml.MappingNode:
		return v.mapping(n, depth)
	case yaml.SequenceNode:
		v.out = append(v.out, '[')
		for i, item := range n.Content {
			if i > 0 {
				v.out = append(v.out, ',')
			}
			if err := v.node(item, depth+1); err != nil {
				return err
			}
		}
		v.out = append(v.out, ']')
		return nil
	case yaml.ScalarNode:
		return v.scalar(n)
	}
	return fault(n, "a value of unknown kind", "quote it")
}

// mapping writes a mapping as an object.
func (v *value) mapping(n *yaml.Node, depth int) error {
	seen := map[string]bool{}
	v.out = append(v.out, '{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, member := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return fault(key, "a name that is no text", "write a name before the colon")
		}
		name := &value{}
		if err := name.node(key, depth+1); err != nil {
			return err
		}
		if name.out[0] != '"' {
			return fault(key, fmt.Sprintf("the name %s is no text for every reader", key.Value), fmt.Sprintf("quote it: %q", key.Value))
		}
		if seen[key.Value] {
			return fault(key, fmt.Sprintf("%s is written twice", key.Value), "keep one of the two")
		}
		if seen[key.Value] = true; depth == 0 {
			v.lines[key.Value] = key.Line + 1
		}
		if i > 0 {
			v.out = append(v.out, ',')
		}
		v.out = append(append(v.out, name.out...), ':')
		if n.Style&yaml.FlowStyle != 0 && isPlain(member) && member.Value == "" {
			return fault(key, fmt.Sprintf("%s has no value", key.Value), "write a space behind its colon, and the value")
		}
		if err := v.node(member, depth+1); err != nil {
			return err
		}
	}
	v.out = append(v.out, '}')
	return nil
}

// isPlain reports whether a scalar is written without quotes, | and >, so that its text determines
// its type.
func isPlain(n *yaml.Node) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Kind == yaml.ScalarNode && n.Style&quoted == 0
}

var (
	// integer and decimal match numbers that all readers and JSON have in common.
	integer = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)\.[0-9]+$`)
	// numeric matches texts that are numbers for some readers: octal, hexadecimal, with base 60,
	// with separators, exponents, and without digits on one side of the point.
	numeric = regexp.MustCompile(`(?i)^[-+]?(0b[01_]*|0o[0-7_]*|0x[0-9a-f_.p+-]*|[0-9][0-9_,]*(:[0-9]+)*(\.[0-9_,]*)?(e[-+]?[0-9]*)?|\.[0-9_,]*(e[-+]?[0-9]*)?|\.inf|\.nan)$`)
	// date matches what YAML 1.1 calls a timestamp.
	date = regexp.MustCompile(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t][0-9Zz:. \t+-]*)?$`)
	// word matches the words of YAML 1.1 and 1.2 for booleans and null.
	word = regexp.MustCompile(`(?i)^(y|yes|n|no|on|off|true|false|null)$`)
)

// maxDigits limits the digits of a decimal fraction, so that a float64 has the same value.
const maxDigits = 15

// scalar writes text, a number, a boolean or null.
func (v *value) scalar(n *yaml.Node) error {
	if !isPlain(n) {
		v.text(n.Value)
		return nil
	}
	s := n.Value
	differs := func(kind string) error {
		hint := fmt.Sprintf("quote it if it is text: %q", s)
		return fault(n, fmt.Sprintf("readers of YAML disagree whether %s is %s", s, kind), hint)
	}
	switch {
	case s == "" || s == "~" || s == "null":
		v.out = append(v.out, "null"...)
	case s == "true" || s == "false":
		v.out = append(v.out, s...)
	case integer.MatchString(s) && s != "-0":
		if i, err := strconv.ParseInt(s, 10, 64); err != nil || max(i, -i) > 1<<53-1 {
			return fault(n, fmt.Sprintf("the number %s is larger than some readers can read", s), fmt.Sprintf("quote it: %q", s))
		}
		v.out = append(v.out, s...)
	case decimal.MatchString(s) && !strings.HasPrefix(s, "-0.0") && len(s) <= maxDigits:
		v.out = append(v.out, s...)
	case numeric.MatchString(s):
		return differs("a number, and which one")
	case date.MatchString(s):
		return differs("a date")
	case word.MatchString(s):
		return differs("text")
	case s == "=" || s == "<<" || strings.HasPrefix(s, ":"):
		return differs("text")
	default:
		v.text(s)
	}
	return nil
}

// text writes a string.
func (v *value) text(s string) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string has a JSON form, and the buffer takes it
	v.out = append(v.out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
