package vet

import (
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// This file contains the rules for valid declarations that clients in use still change, cut or
// refuse. Clients differ and improve, so the table names the client and the time of the
// observation.

// idName matches names of members that identify something: id, book_id, BookID, bookIds. It does
// not match words that end with these letters, such as paid and GRID.
var idName = regexp.MustCompile(`^(?i:ids?)$|[_\-.](?i:ids?)$|[a-z0-9](Id|ID)s?$`)

// roundedIDs checks the rule rounded-id. It reports a package once, since its types share their
// ids.
func (c *checker) roundedIDs() {
	var names []string
	var at *feature
	var first *model.Field
	seen := map[*model.Type]bool{}
	for _, f := range c.inSource() {
		if f.tool == nil || f.tool.Output == model.OutputText {
			continue // a string arrives unchanged
		}
		var visit func(t *model.Type)
		visit = func(t *model.Type) {
			for _, field := range t.Fields {
				if idName.MatchString(field.Name) && isRounded(field) {
					if at == nil {
						at, first = f, field
					}
					names = append(names, strings.TrimPrefix(t.Name+"."+field.Name, "."))
				}
				walk(field.Type, seen, visit)
			}
		}
		walk(f.call.Result.Output, seen, visit)
	}
	if at == nil {
		return
	}
	c.report(nil, c.fieldPos(at, first), "", `write ,string in the json tag of each, such as json:"id,string", or return them as strings; `+
		`jsonschema:"maximum=9007199254740991" says that they stay below, and so does //mcp:ignore rounded-id REASON in the package comment`,
		"results have integers of 64 bits that identify something (%s), which JavaScript clients round from 2^53 on", firstOf(names))
}

// isRounded reports whether a member is written as a number that JavaScript cannot represent
// exactly. A Go int does not count: where it has 32 bits, a program cannot store such ids in it.
func isRounded(field *model.Field) bool {
	if field.Quoted || field.Rules.Limit("maximum") != "" || field.Rules.Limit("exclusiveMaximum") != "" || len(field.Rules.Enum) > 0 {
		return false
	}
	t := field.Type
	for t.Elem != nil {
		t = t.Elem
	}
	switch t.Kind {
	case model.Number:
		return true
	case model.Int, model.Uint:
		basic, ok := t.Go.Underlying().(*types.Basic)
		return ok && t.Enum == nil && (basic.Kind() == types.Int64 || basic.Kind() == types.Uint64)
	}
	return false
}

// recursiveResults checks the rule recursive-result. It reports a package once, since one such tool
// is enough.
func (c *checker) recursiveResults() {
	var names []string
	var at *feature
	for _, f := range c.inSource() {
		if f.tool != nil && c.schemas.Output(f.tool) != "" && schema.IsRecursive(f.tool.Result.Output) {
			if at == nil {
				at = f
			}
			names = append(names, f.tool.Func.Name)
		}
	}
	if at != nil {
		c.report(nil, at.pos, "", "output=untyped publishes no schema of the result, and returns the same structured content; //mcp:ignore recursive-result REASON in the package comment suppresses this",
			"results have types that contain themselves (%s), and versions of Claude Code drop all tools of a server with such a schema", firstOf(names))
	}
}

// numberEnums checks the rule number-enum.
func (c *checker) numberEnums() {
	c.argumentSchemas("the API of Gemini refuses enumerations of other values than strings",
		`write ,string in the json tag of the field, or give the type MarshalText and UnmarshalText, so that the values are strings`,
		func(members map[string]any) bool {
			values, _ := members["enum"].([]any)
			return slices.ContainsFunc(values, func(v any) bool { _, ok := v.(string); return !ok })
		})
}

// missingItems checks the rule missing-items.
func (c *checker) missingItems() {
	c.argumentSchemas("VS Code refuses a tool with the schema of an array without items",
		`write items in the schema, such as "items":{"type":"string"}, or "items":{"description":"Any JSON value."}`,
		func(members map[string]any) bool { return members["type"] == "array" && members["items"] == nil })
}

// argumentSchemas reports the tools whose arguments contain a schema, at any depth, that matches.
func (c *checker) argumentSchemas(message, hint string, matches func(members map[string]any) bool) {
	for _, f := range c.features {
		if f.tool == nil {
			continue
		}
		v, err := jsontext.Decode(c.schemas.Input(f.tool))
		if err != nil {
			continue // not reached: the generator wrote the schema
		}
		var found []string
		visitSchemas(v, "", func(path string, members map[string]any) {
			if matches(members) && !slices.Contains(found, path) {
				found = append(found, path)
			}
		})
		if len(found) > 0 {
			noun := ": argument "
			if len(found) > 1 {
				noun = ": arguments "
			}
			c.report(f.set, f.pos, f.subject+noun+firstOf(found), hint, "%s", message)
		}
	}
}

// visitSchemas visits a schema and the schemas inside it, in order of their keywords and names. The
// path of a definition starts at the definition, since any number of places refer to it.
func visitSchemas(v any, path string, visit func(path string, members map[string]any)) {
	members, ok := v.(map[string]any)
	if !ok {
		return
	}
	visit(path, members)
	for _, key := range slices.Sorted(maps.Keys(members)) {
		kind := keyword.Vocabulary[key]
		switch inner := members[key].(type) {
		case map[string]any:
			switch {
			case kind == "schemas" || key == "$defs":
				for _, name := range slices.Sorted(maps.Keys(inner)) {
					at := strings.TrimPrefix(path+"."+name, ".")
					if key == "$defs" {
						at = name
					}
					visitSchemas(inner[name], at, visit)
				}
			case kind == "schema" && key == "items":
				visitSchemas(inner, path+"[]", visit)
			case kind == "schema":
				visitSchemas(inner, path, visit)
			}
		case []any:
			if kind == "list" {
				for _, e := range inner {
					visitSchemas(e, path, visit)
				}
			}
		}
	}
}

// maxText is the length, in UTF-16 code units as JavaScript counts, at which Claude Code cuts a
// text.
const maxText = 2048

// cutTexts checks the rule cut-text.
func (c *checker) cutTexts() {
	tooLong := func(s string) (int, bool) {
		n := len(utf16.Encode([]rune(s)))
		return n, n > maxText
	}
	if s := c.m.Server; s != nil {
		if n, long := tooLong(s.Instructions); long {
			c.report(nil, s.Pos, "server", "begin with what matters, and move text about one tool to its description",
				"its instructions have %d characters, and versions of Claude Code cut them after %d", n, maxText)
		}
	}
	for _, f := range c.features {
		if f.tool == nil {
			continue
		}
		if n, long := tooLong(f.description); long {
			c.report(f.set, f.pos, f.subject, "begin with what matters, and move text about an argument to its description",
				"its description has %d characters, and versions of Claude Code cut it after %d", n, maxText)
		}
	}
}

// firstOf lists three names, and counts the others.
func firstOf(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and " + count(len(names)-most, "other")
}
