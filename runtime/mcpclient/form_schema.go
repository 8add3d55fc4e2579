package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/internal/pattern"
	"github.com/mcpgen/mcpgen/runtime/internal/formfield"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Limits of a form, which a person fills in.
const (
	maxFormFields  = 1000
	maxFormChoices = 10_000 // in all fields
	maxPattern     = 1024   // bytes; a longer one is not checked
)

// Form returns the fields of a form. It returns an error if the specification does not allow the
// schema (client/elicitation, requested schema): it must be a flat object of strings, numbers,
// booleans and choices; or if the schema has more than 1000 fields.
//
// Fields of this form also check patterns. The client, which checks an answer before it sends it,
// leaves patterns to the server: no schema of the protocol contains patterns, and a program that
// does not call Form need not link a matcher for them.
func (e *Elicitation) Form() (*Form, error) {
	form, err := e.form()
	if err != nil {
		return nil, err
	}
	for i := range form.Fields {
		form.Fields[i].setPattern()
	}
	return form, nil
}

// form is Form without patterns.
func (e *Elicitation) form() (*Form, error) {
	if e.Mode == "url" {
		return nil, errors.New("the question is a link, without a form")
	}
	form, err := parseForm(e.Schema)
	if err != nil {
		return nil, fmt.Errorf("requestedSchema: %w", err)
	}
	return form, nil
}

var formFields = wire.Fields{{Must: "type"}, {Must: "properties"}, {Name: "required"}}

// parseForm reads a requested schema.
func parseForm(schema []byte) (*Form, error) {
	var kind string
	var properties []byte
	var required []string
	d := wire.NewDecoder(schema, wire.Options{SkipUnknown: true, MaxElements: maxFormFields})
	for o := d.Object(formFields); o.Next(); {
		switch o.Name() {
		case "type":
			wire.StringEnum(d, &kind, []string{"object"})
		case "properties":
			readObject(d, &properties)
		case "required":
			wire.Slice(d, &required, wire.String)
		}
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	f := new(Form)
	choices := 0
	var err error
	jsonrpc.Members(properties, func(name, schema []byte) bool {
		if len(f.Fields) == maxFormFields {
			err = fmt.Errorf("more than %d fields", maxFormFields)
			return false
		}
		field := Field{FormField: mcp.FormField{Name: string(name)}}
		if err = field.parse(schema); err != nil {
			err = fmt.Errorf("field %s: %w", shortText(field.Name), err)
			return false
		}
		if choices += len(field.Choices); choices > maxFormChoices {
			err = fmt.Errorf("more than %d choices", maxFormChoices)
			return false
		}
		f.Fields = append(f.Fields, field)
		return true
	})
	if err != nil {
		return nil, err
	}
	f.byName = make(map[string]*Field, len(f.Fields))
	for i := range f.Fields {
		f.byName[f.Fields[i].Name] = &f.Fields[i]
	}
	for _, name := range required {
		field := f.byName[name]
		if field == nil {
			return nil, fmt.Errorf("the required field %s is missing", shortText(name))
		}
		field.Required = true
	}
	return f, nil
}

// fieldSchema is the schema of a field (PrimitiveSchemaDefinition in the specification's schema).
type fieldSchema struct {
	kind            string
	enum, enumNames []string
	constants       []mcp.FormChoice // from oneOf, or from anyOf in items
	items           *fieldSchema

	minLength, maxLength, minItems, maxItems *int
}

var fieldSchemaFields = wire.Fields{
	{Name: "type"}, {Name: "title"}, {Name: "description"}, {Name: "default"}, {Name: "format"}, {Name: "pattern"},
	{Name: "minLength"}, {Name: "maxLength"}, {Name: "minimum"}, {Name: "maximum"}, {Name: "enum"}, {Name: "enumNames"},
	{Name: "oneOf"}, {Name: "anyOf"}, {Name: "items"}, {Name: "minItems"}, {Name: "maxItems"},
	{Name: "properties"}, {Name: "$ref"}, {Name: "allOf"},
}

// fieldKinds are the types that a field may have.
var fieldKinds = []string{"string", "number", "integer", "boolean", "array"}

// parse reads the schema of a field.
func (f *Field) parse(schema []byte) error {
	var s fieldSchema
	d := wire.NewDecoder(schema, wire.Options{SkipUnknown: true, MaxElements: 2*maxFormChoices + 1}) // with enumNames
	f.read(d, &s)
	if err := d.Finish(); err != nil {
		return err
	}
	switch s.kind {
	case "string":
		f.Kind = mcp.StringField
	case "integer":
		f.Kind = mcp.IntegerField
	case "number":
		f.Kind = mcp.NumberField
	case "boolean":
		f.Kind = mcp.BooleanField
	case "array":
		if s.items == nil {
			return errors.New("an array must have items to choose")
		}
		f.Kind = mcp.ChoicesField
		f.Choices = s.items.choices()
	default:
		return errors.New("type: required, but missing")
	}
	if own := s.choices(); own != nil {
		if f.Kind != mcp.StringField {
			return errors.New("a choice must be of type string, got " + s.kind)
		}
		f.Kind, f.Choices = mcp.ChoiceField, own
	}
	if (f.Kind == mcp.ChoiceField || f.Kind == mcp.ChoicesField) && len(f.Choices) == 0 {
		return errors.New("there is nothing to choose")
	}
	f.setRules(&s)
	return f.checkDefault()
}

// read reads the members of a schema.
func (f *Field) read(d *wire.Decoder, s *fieldSchema) {
	for o := d.Object(fieldSchemaFields); o.Next(); {
		switch o.Name() {
		case "type":
			wire.StringEnum(d, &s.kind, fieldKinds)
		case "title":
			wire.String(d, &f.Title)
		case "description":
			wire.String(d, &f.Description)
		case "default":
			var value []byte
			wire.Raw(d, &value)
			f.Default = string(bytes.TrimSpace(value))
		case "format":
			wire.String(d, &f.Format)
		case "pattern":
			wire.String(d, &f.Pattern)
		case "minLength":
			wire.Ptr(d, &s.minLength, wire.Int)
		case "maxLength":
			wire.Ptr(d, &s.maxLength, wire.Int)
		case "minimum":
			wire.Number(d, (*json.Number)(&f.Minimum))
		case "maximum":
			wire.Number(d, (*json.Number)(&f.Maximum))
		case "items":
			wire.Ptr(d, &s.items, readItems)
		case "minItems":
			wire.Ptr(d, &s.minItems, wire.Int)
		case "maxItems":
			wire.Ptr(d, &s.maxItems, wire.Int)
		case "properties", "$ref", "allOf", "anyOf":
			d.Skip()
			d.Fail(wire.RuleUnknown, "a field is a text, a number, a boolean or a choice, and has no "+o.Name())
		default:
			s.readChoices(d, o.Name(), "oneOf")
		}
	}
}

var itemsFields = wire.Fields{{Name: "type"}, {Name: "enum"}, {Name: "enumNames"}, {Name: "anyOf"}, {Name: "oneOf"}}

// readItems reads the schema of the items of an array.
func readItems(d *wire.Decoder, s *fieldSchema) {
	for o := d.Object(itemsFields); o.Next(); {
		switch o.Name() {
		case "type":
			wire.StringEnum(d, &s.kind, []string{"string"})
		case "oneOf":
			s.readChoices(d, "anyOf", "anyOf")
		default:
			s.readChoices(d, o.Name(), "anyOf")
		}
	}
}

// readChoices reads a member if it contains choices.
func (s *fieldSchema) readChoices(d *wire.Decoder, name, constants string) {
	switch name {
	case "enum":
		wire.Slice(d, &s.enum, wire.String)
	case "enumNames":
		wire.Slice(d, &s.enumNames, wire.String)
	case constants:
		s.constants = []mcp.FormChoice{}
		elements(d, func() { s.constants = append(s.constants, readConstant(d)) })
	}
}

var constantFields = wire.Fields{{Must: "const"}, {Name: "title"}}

func readConstant(d *wire.Decoder) (c mcp.FormChoice) {
	for o := d.Object(constantFields); o.Next(); {
		switch o.Name() {
		case "const":
			wire.String(d, &c.Value)
		case "title":
			wire.String(d, &c.Title)
		}
	}
	return c
}

// choices returns the choices of a schema, nil if it has none.
func (s *fieldSchema) choices() []mcp.FormChoice {
	if s.constants != nil || s.enum == nil {
		return s.constants
	}
	all := make([]mcp.FormChoice, len(s.enum))
	for i, value := range s.enum {
		all[i].Value = value
		if i < len(s.enumNames) {
			all[i].Title = s.enumNames[i]
		}
	}
	return all
}

// setRules sets the rules for values of the field.
func (f *Field) setRules(s *fieldSchema) {
	f.rules = formfield.Rules{
		Kind: formfield.Kind(f.Kind), Format: f.Format, Minimum: f.Minimum, Maximum: f.Maximum,
		MinLength: limitOrNone(s.minLength, &f.MinLength), MaxLength: limitOrNone(s.maxLength, &f.MaxLength),
		MinItems: limitOrNone(s.minItems, &f.MinItems), MaxItems: limitOrNone(s.maxItems, &f.MaxItems),
	}
	for _, c := range f.Choices {
		f.rules.Choices = append(f.rules.Choices, c.Value)
	}
}

// setPattern makes the field check its pattern. If a pattern requires too large a table here, only
// the server checks it.
func (f *Field) setPattern() {
	if f.Pattern == "" || len(f.Pattern) > maxPattern {
		return
	}
	if m, err := pattern.Compile(f.Pattern); err == nil {
		f.rules.Pattern, f.rules.Matches = f.Pattern, m.Match
	}
}

// limitOrNone sets the limit of a field, and returns it, or None if n is not a usable limit.
func limitOrNone(n, field *int) int {
	if n == nil || *n < 0 {
		return formfield.None
	}
	*field = *n
	return *n
}

// checkDefault checks the kind of the default. A default may exceed limits, since the user can
// correct it.
func (f *Field) checkDefault() error {
	if f.Default == "" {
		return nil
	}
	kind := Field{rules: formfield.Rules{
		Kind: f.rules.Kind, Choices: f.rules.Choices, MinLength: formfield.None, MaxLength: formfield.None,
		MinItems: formfield.None, MaxItems: formfield.None,
	}}
	d := wire.NewDecoder([]byte(f.Default), wire.Options{})
	kind.rules.Read(d)
	if err := d.Finish(); err != nil {
		return fmt.Errorf("default: %w", err)
	}
	return nil
}
