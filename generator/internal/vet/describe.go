package vet

import (
	"encoding/json"
	"go/token"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

const describeFeature = "write what it does into the doc comment, or into description=; //mcp:doc replaces the comment for the model"

// missingDescriptions checks the rule missing-description.
func (c *checker) missingDescriptions() {
	needed := map[token.Position]bool{}
	for _, f := range c.features {
		if strings.TrimSpace(f.description) == "" {
			c.report(f.set, f.pos, f.subject, describeFeature, "it has no description")
		}
		if f.resource != nil {
			continue // the protocol does not have descriptions of variables
		}
		described := c.descriptions(f)
		for _, field := range f.arguments() {
			if strings.TrimSpace(described(field)) != "" {
				continue
			}
			at, again := c.needed(f, field, needed)
			hint := "write a comment behind or above the parameter, or //mcp:arg " + field.Name + ` "..."`
			switch {
			case again:
				continue
			case at != f:
			case f.call.Input.Whole || field.Path[0].Inlined != nil:
				hint = "write a comment above the field, or //mcp:arg " + field.Name + ` "..." on the function`
			}
			c.report(at.set, c.fieldPos(f, field), at.subject+": argument "+field.Name, hint, "it has no description")
		}
	}
}

// descriptions returns a function that returns the text that clients read about an argument.
func (c *checker) descriptions(f *feature) func(*model.Field) string {
	if f.tool == nil {
		return func(field *model.Field) string { return field.Description }
	}
	type property struct {
		Description string          `json:"description"`
		Ref         string          `json:"$ref"`
		OneOf       json.RawMessage `json:"oneOf"`
	}
	var input struct {
		Properties map[string]property `json:"properties"`
		Defs       map[string]property `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(c.schemas.Input(f.tool)), &input); err != nil {
		return func(field *model.Field) string { return field.Description }
	}
	return func(field *model.Field) string {
		p := input.Properties[field.Name]
		if name, ok := strings.CutPrefix(p.Ref, "#/$defs/"); ok && p.Description == "" {
			p = input.Defs[name]
		}
		if p.Description == "" && strings.Contains(string(p.OneOf), `"description"`) {
			return string(p.OneOf) // its values have descriptions
		}
		return p.Description
	}
}

// repeatedDescriptions checks the rule repeated-description.
func (c *checker) repeatedDescriptions() {
	first := map[string]*feature{}
	for _, f := range c.inSource() {
		own := normal(f.description)
		if own == "" {
			continue
		}
		if other := first[own]; other == nil {
			first[own] = f
		} else if other.set != f.set || f.set == nil { // one function may be both a tool and a resource
			c.report(f.set, f.pos, f.subject, "describe how the two differ", "it has the description of %s", other.subject)
		}
		if repeats(f.description, f.name) {
			c.report(f.set, f.pos, f.subject, describeFeature, "the description only repeats the name")
		}
	}
	for _, f := range c.features {
		if f.resource != nil {
			continue
		}
		seen := map[string]string{}
		described := c.descriptions(f)
		for _, field := range f.arguments() {
			text := described(field)
			own := normal(text)
			if own == "" {
				continue
			}
			subject, pos := f.subject+": argument "+field.Name, c.fieldPos(f, field)
			switch other := seen[own]; {
			case repeats(text, field.Name):
				c.report(f.set, pos, subject, "describe what a value looks like, or what it does", "the description only repeats the name")
			case own == normal(f.description):
				c.report(f.set, pos, subject, "describe what the argument is", "it has the description of the %s", strings.Fields(f.subject)[0])
			case field.Description == "": // the description belongs to its type, which other fields share
			case other != "":
				c.report(f.set, pos, subject, "describe how the two differ", "it has the description of argument %s", other)
			default:
				seen[own] = field.Name
			}
		}
	}
}

// repeats reports whether a text contains only the words of a name.
func repeats(text, name string) bool {
	return squeeze(text) == squeeze(name) && squeeze(name) != ""
}

// squeeze keeps the letters and digits of meaningful words.
func squeeze(text string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		switch word {
		case "the", "a", "an", "of", "this":
		default:
			b.WriteString(word)
		}
	}
	return b.String()
}

// normal returns the form of a text that is compared with others.
func normal(text string) string {
	return strings.Trim(strings.ToLower(strings.Join(strings.Fields(text), " ")), " .!")
}
