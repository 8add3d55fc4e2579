package toolschema_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
)

func TestSaid(t *testing.T) {
	const schema = `{"type":"object","description":"All.","properties":{
		"ts":{"type":"string","pattern":"^a$","description":"A time.","examples":["a","b"]},
		"plain":{"type":"string","pattern":"^a$"},
		"list":{"type":"array","description":"Some.","examples":[["a"]],"items":{"type":"string","pattern":"^a$"}},
		"given":{"type":"array","items":{"type":"string","pattern":"^a$","examples":["a"]}},
		"maybe":{"description":"Or null.","anyOf":[{"type":"string","pattern":"^a$"},{"type":"null"}]},
		"map":{"type":"object","additionalProperties":{"pattern":"^a$","description":"A value."}},
		"keys":{"description":"Labels.","propertyNames":{"pattern":"^a$"},"additionalProperties":{"type":"string"},"examples":[{"a":"x"}]},
		"values":{"description":"Labels.","propertyNames":{"pattern":"^b$"},"additionalProperties":{"pattern":"^a$","description":"One."}},
		"closed":{"type":"object","properties":{},"additionalProperties":false},
		"a b":{"type":"object","properties":{"c]":{"pattern":"^a$","description":"Odd."}}},
		"tree":{"$ref":"#/$defs/Tree~1x"},
		"over":{"$ref":"#/$defs/Name","description":"Nearer."},
		"shape":{"oneOf":[{"properties":{"id":{"pattern":"^b$","description":"B."}}},{"properties":{"id":{"pattern":"^a$","description":"A."}}}]},
		"circle":{"$ref":"#/properties/circle"},"outside":{"$ref":"https://example.com/x"},"lost":{"$ref":"#/$defs/None"}},
		"$defs":{"Name":{"pattern":"^a$"},"Tree/x":{"properties":{"n":{"pattern":"^a$","description":"A node."},"left":{"$ref":"#/$defs/Tree~1x"}}}}}`
	for path, want := range map[string][2]string{
		"ts": {`"a"`, "A time."}, "plain": {}, "list[3]": {"", "Some."}, "given[0]": {`"a"`, ""}, "maybe": {"", "Or null."}, "map.x": {"", "A value."},
		`map["x y"]`: {"", "A value."}, "closed.x": {}, `keys["x y"]`: {"", "Labels."}, "keys": {}, "values.b": {"", "One."}, `["a b"]["c]"]`: {"", "Odd."}, "tree.n": {"", "A node."}, "tree.left.left.n": {"", "A node."},
		"over": {"", "Nearer."}, "shape.id": {"", "A."}, "circle": {}, "circle.x": {}, "outside": {}, "lost": {}, "none": {}, "": {}, "ts.x": {}, "ts[0]": {},
		`["a b`: {},
	} {
		example, description := toolschema.Said(schema, path, func(pattern string) bool { return pattern == "^a$" })
		if got := [2]string{example, description}; got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if example, description := toolschema.Said(schema, "ts", func(string) bool { return false }); example+description != "" {
		t.Errorf("another pattern: %s, %s", example, description)
	}
}
