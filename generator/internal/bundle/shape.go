package bundle

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
	"github.com/mcpgen/mcpgen/internal/suggest"
	"github.com/mcpgen/mcpgen/internal/valid"
)

// shape limits a value of a configuration.
type shape struct {
	kind     jsontree.Kind
	members  map[string]*shape            // for an object with certain members
	required []string                     // names of members
	each     *shape                       // for an array, or an object with any names; nil allows any value
	text     func(string) (wanted string) // for a string: returns the requirement that it does not meet, or ""
	refused  string                       // reason why this member cannot be set
}

var kindNames = map[jsontree.Kind]string{
	jsontree.Null: "null", jsontree.Boolean: "true or false", jsontree.Number: "a number", jsontree.Text: "a string",
	jsontree.Array: "an array", jsontree.Object: "an object",
}

var (
	aText    = &shape{kind: jsontree.Text}
	aFlag    = &shape{kind: jsontree.Boolean}
	aNumber  = &shape{kind: jsontree.Number}
	texts    = list(aText)
	anURL    = &shape{kind: jsontree.Text, text: wants(valid.IsURI, "an absolute URI, such as https://example.com")}
	anEmail  = &shape{kind: jsontree.Text, text: wants(valid.IsEmail, "an e-mail address")}
	aVersion = &shape{kind: jsontree.Text, text: wants(semantic.MatchString, "a semantic version, such as 1.4.0")}
	// Names become file names, so they contain no separators.
	aName = &shape{kind: jsontree.Text, text: wants(named.MatchString, "letters, digits, dots, dashes and underscores")}
)

var (
	named    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)
	semantic = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
)

func list(each *shape) *shape  { return &shape{kind: jsontree.Array, each: each} }
func table(each *shape) *shape { return &shape{kind: jsontree.Object, each: each} }
func object(members map[string]*shape, required ...string) *shape {
	return &shape{kind: jsontree.Object, members: members, required: required}
}
func refuse(why string) *shape { return &shape{refused: why} }

func wants(is func(string) bool, wanted string) func(string) string {
	return func(s string) string {
		if is(s) {
			return ""
		}
		return wanted
	}
}

func matching(pattern, wanted string) *shape {
	return &shape{kind: jsontree.Text, text: wants(regexp.MustCompile(pattern).MatchString, wanted)}
}

func oneOf(words ...string) *shape {
	return &shape{kind: jsontree.Text, text: func(s string) string {
		if slices.Contains(words, s) {
			return ""
		}
		return "one of " + strings.Join(words, ", ")
	}}
}

// problems collects the problems of a configuration, each with the path of its place.
type problems []string

func (p *problems) add(path, format string, args ...any) {
	*p = append(*p, path+": "+fmt.Sprintf(format, args...))
}

// check compares a value with a shape; nil allows any value.
func (p *problems) check(path string, v *jsontree.Value, s *shape) {
	switch {
	case s == nil:
		return
	case s.refused != "":
		p.add(path, "%s", s.refused)
		return
	case v.Kind != s.kind:
		p.add(path, "it is %s, and must be %s", kindNames[v.Kind], kindNames[s.kind])
		return
	case s.text != nil:
		if wanted := s.text(v.Text); wanted != "" {
			p.add(path, "%s is not %s", strconv.Quote(v.Text), wanted)
		}
	}
	for i, item := range v.Items {
		p.check(fmt.Sprintf("%s[%d]", path, i), item, s.each)
	}
	for _, m := range v.Members {
		at := join(path, m.Name)
		switch of, known := s.members[m.Name]; {
		case known:
			p.check(at, m.Value, of)
		case s.members != nil:
			p.unknown(at, m.Name, s)
		default:
			p.check(at, m.Value, s.each)
		}
	}
	for _, name := range s.required {
		if v.Get(name) == nil {
			p.add(path, "the member %s is missing", name)
		}
	}
}

// unknown reports a member that the shape lacks, with the one that was probably meant.
func (p *problems) unknown(path, name string, s *shape) {
	var names []string
	for _, known := range slices.Sorted(maps.Keys(s.members)) {
		if of := s.members[known]; of == nil || of.refused == "" {
			names = append(names, known)
		}
	}
	hint := "the members are " + strings.Join(names, ", ")
	if near := suggest.Typo(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	p.add(path, "it is not a member of manifests; %s", hint)
}

// join adds a name to a path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
