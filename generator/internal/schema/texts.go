package schema

import "github.com/mcpgen/mcpgen/generator/internal/model"

// Texts renders the schemas of tools, each of them once: rendering takes most of the time of an
// analysis that is done again after an edit. The tools must not change in the meantime. Its methods
// must not be called concurrently.
type Texts struct{ inputs, outputs map[*model.Tool]string }

// InputWithMarks returns the result of [InputWithMarks].
func (x *Texts) InputWithMarks(t *model.Tool) string { return once(&x.inputs, t, InputWithMarks) }

// Input returns the result of [InputOf].
func (x *Texts) Input(t *model.Tool) string { return withoutMarks(t, x.InputWithMarks(t)) }

// Output returns the result of [OutputOf].
func (x *Texts) Output(t *model.Tool) string { return once(&x.outputs, t, OutputOf) }

// Weight returns the result of [WeightOf].
func (x *Texts) Weight(t *model.Tool) *Weight {
	return weigh(x.Input(t), x.Output(t))
}

func once(texts *map[*model.Tool]string, t *model.Tool, render func(*model.Tool) string) string {
	if text, ok := (*texts)[t]; ok {
		return text
	}
	if *texts == nil {
		*texts = map[*model.Tool]string{}
	}
	text := render(t)
	(*texts)[t] = text
	return text
}
