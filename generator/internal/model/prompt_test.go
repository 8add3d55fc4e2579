package model_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

func TestRefusesBlank(t *testing.T) {
	text := &model.Type{Kind: model.String}
	for name, test := range map[string]struct {
		field model.Field
		want  bool
	}{
		"string":              {model.Field{Type: text}, false},
		"pointer to a string": {model.Field{Type: &model.Type{Kind: model.Pointer, Elem: text}}, false},
		"integer":             {model.Field{Type: &model.Type{Kind: model.Int}}, true},
		"pointer to a bool":   {model.Field{Type: &model.Type{Kind: model.Pointer, Elem: &model.Type{Kind: model.Bool}}}, true},
		"nullable number":     {model.Field{Type: &model.Type{Kind: model.Flagged, Elem: &model.Type{Kind: model.Float}}}, true},
		"converted":           {model.Field{Type: &model.Type{Kind: model.Converted, Elem: text}}, false},
		"time":                {model.Field{Type: &model.Type{Kind: model.Time}}, true},
		"choice":              {model.Field{Type: &model.Type{Kind: model.String, Enum: &model.Enum{Values: []model.EnumValue{{JSON: `"a"`}}}}}, true},
		"choice of blank":     {model.Field{Type: &model.Type{Kind: model.String, Enum: &model.Enum{Values: []model.EnumValue{{JSON: `"a"`}, {JSON: `""`}}}}}, false},
		"open choice":         {model.Field{Type: &model.Type{Kind: model.String, Enum: &model.Enum{Values: []model.EnumValue{{JSON: `"a"`}}, Open: true}}}, false},
		"choice by directive": {model.Field{Type: text, Rules: model.Rules{Enum: []string{`"a"`}}}, true},
		"format":              {model.Field{Type: text, Rules: model.Rules{Limits: map[string]string{"format": "email"}}}, true},
		"length":              {model.Field{Type: text, Rules: model.Rules{Limits: map[string]string{"minLength": "1"}}}, true},
		"no length":           {model.Field{Type: text, Rules: model.Rules{Limits: map[string]string{"minLength": "0"}}}, false},
	} {
		if got := test.field.RefusesBlank(); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
