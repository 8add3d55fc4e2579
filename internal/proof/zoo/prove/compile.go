package prove

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/internal/pattern"
)

// Compile compiles a schema as draft 2020-12, with assertion of formats.
func Compile(data string) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseRegexpEngine(func(expr string) (jsonschema.Regexp, error) { return regexp.Compile(pattern.Translate(expr)) })
	c.RegisterFormat(&jsonschema.Format{Name: "ipv4", Validate: ipv4})
	c.RegisterFormat(&jsonschema.Format{Name: "time", Validate: timeOfDay})
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
}

// CompileClosed is like Compile for a result that must contain declared members only. Published
// schemas of results are open, which would hide an undeclared member that the encoder writes.
func CompileClosed(data string) (*jsonschema.Schema, error) {
	n, err := ParseNode(data)
	if err != nil {
		return nil, err
	}
	n.walk("", func(_ string, at *Node) {
		if p := at.Get("properties"); at.Kind == '{' && p != nil && p.Kind == '{' && at.isSchema() && at.Get("additionalProperties") == nil {
			at.Members = append(at.Members, Member{Name: "additionalProperties", Value: boolean(false)})
		}
	})
	return Compile(string(n.Append(nil)))
}

// isSchema reports whether an object is a schema of objects, and not a map of properties that
// contains a property named properties.
func (n *Node) isSchema() bool {
	t := n.Get("type")
	return t != nil && t.Kind == '"' && t.Text == "object"
}

// ipv4 replaces the format of the validator, which accepts plus signs.
func ipv4(v any) error {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	a, err := netip.ParseAddr(s)
	if err == nil && !a.Is4() {
		err = errors.New("not of version 4")
	}
	return err
}

// timeOfDay replaces the format of the validator, which accepts plus signs.
func timeOfDay(v any) error {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	if len(s) < 9 || !fullTime.MatchString(s) {
		return errors.New("not a time")
	}
	return nil
}

var fullTime = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)
