package prove

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// Class is a kind of deliberate difference from the Reflector.
type Class struct {
	Name, Reason string
	is           func(Difference) bool
}

var ruleKeywords = []string{
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "enum", "default", "examples",
}

func isRule(keyword string) bool { return slices.Contains(ruleKeywords, keyword) }

func (d Difference) kind(kinds ...reflect.Kind) bool {
	return d.Type != nil && slices.Contains(kinds, d.Type.Kind())
}

func (d Difference) tagged(key, word string) bool {
	return strings.Contains(d.Tag.Get(key), word)
}

func (d Difference) requirement() bool { return strings.HasPrefix(d.Keyword, "required ") }

func (d Difference) property() bool { return strings.HasPrefix(d.Keyword, "property ") }

func (d Difference) jsonOption(option string) bool {
	_, options, _ := strings.Cut(d.Tag.Get("json"), ",")
	return slices.Contains(strings.Split(options, ","), option)
}

// Classes are tried in this order.
var Classes = []Class{
	{"no schema", "the Reflector panics on uintptr, and never ends on a struct that embeds a pointer to itself", func(d Difference) bool { return d.Keyword == "panic" }},
	{"free text", "a tag without keywords is the description, as google/jsonschema-go has it", func(d Difference) bool {
		return d.Keyword == "description" && d.Theirs == nil && d.Tag.Get("jsonschema") == d.Ours.Text
	}},
	{"comments", "comments become descriptions, and so do the constants of an enumeration and the unit of a duration", func(d Difference) bool {
		return d.Keyword == "description" && d.Theirs == nil
	}},
	{"any", "some clients drop a server that publishes the schema true; {} with a description says the same", func(d Difference) bool {
		if d.Theirs != nil && d.kind(reflect.Interface, reflect.Map, reflect.Slice) {
			switch text := d.Theirs.String(); {
			case text == "true" && (d.Keyword == "shape" || d.Keyword == "additionalProperties"):
				return true
			case strings.HasPrefix(text, `{"oneOf":[true,`) && d.Keyword == "shape":
				return true
			}
		}
		return d.Keyword == "true" || d.Keyword == "description" && d.Type != nil && d.Type.Kind() == reflect.Interface
	}},
	{"map of any", "the Reflector says nothing about the values, some clients want a schema", func(d Difference) bool {
		return d.Keyword == "additionalProperties" && d.Theirs == nil && d.kind(reflect.Map) && d.Type.Elem().Kind() == reflect.Interface
	}},
	{"option string", "the value travels inside of a string, of which the Reflector knows nothing", func(d Difference) bool {
		return d.jsonOption("string") && (d.Keyword == "shape" || d.Keyword == "pattern" || isRule(d.Keyword))
	}},
	{"json.Number", "it is a number, not a string", func(d Difference) bool { return d.Keyword == "shape" && d.Type == numberType }},
	{"duration as text", "format=duration is a word of mcpgen's own: the value is text with a pattern", func(d Difference) bool {
		return d.Type == durationType && (d.Keyword == "shape" || d.Keyword == "format" || d.Keyword == "default")
	}},
	{"text methods", "encoding/json writes the type as a string by its MarshalText, not as what it is made of", func(d Difference) bool {
		return formed(d) && reflect.PointerTo(d.Type).Implements(textUnmarshaler) && (d.Keyword == "shape" || isRule(d.Keyword))
	}},
	{"JSON methods", "what MarshalJSON writes is not known from the Go type", func(d Difference) bool {
		return formed(d) && (d.Keyword == "shape" || isRule(d.Keyword) || d.Keyword == "properties" || d.Keyword == "additionalProperties")
	}},
	{"unexported types", "generated code cannot name them, so their schema is not looked at and encoding/json reads and writes them", func(d Difference) bool {
		return unnameable(d.Type) && d.Ours != nil && d.Ours.Get("type") == nil
	}},
	{"named bytes", "encoding/json writes slices of any type of bytes in base64", func(d Difference) bool {
		return d.Keyword == "shape" && d.kind(reflect.Slice) && d.Type.Elem().Kind() == reflect.Uint8
	}},
	{"integer keys", "keys may be negative, and unsigned ones are numbers too; patternProperties are left out of the dialect that every client takes", func(d Difference) bool {
		return d.kind(reflect.Map) && isNumeric(d.Type.Key()) && slices.Contains([]string{"patternProperties", "propertyNames", "additionalProperties"}, d.Keyword)
	}},
	{"keyPattern", "the Reflector has no keyword for the names of a map", func(d Difference) bool {
		return d.Keyword == "propertyNames" && d.Theirs == nil && (d.tagged("jsonschema", "keyPattern=") || d.Directives)
	}},
	{"nullable", "anyOf with null, as it cannot match twice; the Reflector writes oneOf", func(d Difference) bool {
		return d.Keyword == "anyOf" && d.tagged("jsonschema", "nullable")
	}},
	{"nil elements", "an element that is a nil pointer is written as null", func(d Difference) bool {
		return d.Keyword == "anyOf" && !d.tagged("jsonschema", "nullable")
	}},
	{"range of the Go type", "integers carry the bounds of their kind up to 32 bits, and 0 for unsigned ones", func(d Difference) bool {
		return (d.Keyword == "minimum" || d.Keyword == "maximum") && d.Theirs == nil && d.Type != nil && isNumeric(d.Type) && !d.tagged("jsonschema", d.Keyword)
	}},
	{"constants", "the constants of a type are its values", func(d Difference) bool {
		return d.Keyword == "enum" && d.Theirs == nil && !d.Output && !d.tagged("jsonschema", "enum") && !d.tagged("validate", "oneof")
	}},
	{"rules are about arguments", "a result is what the function returns; constraints and defaults of the tags are not enforced on it", func(d Difference) bool {
		return d.Output && (isRule(d.Keyword) || d.Keyword == "writeOnly")
	}},
	{"validate", "the tags of the validator are read", func(d Difference) bool {
		return d.Tag.Get("validate") != "" && (isRule(d.Keyword) || d.requirement())
	}},
	{"required: pointers and defaults", "an argument that is a pointer, or has a default, may be left out", func(d Difference) bool {
		return d.requirement() && !d.Output && d.Ours.Text == "false" &&
			(d.Field != nil && d.Field.Kind() == reflect.Pointer || d.tagged("jsonschema", "default=") || d.tagged("jsonschema", "optional"))
	}},
	{"open results", "a member may be added to a result, so the schemas of results are open", func(d Difference) bool {
		return d.Output && d.Keyword == "additionalProperties" && d.Ours == nil && d.Theirs != nil && d.Theirs.Text == "false"
	}},
	{"required: results", "a result has what is always written: not a nil pointer, whatever tags say of arguments", func(d Difference) bool {
		return d.requirement() && d.Output
	}},
	{"inline", "the option inline means nothing to encoding/json", func(d Difference) bool {
		return d.property() && hasOption(d.Owner, "inline") || d.requirement() && hasOption(d.Owner, "inline")
	}},
	{"embedding", "encoding/json's rules decide: the least deeply embedded field, then the tagged one, then none; pointers may be nil", func(d Difference) bool {
		return (d.property() || d.requirement() || d.Keyword == "shape") && embeds(d.Owner)
	}},
	{"name -", `json:"-," is a property named -`, func(d Difference) bool { return strings.HasSuffix(d.Keyword, " -") }},
	{"names that encoding/json refuses", "the field's own name is used instead", func(d Difference) bool {
		return (d.property() || d.requirement()) && strings.ContainsAny(d.Keyword, "\"\\'") ||
			(d.property() || d.requirement()) && strings.ContainsAny(d.Tag.Get("json"), "\"\\'")
	}},
	{"reach of tags", "constraints reach the elements of elements and of maps, named types, and arrays; the Reflector knows one level of slices", func(d Difference) bool {
		return isRule(d.Keyword) && d.Theirs == nil && d.Tag.Get("jsonschema") != ""
	}},
	{"form of defaults", "a default is JSON of the type; the Reflector has texts, and drops what it cannot read", func(d Difference) bool {
		return d.Keyword == "default" || d.Keyword == "examples" || d.Keyword == "enum"
	}},
	{"deprecated", "the Reflector has no word for it in tags", func(d Difference) bool { return d.Keyword == "deprecated" && d.Theirs == nil }},
	{"mcp:arg", "the directives of the tool add to the tags of the type", func(d Difference) bool {
		return d.Directives && !d.Output && (isRule(d.Keyword) && d.Theirs == nil || d.requirement() && d.Ours.Text == "false")
	}},
}

// formed reports whether a method of the type determines its JSON form.
func formed(d Difference) bool {
	if d.Type == nil || !d.Output {
		return methodical(d.Type)
	}
	p := reflect.PointerTo(d.Type)
	return methodical(d.Type) || d.Type != timeType && (p.Implements(jsonMarshaler) || p.Implements(textMarshaler))
}

// classOf returns the class of a difference, or "".
func classOf(d Difference) string {
	for _, c := range Classes {
		if c.is(d) {
			return c.Name
		}
	}
	return ""
}

// embeds reports whether a struct embeds another, at any depth.
func embeds(t reflect.Type) bool {
	if t == nil || t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).Anonymous {
			return true
		}
	}
	return false
}

func hasOption(t reflect.Type, option string) bool {
	if t == nil || t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if strings.Contains(t.Field(i).Tag.Get("json"), ","+option) {
			return true
		}
	}
	return false
}

// WriteClasses writes a Markdown table of the classes with their counts.
func WriteClasses(w io.Writer, counts map[string]int) error {
	if _, err := fmt.Fprint(w, "| class | differences | reason |\n|---|--:|---|\n"); err != nil {
		return err
	}
	for _, c := range Classes {
		if counts[c.Name] == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "| %s | %d | %s |\n", c.Name, counts[c.Name], c.Reason); err != nil {
			return err
		}
	}
	return nil
}
