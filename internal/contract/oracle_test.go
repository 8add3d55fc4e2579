package contract

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestOracle compares the classes of random changes with a validator: if a valid
// argument is no longer valid, or an invalid result has become valid, the change must
// be breaking.
func TestOracle(t *testing.T) {
	pairs, seed := 1500, uint64(2026)
	if long, err := strconv.Atoi(os.Getenv("MCPGEN_LONG")); err == nil {
		pairs, seed = long, rand.Uint64()
		t.Logf("seed %d", seed)
	}
	r := rand.New(rand.NewPCG(6, seed))
	universe := values4test(r)
	seen := map[string]*tally{"arguments": {}, "results": {}}
	for range pairs {
		g := &schemas{r: r, habits: r.IntN(2) == 0}
		before, definition := g.schema(2), g.definition()
		after, redefinition := before, definition
		switch r.IntN(6) {
		case 0:
			after = g.schema(2)
		case 1:
			redefinition = g.mutate(clone(definition))
		default:
			for range 1 + r.IntN(2) {
				after = g.mutate(clone(after))
			}
		}
		before, after = defining(before, definition), defining(after, redefinition)
		o := &oracle{universe: universe, verdicts: map[string]*verdicts{}}
		seen["arguments"].check(t, o, before, after, false)
		seen["results"].check(t, o, before, after, true)
	}
	for place, n := range seen {
		t.Logf("%s: %d breaking and a value shows it, %d breaking and none does, %d not breaking", place, n.shown, n.strict, n.fine)
		// A comparison that calls everything breaking would be correct, but useless.
		if n.shown < pairs/10 || n.fine < pairs/10 || n.strict > (n.strict+n.fine)/2 {
			t.Errorf("%s: %+v", place, n)
		}
	}
}

// oracle knows which values are valid by the schemas of a pair, of which some are equal.
type oracle struct {
	universe []any
	verdicts map[string]*verdicts // by the text of the schema
}

// verdicts are about the values of the universe, as far as they have been asked for.
type verdicts struct {
	schema *jsonschema.Schema
	known  []int8 // 1 is valid, -1 is invalid
}

func (o *oracle) of(t *testing.T, schema any) *verdicts {
	t.Helper()
	text := text4test(schema)
	if o.verdicts[text] == nil {
		o.verdicts[text] = &verdicts{compile(t, schema), make([]int8, len(o.universe))}
	}
	return o.verdicts[text]
}

func (v *verdicts) valid(o *oracle, i int) bool {
	if v.known[i] == 0 {
		v.known[i] = -1
		if v.schema.Validate(o.universe[i]) == nil {
			v.known[i] = 1
		}
	}
	return v.known[i] > 0
}

type tally struct{ shown, strict, fine int }

// check compares one pair of schemas of one argument, or of one member of a result. The
// values are tried for that argument or member.
func (n *tally) check(t *testing.T, o *oracle, before, after any, output bool) {
	t.Helper()
	breaks := false
	mark := narrows
	if output {
		mark = widens
	}
	findings := compareSchemas(around(t, before), around(t, after), output)
	for _, f := range findings {
		breaks = breaks || f.effect&mark != 0
	}
	// The assumptions about clients are part of the old schema.
	old, now := o.of(t, habit(clone(before), output)), o.of(t, after)
	var witness any
	found := false
	for i, v := range o.universe {
		was, is := old.valid(o, i), now.valid(o, i)
		if !output && was && !is || output && is && !was {
			witness, found = v, true
			break
		}
	}
	switch {
	case found && !breaks:
		var lines []string
		for _, f := range findings {
			lines = append(lines, fmt.Sprintf("%+v", f))
		}
		t.Fatalf("not breaking, output %v:\n%s\n%s\nbut see %s\n%s", output, text4test(before), text4test(after), text4test(witness), strings.Join(lines, "\n"))
	case breaks && found:
		n.shown++
	case breaks:
		n.strict++
	default:
		n.fine++
	}
}

// defining adds the definition that $ref refers to, if there is one.
func defining(schema, definition any) any {
	m, ok := schema.(map[string]any)
	if !ok || !strings.Contains(text4test(schema), "$ref") {
		return schema
	}
	m["$defs"] = map[string]any{"d": definition}
	return m
}

// habit closes objects that name members and do not restrict others, for arguments, and
// opens closed ones, for results.
func habit(v any, output bool) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for key, sub := range m {
		switch key {
		case "properties", "$defs":
			for name, s := range sub.(map[string]any) {
				sub.(map[string]any)[name] = habit(s, output)
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			for i, s := range sub.([]any) {
				sub.([]any)[i] = habit(s, output)
			}
		case "items", "additionalProperties":
			m[key] = habit(sub, output)
		}
	}
	if output {
		if m["additionalProperties"] == false {
			delete(m, "additionalProperties")
		}
		return m
	}
	if properties, named := m["properties"].(map[string]any); named && m["additionalProperties"] == nil {
		for _, name := range []string{"a", "b", "kind"} {
			if properties[name] == nil {
				properties[name] = false
			}
		}
	}
	return m
}

func compile(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatalf("%v\n%s", err, text4test(schema))
	}
	return s
}

// around returns the schema of an object whose member x has that schema.
func around(t *testing.T, schema any) *value {
	t.Helper()
	v := parse4test(t, text4test(schema))
	root := parse4test(t, `{"type":"object","properties":{"x":true},"required":["x"],"additionalProperties":false}`)
	if defs := v.get("$defs"); defs != nil {
		root.members = append(root.members, member{"$defs", defs})
	}
	root.get("properties").members[0].value = v
	return root
}

func parse4test(t *testing.T, text string) *value {
	t.Helper()
	all, err := readValues([]byte(text))
	if err != nil || len(all) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	return all[0]
}

func text4test(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for key, sub := range v {
			m[key] = clone(sub)
		}
		return m
	case []any:
		var list []any
		for _, sub := range v {
			list = append(list, clone(sub))
		}
		return list
	}
	return v
}

// values4test are values of all types, near the limits that schemas use.
func values4test(r *rand.Rand) []any {
	all := []any{nil, true, false, "", "a", "b", "ab", "abc", "a@b.c", "2024-01-02"}
	for _, n := range []string{"-1", "0", "0.5", "1", "1.0", "2", "3", "4", "5", "6", "10"} {
		all = append(all, json.Number(n))
	}
	scalars := len(all)
	for range 700 {
		size := r.IntN(4)
		if r.IntN(2) == 0 {
			list := make([]any, size)
			for i := range list {
				list[i] = all[r.IntN(min(len(all), scalars+40))]
			}
			all = append(all, list)
			continue
		}
		m := map[string]any{}
		for range size {
			m[[]string{"a", "b", "z", "kind"}[r.IntN(4)]] = all[r.IntN(min(len(all), scalars+40))]
		}
		if r.IntN(3) == 0 {
			m["kind"] = []string{"a", "b", "c"}[r.IntN(3)]
		}
		all = append(all, m)
	}
	// Many small ones are equal.
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(v any) bool {
		text := text4test(v)
		twice := seen[text]
		seen[text] = true
		return twice
	})
}

// schemas makes random schemas.
type schemas struct {
	r *rand.Rand
	// habits leaves additionalProperties out, and keeps the keywords of an object in
	// one schema.
	habits bool
}

func (g *schemas) one(n int) bool { return g.r.IntN(n) == 0 }

func (g *schemas) number() json.Number { return json.Number(fmt.Sprint(g.r.IntN(6))) }

func (g *schemas) schema(depth int) any {
	kinds := 11
	if depth == 0 {
		kinds = 5
	}
	m := map[string]any{}
	switch k := g.r.IntN(kinds); k {
	case 0, 1:
		m["type"] = []any{"string", "integer", "number", "boolean", "null"}[g.r.IntN(5)]
		g.limit(m)
	case 2:
		m["type"] = []any{"string", []any{"string", "null"}[g.r.IntN(2)], "integer"}[1:]
		if m["type"].([]any)[0] == "integer" || g.one(2) {
			m["type"] = []any{"integer", "string"}
		}
		g.limit(m)
	case 3:
		m["enum"] = g.enum()
		if g.one(2) {
			g.limit(m)
		}
	case 4:
		if g.one(4) {
			return g.one(3)
		}
		g.limit(m)
	case 5, 6:
		g.array(m, depth)
	case 7, 8:
		g.object(m, depth)
	case 9:
		g.union(m, depth)
	case 10:
		g.composed(m, depth)
	}
	return m
}

// definition makes the schema that $ref refers to, also recursively.
func (g *schemas) definition() any {
	m := map[string]any{}
	if g.one(2) {
		g.array(m, 2)
	} else {
		g.object(m, 2)
	}
	return m
}

func (g *schemas) enum() []any {
	var list []any
	for _, v := range []any{"a", "b", "abc", json.Number("1"), json.Number("5"), nil, true} {
		if g.one(3) {
			list = append(list, v)
		}
	}
	return append(list, "ab")
}

// limit adds a keyword about scalars of any type.
func (g *schemas) limit(m map[string]any) {
	for range g.r.IntN(3) {
		switch g.r.IntN(9) {
		case 0:
			m["minimum"] = g.number()
		case 1:
			m["maximum"] = g.number()
		case 2:
			m["exclusiveMinimum"] = g.number()
		case 3:
			m["exclusiveMaximum"] = g.number()
		case 4:
			m["multipleOf"] = []json.Number{"1", "2", "4", "0.5"}[g.r.IntN(4)]
		case 5:
			m["minLength"] = g.number()
		case 6:
			m["maxLength"] = g.number()
		case 7:
			m["pattern"] = []string{"^a", "b", "^.$"}[g.r.IntN(3)]
		case 8:
			m["format"] = []string{"date", "email"}[g.r.IntN(2)]
		}
	}
}

func (g *schemas) array(m map[string]any, depth int) {
	m["type"] = "array"
	if !g.one(5) {
		m["items"] = g.schema(depth - 1)
	}
	if g.one(4) {
		m["prefixItems"] = []any{g.schema(depth - 1)}
	}
	if g.one(3) {
		m["minItems"] = json.Number(fmt.Sprint(g.r.IntN(3)))
	}
	if g.one(3) {
		m["maxItems"] = json.Number(fmt.Sprint(g.r.IntN(3)))
	}
	if g.one(4) {
		m["uniqueItems"] = g.one(2)
	}
	if g.one(6) {
		m["contains"] = g.schema(0)
		if g.one(2) {
			m["minContains"] = json.Number(fmt.Sprint(g.r.IntN(3)))
		}
	}
}

func (g *schemas) object(m map[string]any, depth int) {
	m["type"] = "object"
	properties := map[string]any{}
	var required []any
	for _, name := range []string{"a", "b"} {
		if !g.one(3) {
			properties[name] = g.schema(depth - 1)
		}
		if g.one(3) {
			required = append(required, name)
		}
	}
	if len(properties) > 0 || g.one(2) {
		m["properties"] = properties
	}
	if len(required) > 0 {
		m["required"] = required
	}
	switch g.r.IntN(4) {
	case 0:
		m["additionalProperties"] = false
	case 1:
		m["additionalProperties"] = g.schema(0)
	case 2:
		m["additionalProperties"] = true
	case 3:
		if !g.habits || len(properties) == 0 {
			m["additionalProperties"] = false
		}
	}
	switch g.r.IntN(12) {
	case 0:
		m["minProperties"] = json.Number(fmt.Sprint(g.r.IntN(3)))
	case 1:
		m["propertyNames"] = map[string]any{"maxLength": json.Number("1")}
	case 2:
		m["dependentRequired"] = map[string]any{"a": []any{"b"}}
	case 3:
		if !g.habits {
			m["patternProperties"] = map[string]any{[]string{"^a", "z"}[g.r.IntN(2)]: g.schema(0)}
		}
	}
}

func (g *schemas) union(m map[string]any, depth int) {
	if g.one(3) {
		// Discriminated by a member.
		var all []any
		for _, kind := range []string{"a", "b", "c"}[:1+g.r.IntN(3)] {
			all = append(all, map[string]any{
				"type": "object", "required": []any{"kind"}, "additionalProperties": false,
				"properties": map[string]any{"kind": map[string]any{"const": kind}, "a": g.schema(depth - 1)},
			})
		}
		m["oneOf"] = all
		return
	}
	// Objects that are disjoint when closed must not overlap when open: otherwise the
	// members that clients are assumed to ignore would make a difference.
	keyword, inside := "anyOf", depth-1
	if g.one(4) {
		keyword, inside = "oneOf", 0
	}
	var all []any
	for range 1 + g.r.IntN(3) {
		all = append(all, g.schema(inside))
	}
	m[keyword] = all
	if !g.habits && g.one(3) {
		g.limit(m)
	}
}

func (g *schemas) composed(m map[string]any, depth int) {
	switch {
	case g.one(4):
		m["type"] = "string"
		m["not"] = map[string]any{"enum": g.enum()}
	case g.habits || g.one(2):
		m["$ref"] = "#/$defs/d"
	case g.one(4):
		m["if"], m["then"] = g.schema(0), g.schema(depth-1)
	default:
		m["allOf"] = []any{g.schema(depth - 1), g.schema(depth - 1)}
		g.limit(m)
	}
}

// mutate changes one thing in a schema.
func (g *schemas) mutate(v any) any {
	m, ok := v.(map[string]any)
	if !ok || g.one(10) {
		return g.schema(1)
	}
	// Deeper inside, if there are subschemas.
	for key, sub := range m {
		if g.one(2) {
			continue
		}
		switch key {
		case "items", "additionalProperties":
			m[key] = g.mutate(sub)
			if key == "additionalProperties" && g.one(2) {
				m[key] = g.one(2)
			}
			return m
		case "properties":
			for name, s := range sub.(map[string]any) {
				if g.one(4) && name != "kind" {
					delete(sub.(map[string]any), name)
				} else if name != "kind" {
					sub.(map[string]any)[name] = g.mutate(s)
				}
				return m
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			list := sub.([]any)
			switch i := g.r.IntN(len(list)); {
			case g.one(4) && len(list) > 1:
				m[key] = append(list[:i:i], list[i+1:]...)
			case g.one(4):
				m[key] = append(list, g.schema(0))
			case key == "oneOf" && !isObject(list[i]):
				list[i] = g.schema(0)
			default:
				list[i] = g.mutate(list[i])
			}
			return m
		}
	}
	switch {
	case m["enum"] != nil:
		m["enum"] = g.enum()
	case m["type"] == "object":
		g.mutateObject(m)
	case m["type"] == "array" && g.one(2):
		m["maxItems"] = json.Number(fmt.Sprint(g.r.IntN(4)))
	case m["type"] == "array":
		delete(m, "uniqueItems")
	case m["type"] == "integer" && g.one(2):
		m["type"] = "number"
	case m["type"] == "string" && g.one(2):
		m["type"] = []any{"string", "null"}
	case m["type"] == "string" && g.one(3):
		return map[string]any{"anyOf": []any{m, map[string]any{"type": "null"}}}
	default:
		for _, key := range []string{"minimum", "maximum", "pattern", "minLength"} {
			if g.one(3) {
				delete(m, key)
			}
		}
		g.limit(m)
	}
	return m
}

func isObject(v any) bool {
	m, ok := v.(map[string]any)
	return ok && m["type"] == "object"
}

func (g *schemas) mutateObject(m map[string]any) {
	switch {
	case g.one(2):
		properties, _ := m["properties"].(map[string]any)
		if properties == nil {
			properties = map[string]any{}
			if m["additionalProperties"] == nil {
				m["additionalProperties"] = false
			}
			m["properties"] = properties
		}
		name := []string{"a", "b"}[g.r.IntN(2)]
		if properties[name] == nil {
			properties[name] = g.schema(0)
		}
	case m["required"] != nil && g.one(2):
		delete(m, "required")
	default:
		m["required"] = []any{[]string{"a", "b"}[g.r.IntN(2)]}
	}
}
