package contracts

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

	"github.com/mcpgen/mcpgen/internal/contract"
)

// TestOracle compares the classes of random changes with a validator: if a valid argument is no
// longer valid, or an invalid result has become valid, the change must be breaking.
func TestOracle(t *testing.T) {
	pairs, seed := 1500, uint64(2026)
	if long, err := strconv.Atoi(os.Getenv("MCPGEN_LONG")); err == nil {
		pairs, seed = long, rand.Uint64()
		t.Logf("seed %d", seed)
	}
	r := rand.New(rand.NewPCG(6, seed))
	universe := values(r)
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
		// A comparison that reports everything as breaking would be correct, but useless.
		if n.shown < pairs/10 || n.fine < pairs/10 || n.strict > (n.strict+n.fine)/2 {
			t.Errorf("%s: %+v", place, n)
		}
	}
}

// oracle determines which values are valid under the schemas of a pair. Several pairs may share a
// schema.
type oracle struct {
	universe []any
	verdicts map[string]*verdicts // by the schema's JSON
}

// verdicts contains the validity of the values in the universe that were requested.
type verdicts struct {
	schema *jsonschema.Schema
	known  []int8 // 1 is valid, -1 is invalid
}

func (o *oracle) of(t *testing.T, schema any) *verdicts {
	t.Helper()
	key := text(schema)
	if o.verdicts[key] == nil {
		o.verdicts[key] = &verdicts{compile(t, schema), make([]int8, len(o.universe))}
	}
	return o.verdicts[key]
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

// check compares one pair of schemas for one argument, or for one member of a result. The values
// are tried for that argument or member.
func (n *tally) check(t *testing.T, o *oracle, before, after any, output bool) {
	t.Helper()
	changes := compare(t, object(before), object(after), output)
	breaks := slices.ContainsFunc(changes, func(c contract.Change) bool { return c.Class == contract.Breaking })
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
		for i := range changes {
			lines = append(lines, fmt.Sprintf("%v: %v", changes[i].Class, &changes[i]))
		}
		t.Fatalf("not breaking, output %v:\n%s\n%s\nbut see %s\n%s", output, text(before), text(after), text(witness), strings.Join(lines, "\n"))
	case breaks && found:
		n.shown++
	case breaks:
		n.strict++
	default:
		n.fine++
	}
}

// habit closes objects that name members and do not restrict others, for arguments, and opens
// closed ones, for results.
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
		t.Fatalf("%v\n%s", err, text(schema))
	}
	return s
}

// compare compares the schemas of the arguments, or of the results, of a tool.
func compare(t *testing.T, before, after string, output bool) []contract.Change {
	t.Helper()
	return contract.Compare(contractOf(t, before, output), contractOf(t, after, output)).Changes
}

func contractOf(t *testing.T, schema string, output bool) *contract.Contract {
	t.Helper()
	place := "inputSchema"
	if output {
		place = "outputSchema"
	}
	source := fmt.Sprintf(`{"server":{"name":"s"},"tools":[{"name":"t",%q:%s}]}`, place, schema)
	c, err := contract.Read([]byte(source))
	if err != nil {
		t.Fatalf("%v: %s", err, source)
	}
	return c
}

// object returns the schema of an object whose member x has the given schema.
func object(schema any) string { return text(around(schema)) }

func around(schema any) map[string]any {
	root := map[string]any{"type": "object", "properties": map[string]any{"x": schema}, "required": []any{"x"}, "additionalProperties": false}
	if m, ok := schema.(map[string]any); ok && m["$defs"] != nil {
		root["$defs"] = m["$defs"]
	}
	return root
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
