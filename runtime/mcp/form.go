package mcp

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/formfield"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// FormInfo describes a form: a flat list of fields. Generated code points to variables of this
// type, which are not changed.
type FormInfo struct {
	Fields []FormField
}

// FieldKind is a kind of field.
type FieldKind int

// The kinds of fields. The values of choices are strings.
const (
	StringField  FieldKind = iota
	IntegerField           // an integer
	NumberField            // any number
	BooleanField
	ChoiceField  // one of Choices
	ChoicesField // any number of Choices; from revision 2025-11-25 on
)

// FormField is a field of a form (PrimitiveSchemaDefinition in the specification's schema). A limit
// that is zero or "" does not apply.
type FormField struct {
	Name        string
	Title       string
	Description string
	Kind        FieldKind
	Required    bool
	// Default is the initial value, as JSON. Revision 2025-06-18 supports it for booleans only.
	Default string

	// Format of a string: email, uri, date or date-time, which clients check, or a format that is
	// checked when the answer is read.
	Format string
	// MinLength and MaxLength of a string, in characters.
	MinLength, MaxLength int
	// Minimum and Maximum of a number, as JSON.
	Minimum, Maximum string
	// Choices of a choice, and limits for the number of chosen values.
	Choices            []FormChoice
	MinItems, MaxItems int
	// EnumNames writes the titles of choices as enumNames in every revision, which is the form of
	// revision 2025-06-18.
	EnumNames bool
}

// FormChoice is one value of a choice.
type FormChoice struct {
	Value string
	Title string // for people; "" = the value
}

// schema writes the requestedSchema, in full or with the keywords of revision 2025-06-18.
func (f *FormInfo) schema(rich bool) ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("ask for a form: %w", err)
	}
	b := append(make([]byte, 0, 100*(1+len(f.Fields))), `{"type":"object","properties":{`...)
	for i := range f.Fields {
		field := &f.Fields[i]
		if field.Kind == ChoicesField && !rich {
			return nil, fmt.Errorf("ask for a form: the client's revision has no field for several choices, as %s is", field.Name)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, field.Name)
		b = append(b, ':')
		b = field.appendSchema(b, rich)
	}
	b = append(b, '}')
	required := 0
	for _, field := range f.Fields {
		if !field.Required {
			continue
		}
		if required == 0 {
			b = append(b, `,"required":[`...)
		} else {
			b = append(b, ',')
		}
		required++
		b = wire.AppendString(b, field.Name)
	}
	if required > 0 {
		b = append(b, ']')
	}
	return append(b, '}'), nil
}

func (f *FormField) appendSchema(b []byte, rich bool) []byte {
	b = append(b, `{"type":"`...)
	b = append(b, [...]string{"string", "integer", "number", "boolean", "string", "array"}[f.Kind]...)
	b = append(b, '"')
	b = jsonobject.AppendText(b, "title", f.Title)
	b = jsonobject.AppendText(b, "description", f.Description)
	switch f.Kind {
	case StringField:
		switch f.Format {
		case "email", "uri", "date", "date-time":
			b = jsonobject.AppendText(b, "format", f.Format)
		}
		b = appendCount(b, "minLength", f.MinLength)
		b = appendCount(b, "maxLength", f.MaxLength)
	case IntegerField, NumberField:
		b = appendJSON(b, "minimum", f.Minimum)
		b = appendJSON(b, "maximum", f.Maximum)
	case ChoiceField:
		b = f.appendChoices(append(b, ','), rich && !f.EnumNames, "oneOf")
	case ChoicesField:
		b = appendCount(b, "minItems", f.MinItems)
		b = appendCount(b, "maxItems", f.MaxItems)
		b = append(b, `,"items":{`...)
		if !f.titled() {
			b = append(b, `"type":"string",`...)
		}
		b = append(f.appendChoices(b, true, "anyOf"), '}')
	}
	if rich || f.Kind == BooleanField {
		b = appendJSON(b, "default", f.Default)
	}
	return append(b, '}')
}

// titled reports whether any choice has a title of its own.
func (f *FormField) titled() bool {
	for _, c := range f.Choices {
		if c.Title != "" {
			return true
		}
	}
	return false
}

// appendChoices writes the choices as constants with titles, or as an enum, with enumNames if there
// are titles.
func (f *FormField) appendChoices(b []byte, constants bool, keyword string) []byte {
	if !f.titled() {
		return append(f.appendTexts(append(b, `"enum":[`...), FormChoice.value), ']')
	}
	if !constants {
		b = append(f.appendTexts(append(b, `"enum":[`...), FormChoice.value), `],"enumNames":[`...)
		return append(f.appendTexts(b, FormChoice.title), ']')
	}
	b = append(b, '"')
	b = append(b, keyword...)
	b = append(b, `":[`...)
	for i, c := range f.Choices {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"const":`...)
		b = wire.AppendString(b, c.Value)
		b = append(b, `,"title":`...)
		b = wire.AppendString(b, c.title())
		b = append(b, '}')
	}
	return append(b, ']')
}

func (f *FormField) appendTexts(b []byte, text func(FormChoice) string) []byte {
	for i, c := range f.Choices {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, text(c))
	}
	return b
}

func (c FormChoice) value() string { return c.Value }

func (c FormChoice) title() string {
	if c.Title == "" {
		return c.Value
	}
	return c.Title
}

// appendCount writes a member after others, unless it is 0.
func appendCount(b []byte, name string, n int) []byte {
	if n == 0 {
		return b
	}
	return appendJSON(b, name, strconv.Itoa(n))
}

// appendJSON writes a member after others, unless the JSON text is empty.
func appendJSON(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	return wire.AppendCompact(b, []byte(text))
}

// decode reads the content of an answer, as the fields describe it.
func (f *FormInfo) decode(content json.RawMessage) (FieldValues, error) {
	fields := make(wire.Fields, len(f.Fields))
	byName := make(map[string]*FormField, len(f.Fields))
	for i := range f.Fields {
		field := &f.Fields[i]
		fields[i].Name = field.Name
		if field.Required {
			fields[i] = wire.Field{Must: field.Name}
		}
		byName[field.Name] = field
	}
	values := FieldValues{}
	d := wire.NewDecoder(content, wire.Options{Help: wire.Advice()})
	for o := d.Object(fields); o.Next(); {
		name := o.Name()
		if value := byName[name].decode(d); !d.Failed() {
			values[name] = value
		}
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	return values, nil
}

// decode reads a value of the field.
func (f *FormField) decode(d *wire.Decoder) any { return f.rules().Read(d) }

// rules returns the rules for a value of the field.
func (f *FormField) rules() *formfield.Rules {
	return &formfield.Rules{
		Kind: formfield.Kind(f.Kind), Format: f.Format,
		MinLength: limitOrNone(f.MinLength), MaxLength: limitOrNone(f.MaxLength),
		Minimum: f.Minimum, Maximum: f.Maximum,
		Choices: f.values(), MinItems: limitOrNone(f.MinItems), MaxItems: limitOrNone(f.MaxItems),
	}
}

// limitOrNone returns the limit n, or a limit that allows everything if n is 0.
func limitOrNone(n int) int {
	if n <= 0 {
		return formfield.None
	}
	return n
}

func (f *FormField) values() []string {
	values := make([]string, len(f.Choices))
	for i, c := range f.Choices {
		values[i] = c.Value
	}
	return values
}

// FieldValues are the values of the fields of an answer, by their names: string, int64, float64,
// bool and []string. Empty fields are missing.
type FieldValues map[string]any
