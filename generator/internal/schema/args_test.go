package schema

import (
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

const argSource = `
import (
	"math/big"
	"time"
)

type Sort string
const (
	Relevance Sort = "relevance"
	Year      Sort = "year"
)

type Range struct {
	From int ` + "`json:\"from\"`" + `
	To   int ` + "`json:\"to\" jsonschema:\"maximum=9\"`" + `
}

type Filter struct {
	Words  string           ` + "`json:\"words\"`" + `
	Years  *Range           ` + "`json:\"years\"`" + `
	Ranges []Range          ` + "`json:\"ranges\"`" + `
	ByName map[string]Range ` + "`json:\"by_name\"`" + `
	Next   *Filter          ` + "`json:\"next\"`" + `
	Nanos  time.Duration    ` + "`json:\"nanos\"`" + `
}

type Tree map[string]Tree

func Cyclic(t Tree) {}

func Whole(f Filter) {}

func Plain(query string, limit int, sort Sort, rate float64, wait time.Duration, tags []string, filter Filter,
	opt *int, yes bool, v any, at time.Time, p *any, n *big.Int) {}
`

// arg returns a directive as the scanner returns it: NAME key=value; key=value.
func arg(text string) *directive.Directive {
	name, rest, _ := strings.Cut(text, " ")
	d := &directive.Directive{
		Word: "arg", Pos: token.Position{Filename: "a.go", Line: 1, Column: 1},
		Args: []directive.Arg{{Value: name, Bare: true}},
	}
	for _, word := range strings.Split(rest, "; ") {
		if word == "" {
			continue
		}
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			value = "true"
		}
		d.Args = append(d.Args, directive.Arg{
			Key: key, Value: value, Bare: key == "", Quoted: key == "", Pos: token.Position{Filename: "a.go", Line: 1, Column: 9},
		})
	}
	return d
}

func object(t *testing.T, s *snippet, name string) *model.Type {
	t.Helper()
	sig := s.typeOf(t, name).(*types.Signature)
	if name == "Whole" {
		return s.Type(sig.Params().At(0).Type(), Argument, diag.Place{})
	}
	return s.params(t, name, sig)
}

// TestApplyArgs compares one property after a directive is applied.
func TestApplyArgs(t *testing.T) {
	tests := []struct{ fn, arg, property, want string }{
		{"Plain", "query =What to find.; minLength=1; maxLength=9; pattern=^a", "query", `{"type":"string","description":"What to find.","minLength":1,"maxLength":9,"pattern":"^a"}`},
		{"Whole", "by_name minProperties=1; maxProperties=2", "by_name", `{"type":"object","additionalProperties":{"type":"object","properties":{"from":{"type":"integer"},"to":{"type":"integer","maximum":9}},"required":["from","to"],"additionalProperties":false},"minProperties":1,"maxProperties":2}`},
		{"Plain", "query default=sea", "query", `{"type":"string","default":"sea"}`},
		{"Plain", `query default="sea"`, "query", `{"type":"string","default":"sea"}`},
		{"Plain", "query default=5; examples=a", "query", `{"type":"string","default":"5","examples":["a"]}`},
		{"Plain", `query examples=["a", "b"]`, "query", `{"type":"string","examples":["a","b"]}`},
		{"Plain", "query enum=a,b, c", "query", `{"type":"string","enum":["a","b","c"]}`},
		{"Plain", `query enum=["a,b","c"]`, "query", `{"type":"string","enum":["a,b","c"]}`},
		{"Plain", "query format=email; nullable", "query", `{"anyOf":[{"type":"string","format":"email"},{"type":"null"}]}`},
		{"Plain", "limit default=20; minimum=1; maximum=100; multipleOf=1", "limit", `{"type":"integer","minimum":1,"maximum":100,"multipleOf":1,"default":20}`},
		{"Plain", "limit enum=10,20; examples=[10,20]", "limit", `{"type":"integer","enum":[10,20],"examples":[10,20]}`},
		{"Plain", "limit default=1e1", "limit", `{"type":"integer","default":1e1}`},
		{"Plain", "sort default=year", "sort", `{"type":"string","enum":["relevance","year"],"default":"year"}`},
		{"Plain", "sort enum=year", "sort", `{"type":"string","enum":["year"]}`},
		{"Plain", "rate exclusiveMinimum=0; exclusiveMaximum=1.5", "rate", `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1.5}`},
		{"Plain", "wait default=1m; format=duration", "wait", `{"type":"string","description":"A duration such as \"1h30m\".","pattern":"` + strings.ReplaceAll(durationPattern, `\`, `\\`) + `","default":"1m"}`},
		{"Plain", `tags minItems=1; uniqueItems; enum=a,b; default=["a"]`, "tags", `{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"uniqueItems":true,"default":["a"]}`},
		{"Plain", `tags examples=[["a"],["b"]]`, "tags", `{"type":"array","items":{"type":"string"},"examples":[["a"],["b"]]}`},
		{"Plain", `tags examples=["a","b"]`, "tags", `{"type":"array","items":{"type":"string"},"examples":[["a","b"]]}`},
		{"Plain", "opt default=3", "opt", `{"type":"integer","default":3}`},
		{"Plain", "yes default=true; header=X-Yes", "yes", `{"type":"boolean","default":true,"x-mcp-header":"X-Yes"}`},
		{"Plain", `v default={"a": [1, null]}`, "v", `{"description":"Any JSON value.","default":{"a":[1,null]}}`},
		{"Plain", "at default=2024-02-29T00:00:00Z", "at", `{"type":"string","format":"date-time","default":"2024-02-29T00:00:00Z"}`},
		{"Plain", "query name=q; minLength=2", "q", `{"type":"string","minLength":2}`},
		{"Plain", "filter.years.from minimum=1", "filter.years.from", `{"type":"integer","minimum":1}`},
		{"Whole", "words minLength=1; optional", "words", `{"type":"string","minLength":1}`},
		{"Whole", "years.to maximum=5; =The end.", "years.to", `{"type":"integer","description":"The end.","maximum":5}`},
		{"Whole", "ranges.to maximum=5", "ranges.to", `{"type":"integer","maximum":5}`},
		{"Whole", "by_name.to maximum=5", "by_name.to", `{"type":"integer","maximum":5}`},
		{"Whole", "nanos format=duration; default=5s", "nanos", `{"type":"string","description":"A duration such as \"1h30m\".","pattern":"` + strings.ReplaceAll(durationPattern, `\`, `\\`) + `","default":"5s"}`},
	}
	for _, tt := range tests {
		t.Run(tt.arg, func(t *testing.T) {
			s := check(t, argSource)
			before := object(t, s, tt.fn)
			text := inputText(before)
			changed, ok := s.ApplyArgs(before, "feature", []*directive.Directive{arg(tt.arg)}, diag.Place{Subject: "tool X"})
			if !ok {
				t.Fatal(s.printed())
			}
			inspectSchema(t, inputText(changed), true)
			if d := cmp.Diff(text, inputText(before)); d != "" {
				t.Error("the plan that others share was changed:", d)
			}
			f := find(changed, strings.Split(tt.property, "."))
			if f == nil {
				t.Fatalf("no property %s in %s", tt.property, inputText(changed))
			}
			w := &renderer{}
			if got := Marshal(w.field(f)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// find follows a dotted name.
func find(t *model.Type, path []string) *model.Field {
	for t.Elem != nil {
		t = t.Elem
	}
	for _, f := range t.Fields {
		if f.Name == path[0] {
			if len(path) == 1 {
				return f
			}
			return find(f.Type, path[1:])
		}
	}
	return nil
}

// TestApplyArgsVariant checks the copies: the structs on the way to the field are copied and named
// after the feature, the rest is shared; several directives accumulate.
func TestApplyArgsVariant(t *testing.T) {
	s := check(t, argSource)
	shared := object(t, s, "Whole")
	one, ok := s.ApplyArgs(shared, "one", []*directive.Directive{arg("years.to maximum=5"), arg("years.to minimum=2; name=until"), arg("years.to =Again.")}, diag.Place{Subject: "tool X"})
	two, ok2 := s.ApplyArgs(shared, "two", []*directive.Directive{arg("words optional")}, diag.Place{Subject: "tool Y"})
	none, ok3 := s.ApplyArgs(shared, "three", nil, diag.Place{Subject: "tool Z"})
	if !ok || !ok2 || !ok3 || none != shared {
		t.Fatal(s.printed())
	}
	years := find(one, []string{"years"}).Type
	if one.Variant != "one" || years.Elem.Variant != "one" || shared.Variant != "" || two.Variant != "two" {
		t.Error("wrong variants")
	}
	if find(one, []string{"ranges"}).Type != find(shared, []string{"ranges"}).Type || find(one, []string{"next"}).Type.Elem != shared {
		t.Error("a plan was copied that did not change")
	}
	if got, want := Marshal((&renderer{}).field(find(one, []string{"years", "until"}))), `{"type":"integer","description":"Again.","minimum":2,"maximum":5}`; got != want {
		t.Errorf("got %s", got)
	}
	if find(two, []string{"words"}).Required || !find(shared, []string{"words"}).Required {
		t.Error("wrong requirement")
	}
	compile(t, inputText(one))
}

// TestApplyArgsOmit removes fields from one feature and from no other.
func TestApplyArgsOmit(t *testing.T) {
	s := check(t, argSource)
	shared := object(t, s, "Whole")
	before := inputText(shared)
	changed, ok := s.ApplyArgs(shared, "feature", []*directive.Directive{arg("words omit"), arg("years.to omit"), arg("years.from omit=false")}, diag.Place{Subject: "tool X"})
	if !ok {
		t.Fatal(s.printed())
	}
	if find(changed, []string{"words"}) != nil || find(changed, []string{"years", "to"}) != nil || find(changed, []string{"years", "from"}) == nil {
		t.Errorf("got %s", inputText(changed))
	}
	if d := cmp.Diff(before, inputText(shared)); d != "" {
		t.Error("the plan that others share was changed:", d)
	}
	compile(t, inputText(changed))
}

// TestApplyArgsRequired checks the effect of directives on required.
func TestApplyArgsRequired(t *testing.T) {
	for text, want := range map[string]bool{
		"query minLength=1": true, "query optional": false, "query required=false": false, "query default=a": false,
		"opt minimum=1": false, "opt required": true, "opt optional=false": true,
	} {
		s := check(t, argSource)
		changed, ok := s.ApplyArgs(object(t, s, "Plain"), "f", []*directive.Directive{arg(text)}, diag.Place{Subject: "tool X"})
		name, _, _ := strings.Cut(text, " ")
		if !ok || find(changed, []string{name}).Required != want {
			t.Errorf("%s: required is not %v\n%s", text, want, s.printed())
		}
	}
}

// TestFlagsOfTags checks that flag=false means the same in a tag as in a directive.
func TestFlagsOfTags(t *testing.T) {
	for tag, want := range map[string]bool{
		`json:"f" jsonschema:"required=false"`: false, `json:"f,omitempty" jsonschema:"optional=false"`: true,
		`json:"f,omitempty" jsonschema:"required=0"`: false, `json:"f" jsonschema:"optional=F"`: true,
		`json:"f" jsonschema:"required=true"`: true, `json:"f"`: true,
	} {
		s := check(t, "type X struct {\n\tF []string `"+tag+"`\n}")
		plan := s.Type(s.typeOf(t, "X"), Argument, s.place("X"))
		if plan == nil || plan.Fields[0].Required != want {
			t.Errorf("%s: required is not %v\n%s", tag, want, s.printed())
		}
	}
	s := check(t, "type X struct {\n\tF []string `validate:\"unique\" jsonschema:\"uniqueItems=false\"`\n}")
	if plan := s.Type(s.typeOf(t, "X"), Argument, s.place("X")); plan.Fields[0].Rules.Limit("uniqueItems") != "" {
		t.Error("uniqueItems=false does not replace validate:\"unique\"")
	}
}

func TestApplyArgsDiagnostics(t *testing.T) {
	tests := []struct{ fn, arg, want string }{
		{"Plain", "qeury minLength=1", "1:1: tool X: argument qeury: there is no such argument | did you mean query?"},
		{"Plain", "xyz minLength=1", "1:1: tool X: argument xyz: there is no such argument | the names are query, limit, sort, rate, wait, tags, filter, opt, yes, v, at, p, n"},
		{"Whole", "years.form minimum=1", "1:1: tool X: argument years.form: there is no such argument | did you mean years.from?"},
		{"Plain", "query.x minimum=1", "1:1: tool X: argument query.x: there is no such argument | there are no arguments"},
		{"Cyclic", "t minLength=1", "1:9: tool X: argument t: minLength applies to values in lists or maps, but this type contains only lists or maps of itself | write a keyword for lists or maps, such as maxItems"},
		{"Cyclic", "t.foo minLength=1", "1:1: tool X: argument t.foo: there is no such argument | there are no arguments"},
		{"Whole", "years.to omit; minimum=1", "1:1: tool X: argument years.to: an omitted field is not an argument, so it has no other settings | delete the rest of the line"},
		{"Whole", "years.form omit", "1:1: tool X: argument years.form: there is no such argument | did you mean years.from?"},
		{"Plain", "query minimum=1", "1:9: tool X: argument query: minimum cannot be used on a string | leave it out, or check it in the function"},
		{"Plain", "limit default=0; minimum=1", "1:1: tool X: argument limit: default 0 is less than the minimum 1 | change the value, or the constraint that excludes it"},
		{"Plain", "limit default=many", "1:9: tool X: argument limit: default many is not an integer | write it as JSON"},
		{"Plain", "tags default=a", `1:9: tool X: argument tags: default a is not an array | write it as a JSON array, such as ["a","b"]`},
		{"Plain", "v default=a", `1:9: tool X: argument v: default a is not JSON | write it as JSON: a string in double quotes, "a"`},
		{"Plain", "wait default=5", `1:1: tool X: argument wait: default "5" is not a duration such as "1h30m" | change the value, or the constraint that excludes it`},
		{"Plain", "wait minimum=5", `1:9: tool X: argument wait: minimum cannot be used on a duration | leave it out, or check it in the function`},
		{"Plain", "query required; default=a", "1:9: tool X: argument query: required and default exclude each other: a default is for an argument that is missing | keep one of them"},
		{"Plain", "query required; optional", "1:9: tool X: argument query: required and optional exclude each other | keep one of them"},
		{"Plain", "query header=X Region", `1:9: tool X: argument query: header "X Region" is not a header name | write a name such as X-Region`},
		{"Plain", "rate header=X-Rate", `1:9: tool X: argument rate: header cannot be used on a number: only strings, integers and booleans can be in one | write a name such as X-Region`},
		{"Plain", "query header=X; nullable", "1:1: tool X: argument query: header and nullable exclude each other | drop one of them"},
		{"Plain", "query name=limit", "1:9: tool X: argument query: there is an argument limit already | choose another name"},
		{"Plain", "query name=", "1:9: tool X: argument query: the name is empty | write name=words"},
		{"Plain", "sort default=date", `1:1: tool X: argument sort: default "date" is not one of the allowed values "relevance", "year" | change the value, or the constraint that excludes it`},
		{"Plain", `query schema={"type":"string"}`, `1:9: tool X: argument query: schema cannot be used on a string | the schema of other types is made from the Go type`},
		{"Plain", `p schema={"type":"string"}`, `1:9: tool X: argument p: schema cannot be used on a pointer to any value | use any, which may be nil`},
		{"Plain", `v schema={"type":"string"}; nullable`, `1:1: tool X: argument v: nullable cannot be used with a schema | name null among the types, such as "type":["string","null"]`},
		{"Plain", `v schema={"type":"string"}; default=5`, `1:1: tool X: argument v: default 5 is not valid by the schema {"type":"string"} | change the value, or the constraint that excludes it`},
		{"Plain", `v schema={"type":"string"}; examples=5`, `1:1: tool X: argument v: example 5 is not valid by the schema {"type":"string"} | change the value, or the constraint that excludes it`},
		{"Plain", `n minimum=5; maximum=4.5`, `1:1: tool X: argument n: no value is allowed by minimum 5 and maximum 4.5 | swap them, or leave one out`},
		{"Plain", `n exclusiveMinimum=4; exclusiveMaximum=5`, `1:1: tool X: argument n: no value is allowed by exclusiveMinimum 4 and exclusiveMaximum 5 | swap them, or leave one out`},
		{"Plain", `n default=1.5`, `1:1: tool X: argument n: default 1.5 is not an integer | change the value, or the constraint that excludes it`},
		{"Plain", `n default=4; minimum=5`, `1:1: tool X: argument n: default 4 is less than the minimum 5 | change the value, or the constraint that excludes it`},
		{"Plain", `n minLength=5`, `1:9: tool X: argument n: minLength cannot be used on an integer of any size | leave it out, or check it in the function`},
		{"Plain", `v schema={"not":{}}`, `1:9: tool X: argument v: the schema is wrong: arguments are not checked by the keyword not | the keywords are additionalProperties, anyOf, const, default, deprecated, description, enum, examples, exclusiveMaximum, exclusiveMinimum, format, items, maxItems, maxLength, maxProperties, maximum, minItems, minLength, minProperties, minimum, multipleOf, oneOf, pattern, properties, required, title, type, uniqueItems`},
		{"Plain", `query pattern=\Aa`, `1:9: tool X: argument query: pattern \Aa: \A is not portable between Go and JSON Schema's regular expressions | write ^`},
	}
	for _, tt := range tests {
		t.Run(tt.arg, func(t *testing.T) {
			s := check(t, argSource)
			_, ok := s.ApplyArgs(object(t, s, tt.fn), "f", []*directive.Directive{arg(tt.arg)}, diag.Place{Subject: "tool X"})
			message, hint, _ := strings.Cut(tt.want, " | ")
			if want := "a.go:" + message + "\n\thint: " + hint + "\n"; ok || s.printed() != want {
				t.Errorf("ok %v, got\n%s\nwant\n%s", ok, s.printed(), want)
			}
		})
	}
}

func TestTaggedOnly(t *testing.T) {
	s := check(t, "type X struct {\n\tA int\n\tB int `jsonschema:\"required\"`\n\tC int `validate:\"required\"`\n}")
	s.TaggedOnly = true
	var got []string
	for _, f := range s.plan(t, "X").Fields {
		if f.Required {
			got = append(got, f.Name)
		}
	}
	if d := cmp.Diff([]string{"B", "C"}, got); d != "" {
		t.Error(d)
	}
}
