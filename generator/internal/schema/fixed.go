package schema

import (
	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Fix makes the value of fixed= the only value of a field or parameter. It returns false after
// adding an error.
func (r *Resolver) Fix(f *model.Field, arg *directive.Directive, at diag.Place) bool {
	value, _ := arg.Get("fixed")
	s := site{Place: at.At(value.ValuePos), use: Argument}
	if len(arg.Args) > 2 { // the name and fixed
		r.errorf(site{Place: at, use: Argument}, "delete the rest of the line", "a fixed value is not an argument, so other settings have no effect")
		return false
	}
	if !value.Quoted && value.Value == "null" && holdsNil(f.Type) {
		f.Default = &model.Value{JSON: "null", Pos: value.ValuePos}
		return true
	}
	text, hint, err := valueText(f.Type, setting{Keyword: keyword.Lookup("fixed"), values: []string{value.Value}, source: fromArg})
	if err != nil {
		r.errorf(s, hint, "the fixed value %s", err)
		return false
	}
	if problem := unfit(f.Type, &f.Rules, text); problem != "" {
		r.errorf(s, "write a value that the parameter can have", "the fixed value %s", problem)
		return false
	}
	f.Default = &model.Value{JSON: text, Pos: value.ValuePos}
	return true
}

// holdsNil reports whether a type has a nil value, which null is read as.
func holdsNil(t *model.Type) bool {
	switch t.Kind {
	case model.Pointer, model.Slice, model.Map, model.Bytes, model.Any, model.RawJSON, model.Flagged, model.Union:
		return true
	}
	return false
}
