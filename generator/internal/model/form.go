package model

import "go/token"

// Form is a struct type whose fields a server can request from a user.
type Form struct {
	Type   *Type // the struct; its Go type is a named type of the package
	Fields []*FormField
	Pos    token.Position
}

// FormField is one field of a form.
type FormField struct {
	*Field
	Kind FormKind
	// Text is the description of the field, or else of its type.
	Text string
	// Format of a string, or "".
	Format string
	// Choices for the kinds FormChoiceOne and FormChoiceMany.
	Choices []FormChoice
}

// FormKind is a kind of field.
type FormKind int

const (
	FormString FormKind = iota
	FormInteger
	FormNumber
	FormBoolean
	FormChoiceOne  // one of Choices
	FormChoiceMany // any number of Choices
)

// FormChoice is one value of a choice.
type FormChoice struct {
	Value, Title string
}
