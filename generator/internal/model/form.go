package model

import "go/token"

// Form is a struct type whose fields a user can be asked for.
type Form struct {
	Type   *Type // the struct; its Go type is a named type of the package
	Fields []*FormField
	Pos    token.Position
}

// FormField is one field of a form.
type FormField struct {
	*Field
	Kind FormKind
	// Text is the description: that of the field, otherwise that of its type.
	Text string
	// Format of a string, "" for none.
	Format string
	// Choices of a choice or of choices.
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
