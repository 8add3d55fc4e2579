package schema

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// TestKnownSchemas checks that every schema of the built-in table is one that a
// directive could give, and that its kind is one that can be read and written.
func TestKnownSchemas(t *testing.T) {
	s := check(t, "")
	for name, plan := range builtin {
		if plan.Schema != "" {
			form := &SchemaForm{JSON: plan.Schema}
			if !s.goodSchema(site{Place: diag.Place{Subject: name}}, form) {
				t.Errorf("%s: %s", name, s.printed())
			}
			inspectOutput(t, outputText(&plan))
		}
		if plan.Kind == model.Reflect || plan.Kind == model.Invalid {
			t.Errorf("%s: kind %d", name, plan.Kind)
		}
	}
	if got := mismatchOf(t, `"1h"`); got != "" {
		t.Error(got)
	}
}

// mismatchOf validates a value against the schema of durations in a string.
func mismatchOf(t *testing.T, value string) string {
	schema := compile(t, durationSchema)
	v, err := jsontext.Decode(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		return err.Error()
	}
	return ""
}

func TestKnown(t *testing.T) {
	s := check(t, `
import (
	"database/sql"
	"encoding/json"
	"net/url"
)

type S struct {
	URL   url.URL
	Ref   *url.URL
	Name  sql.NullString `+"`jsonschema:\"minLength=2\"`"+`
	Wrap  sql.Null[map[string]int]
	Times []sql.NullTime
	Num   json.Number `+"`json:\",string\"`"+`
	Size  json.Number `+"`jsonschema:\"minimum=1,exclusiveMaximum=1e30\"`"+`
	Bytes []Bit
}

type Bit byte
`)
	const properties = `{"type":"object","properties":{`
	plan := s.plan(t, "S")
	for _, tt := range []struct{ got, want string }{
		{inputText(plan), properties + `"URL":{"type":"string","format":"uri"},"Ref":{"type":"string","format":"uri"},"Name":{"type":"string","minLength":2},` +
			`"Wrap":{"type":"object","additionalProperties":{"type":"integer"}},"Times":{"type":"array","items":{"anyOf":[{"type":"string","format":"date-time"},{"type":"null"}]}},` +
			`"Num":{"type":"string","pattern":"` + strings.ReplaceAll(quotedPattern(&model.Type{Kind: model.Number}), `\`, `\\`) + `"},"Size":{"type":"number","minimum":1,"exclusiveMaximum":1e30},` +
			`"Bytes":{"type":"string","contentEncoding":"base64"}},"required":["URL","Times","Num","Size","Bytes"],"additionalProperties":false}`},
		{outputText(plan), properties + `"URL":{"type":"string"},"Ref":{"type":"string"},"Name":{"type":"string"},` +
			`"Wrap":{"type":"object","additionalProperties":{"type":"integer"}},"Times":{"type":"array","items":{"anyOf":[{"type":"string","format":"date-time"},{"type":"null"}]}},` +
			`"Num":{"type":"string","pattern":"` + strings.ReplaceAll(quotedPattern(&model.Type{Kind: model.Number}), `\`, `\\`) + `"},"Size":{"type":"number"},` +
			`"Bytes":{"type":"string","contentEncoding":"base64"}},"required":["URL","Times","Num","Size","Bytes"]}`},
	} {
		if tt.got != tt.want {
			t.Errorf("got\n%s\nwant\n%s", tt.got, tt.want)
		}
	}
	if report := s.printed(); report != "" {
		t.Error(report)
	}
}

// TestDefs checks that defs shares what is used several times.
func TestDefs(t *testing.T) {
	s := check(t, `
type Point struct{ X, Y int }
type Line struct{ From, To Point }
`)
	tool := &model.Tool{Defs: true}
	tool.Input = &model.Input{Object: s.plan(t, "Line")}
	const point = `{"type":"object","properties":{"X":{"type":"integer"},"Y":{"type":"integer"}},"required":["X","Y"],"additionalProperties":false}`
	want := `{"type":"object","properties":{"From":{"$ref":"#/$defs/Point"},"To":{"$ref":"#/$defs/Point"}},"required":["From","To"],"additionalProperties":false,"$defs":{"Point":` + point + `}}`
	if got := InputOf(tool); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	tool.Defs = false
	if got := InputOf(tool); strings.Contains(got, "$defs") || strings.Count(got, point) != 2 {
		t.Error(got)
	}
}
