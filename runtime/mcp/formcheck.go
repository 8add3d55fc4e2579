package mcp

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// check returns an error for a form that the specification does not allow.
func (f *FormInfo) check() error {
	for i := range f.Fields {
		field := &f.Fields[i]
		if field.Name == "" {
			return fmt.Errorf("field %d has no name", i+1)
		}
		if slices.ContainsFunc(f.Fields[:i], func(other FormField) bool { return other.Name == field.Name }) {
			return fmt.Errorf("two fields have the name %q", field.Name)
		}
		if err := field.check(); err != nil {
			return fmt.Errorf("field %q: %w", field.Name, err)
		}
	}
	return nil
}

func (f *FormField) check() error {
	switch f.Kind {
	case StringField:
		if !inOrder(f.MinLength, f.MaxLength) {
			return errors.New("MinLength and MaxLength must not be negative, nor MaxLength the smaller one")
		}
	case IntegerField, NumberField:
		for _, limit := range []string{f.Minimum, f.Maximum} {
			if limit != "" && !isJSONNumber(limit) {
				return fmt.Errorf("the limit %q is not a JSON number", limit)
			}
		}
	case BooleanField:
	case ChoiceField, ChoicesField:
		if err := f.checkChoices(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("there is no kind of field %d", f.Kind)
	}
	return f.checkDefault()
}

// inOrder reports whether two limits do not contradict each other; 0 means no limit.
func inOrder(least, most int) bool { return least >= 0 && most >= 0 && (most == 0 || least <= most) }

func isJSONNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return wire.Valid([]byte(text), 0) == nil && err == nil
}

func (f *FormField) checkChoices() error {
	if len(f.Choices) == 0 {
		return errors.New("there is nothing to choose: set Choices")
	}
	for i, c := range f.Choices {
		if slices.ContainsFunc(f.Choices[:i], func(other FormChoice) bool { return other.Value == c.Value }) {
			return fmt.Errorf("the choice %q is there twice", c.Value)
		}
	}
	if !inOrder(f.MinItems, f.MaxItems) || f.MinItems > len(f.Choices) {
		return errors.New("MinItems and MaxItems must not be negative, nor MaxItems the smaller one, nor MinItems more than there are choices")
	}
	return nil
}

// checkDefault checks that the initial value fits the kind of the field. It does not check limits:
// the user can correct a value that exceeds them.
func (f *FormField) checkDefault() error {
	if f.Default == "" {
		return nil
	}
	d := wire.NewDecoder([]byte(f.Default), wire.Options{Help: wire.Advice()})
	(&FormField{Kind: f.Kind, Choices: f.Choices}).decode(d)
	if err := d.Finish(); err != nil {
		return fmt.Errorf("the default %s does not fit: %w", f.Default, err)
	}
	return nil
}
