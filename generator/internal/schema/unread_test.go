package schema

import (
	"strings"
	"testing"
)

// TestUnread compares message and hint for fields with tags that nothing reads.
func TestUnread(t *testing.T) {
	for _, tt := range []struct{ field, want string }{
		// Options of json.
		{"F int `json:\"f,omitemtpy\"`", `the option "omitemtpy" of the tag json has no effect | did you mean omitempty?`},
		{"F int `json:\"f, omitempty\"`", `the option " omitempty" of the tag json has no effect | write it without the space`},
		{"F int `json:\"f,optional\"`", `the option "optional" of the tag json has no effect | write jsonschema:"optional"`},
		{"F int `json:\"f,default=5,range=[1:9]\"`", `the option "default=5" of the tag json has no effect | write jsonschema:"default=5"` + "\n" +
			`the option "range=[1:9]" of the tag json has no effect | encoding/json has the options omitempty, omitzero and string`},
		{"F int `json:\"f,required\" jsonschema:\"minimum=1\"`", `the option "required" of the tag json has no effect | write jsonschema:"…,required"`},
		{"F int `json:\"f,inline\"`", `the option "inline" of the tag json has no effect | encoding/json has the options omitempty, omitzero and string`},
		{"F int `json:\"f,omitempty,omitzero,string\"`", ""},
		{"Y `json:\",inline\"`", ""},
		// Rules of the validator, by either key.
		{"F string `validate:\"required,luhn_checksum,min=1,required_if=G 1\"`", "the schema cannot express luhn_checksum, required_if=G 1 of the tag validate | check it in the function"},
		{"F string `binding:\"required,hexcolor|rgb\"`", "the schema cannot express hexcolor|rgb of the tag binding | check it in the function"},
		{"F string `binding:\"Required;MaxSize(10)\"`", "the schema cannot express Required;MaxSize(10) of the tag binding | check it in the function"},
		{"F string `validate:\"alpha,startswith=a\"`", "the schema cannot express startswith=a of the tag validate | check it in the function"},
		{"F int `validate:\"email\"`", "the schema cannot express email of the tag validate | check it in the function"},
		{"F int `validate:\"min=x,oneof=a b\"`", "the schema cannot express min=x, oneof=a b of the tag validate | check it in the function"},
		{"F int `json:\",string\" validate:\"required,min=1\"`", "the schema cannot express min=1 of the tag validate | check it in the function"},
		{"F map[string]string `validate:\"dive,keys,min=3,endkeys,required\"`", "the schema cannot express min=3 of keys, required of the tag validate | check it in the function"},
		{"F *string `validate:\"omitempty,omitnil,email\"`", ""},
		{"F string `binding:\"-\" validate:\"-\"`", ""},
		// Tags for which the tag jsonschema has a keyword.
		{"F int `json:\"f\" default:\"5\" minimum:\"1\" max:\"10\"`", `the tags default, minimum, max have no effect | write jsonschema:"default=5,minimum=1,maximum=10"`},
		{"F string `json:\"f\" doc:\"a, b\" max:\"10\" example:\"x\"`", `the tags doc, max, example have no effect | write jsonschema:"description=a\\,` + ` b,maxLength=10,example=x"`},
		{"F string `json:\"f\" enums:\"a, b\"`", `the tag enums has no effect | write jsonschema:"enum=a,enum=b"`},
		{"F string `json:\"f\" enum:\"a\" jsonschema:\"the kind\"`", `the tag enum has no effect | write jsonschema:"description=…,enum=a"`},
		{"F string `json:\"f,omitempty\" required:\"true\"`", `the tag required has no effect | write jsonschema:"required"`},
		{"F string `json:\"f\" required:\"true\" optional:\"false\" nullable:\"false\"`", ""},
		{"F []string `json:\"f\" examples:\"a,b\" pattern:\"^a\"`", `the tags examples, pattern have no effect | write jsonschema:"example=a,example=b,pattern=^a"`},
		{"F string `json:\"f\" default:\"x\" format:\"email\" jsonschema:\"default=a@b.de,format=email\"`", ""},
		{"F int `json:\"f\" format:\"int64\"`", ""},
		{"F int `json:\"f\" description:\"the number\"` // of lines", ""},
		{"F int `json:\"f\" form:\"f,default=5\"`", `the tag form has no effect | write jsonschema:"default=5"`},
		{"F int `json:\"f\" swaggerignore:\"true\"`", `the tag swaggerignore has no effect, so the field is published | leave the field out with jsonschema:"-"`},
		{"F int `json:\"f\" bson:\"_id\" yaml:\"g\" db:\"x\" gorm:\"default:5\" xml:\",attr\"`", ""},
		// Names of other requests.
		{"Page int `form:\"page\"`", `the tag form has no effect, so the field is published as Page | write json:"page", or json:"Page" for the name that it has`},
		{"Page int `query:\"-\" json:\",omitempty\"`", `the tag query has no effect, so the field is published as Page | write json:"-" to leave it out, or name it: json:"Page"`},
		{"Page int `form:\"p\" uri:\"q\" json:\"page\"`", ""},
		{"Page int `form:\"Page\" header:\"\"`", ""},
		// Misspelt keys, and keywords in a description.
		{"F int `Json:\"f\"`", "the tag Json has no effect | did you mean json?"},
		{"F int `jsonSchema:\"minimum=1\"`", "the tag jsonSchema has no effect | did you mean jsonschema?"},
		{"F int `json_schema:\"minimum=1\"`", "the tag json_schema has no effect | did you mean jsonschema?"},
		{"F int `vaildate:\"min=1\"`", "the tag vaildate has no effect | did you mean validate?"},
		{"F int `jsonschema:\"the number, as counted,minimum=1\"`", `the tag jsonschema begins with no keyword, so all of it is the description, minimum=1 too | begin with a keyword: description=the number\\, as counted,minimum=1`},
		{"F int `jsonschema:\"the number,required\"`", `the tag jsonschema begins with no keyword, so all of it is the description, required too | begin with a keyword: description=the number,required`},
		{"F int `jsonschema:\"the number, required, with a=b\"`", ""},
	} {
		s := check(t, "type X struct {\n\t"+tt.field+"\n}\ntype Y struct{ A int }")
		s.Type(s.typeOf(t, "X"), Argument, s.place("X"))
		s.Type(s.typeOf(t, "X"), Argument, s.place("X"))
		if report := s.printed(); report != "" {
			t.Errorf("%s: %s", tt.field, report)
		}
		var got []string
		for _, u := range s.Unread() {
			if u.Pos.Line != 3 || u.Subject != "tool X" {
				t.Errorf("%s: at %s, about %s", tt.field, u.Pos, u.Subject)
			}
			_, message, _ := strings.Cut(u.Message, ": ")
			got = append(got, message+" | "+u.Hint)
		}
		if got := strings.Join(got, "\n"); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.field, got, tt.want)
		}
	}
}

// TestUnreadOfResults checks that constraints and names of requests have no meaning for results.
func TestUnreadOfResults(t *testing.T) {
	s := check(t, "type X struct {\n\tF int `form:\"f\" binding:\"luhn\" default:\"1\" swaggerignore:\"true\"`\n\tG int `doc:\"a number\"`\n}")
	s.Type(s.typeOf(t, "X"), Result, s.place("X"))
	if got := s.Unread(); len(got) != 1 || !strings.Contains(got[0].Message, "field G: the tag doc") {
		t.Error(got)
	}
}

// TestBinding checks that gin's key for the validator's tags is read like the validator's own,
// which takes precedence.
func TestBinding(t *testing.T) {
	s := check(t, "type X struct {\n"+
		"\tA string `json:\"a,omitempty\" binding:\"required,email\"`\n"+
		"\tB int `json:\"b\" binding:\"omitempty,min=1,max=9\"`\n"+
		"\tC string `json:\"c\" binding:\"oneof=x y\" validate:\"oneof=z\"`\n"+
		"\tD []string `json:\"d\" binding:\"max=3,dive,uuid\" jsonschema:\"maxItems=5\"`\n}")
	const want = `{"type":"object","properties":{"a":{"type":"string","format":"email"},"b":{"type":"integer","minimum":1,"maximum":9},` +
		`"c":{"type":"string","enum":["z"]},"d":{"type":"array","items":{"type":"string","format":"uuid"},"maxItems":5}},` +
		`"required":["a","c","d"],"additionalProperties":false}`
	if got := inputText(s.plan(t, "X")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := s.Unread(); len(got) > 0 {
		t.Error(got)
	}
}
