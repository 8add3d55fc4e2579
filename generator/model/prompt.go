package model

// Prompt is a prompt.
type Prompt struct {
	Feature
	Completions []*Completion
	Call
}
