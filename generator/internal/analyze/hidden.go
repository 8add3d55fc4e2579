package analyze

import (
	"cmp"
	"encoding/json"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/regularfile"
	"github.com/mcpgen/mcpgen/internal/visible"
)

// visible refuses text with characters that a reviewer cannot see.
func (a *analyzer) visible(text, what string, at diag.Place) bool {
	r, found := visible.Hidden(text)
	if found {
		a.diags.Errorf(lineOf(text, r, at.Pos), at.Subject, "the %s contains the hidden character %U, which a reviewer does not see and a model reads", what, r).
			Hint = "delete it"
	}
	return !found
}

// lineOf returns the position of a hidden character in the source: in the same file, at the word
// with it, or else at any such character, on the line nearest to a position. It returns that
// position if the file contains none, as with escapes.
func lineOf(text string, r rune, at token.Position) token.Position {
	src, err := regularfile.Read(at.Filename)
	if err != nil {
		return at
	}
	wanted := []string{string(r)}
	for _, word := range strings.Fields(text) {
		if strings.ContainsRune(word, r) {
			wanted = []string{word, string(r)}
			break
		}
	}
	for _, part := range wanted {
		best, number := at, 0
		for line := range strings.Lines(string(src)) {
			number++
			i := strings.Index(line, part)
			if i < 0 || best != at && distance(number, at.Line) >= distance(best.Line, at.Line) {
				continue
			}
			best = token.Position{Filename: at.Filename, Line: number, Column: i + strings.IndexRune(part, r) + 1}
		}
		if best != at {
			return best
		}
	}
	return at
}

func distance(a, b int) int { return max(a-b, b-a) }

// checkVisible refuses hidden characters in every text in the model, since nearly all of them are
// published. It visits the Go types of the model by reflection, so that it covers new fields, too.
func (a *analyzer) checkVisible() {
	c := &visibleChecker{analyzer: a, seen: map[seenPointer]bool{}, shapes: map[reflect.Type]*walkedStruct{}}
	if s := a.out.Server; s != nil {
		c.walk(reflect.ValueOf(s), "", "", diag.Place{Pos: s.Pos, Subject: "server"})
	}
	for _, e := range a.out.Errors {
		c.walk(reflect.ValueOf(e), "", "", diag.Place{Pos: e.Pos, Subject: "error " + e.Name})
	}
	for _, f := range a.out.Forms {
		c.walk(reflect.ValueOf(f), "", "", diag.Place{Pos: f.Pos, Subject: "form " + f.Type.Name})
	}
	for _, t := range a.out.Tools {
		c.walk(reflect.ValueOf(t), "", "", diag.Place{Pos: t.Pos, Subject: "tool " + t.Func.Name})
	}
	for _, r := range a.out.Resources {
		c.walk(reflect.ValueOf(r), "", "", diag.Place{Pos: r.Pos, Subject: "resource " + nameOf(r)})
	}
	for _, r := range a.out.Templates {
		c.walk(reflect.ValueOf(r), "", "", diag.Place{Pos: r.Pos, Subject: "resource " + nameOf(r)})
	}
	for _, p := range a.out.Prompts {
		c.walk(reflect.ValueOf(p), "", "", diag.Place{Pos: p.Pos, Subject: "prompt " + p.Func.Name})
	}
	for _, s := range a.out.Skills { // the texts of files are checked at their lines
		for _, text := range append(slices.Clone(s.Groups), s.URI, s.Symbol) {
			a.visible(text, "name", diag.Place{Pos: s.Pos, Subject: "skill " + s.Symbol})
		}
		if s.Func != nil {
			a.visible(s.All[0].Description, "description", diag.Place{Pos: s.Pos, Subject: "skill " + s.Symbol})
		}
	}
}

func nameOf(r *model.Resource) string {
	if r.Value != nil {
		return r.Value.Name
	}
	return r.Func.Name
}

// visibleChecker visits the structs of package model. It follows each pointer once, so that it
// reports a type once even if several features share it.
type visibleChecker struct {
	*analyzer
	seen   map[seenPointer]bool
	shapes map[reflect.Type]*walkedStruct
}

// seenPointer is a pointer with its type, since a struct and its first field have one address.
type seenPointer struct {
	to reflect.Type
	at uintptr
}

// walkedStruct describes a struct type for the checker. Looking its fields up for each value would
// take more time than checking the texts.
type walkedStruct struct {
	name, pos []int // indexes of the fields Name and Pos, or nil
	fields    []reflect.StructField
}

func (c *visibleChecker) shapeOf(t reflect.Type) *walkedStruct {
	if s := c.shapes[t]; s != nil {
		return s
	}
	s := &walkedStruct{}
	c.shapes[t] = s
	if name, ok := t.FieldByName("Name"); ok && name.Type.Kind() == reflect.String && owned[t] {
		s.name = name.Index
	}
	if pos, ok := t.FieldByName("Pos"); ok && pos.Type == positionType {
		s.pos = pos.Index
	}
	for field := range t.Fields() {
		if field.IsExported() && leadsToText(field.Type, map[reflect.Type]bool{}) { // unlike fields of go/types
			s.fields = append(s.fields, field)
		}
	}
	return s
}

// leadsToText reports whether walk finds texts in values of a type. Types in seen do not count.
func leadsToText(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == positionType || seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.String:
		return true
	case reflect.Map:
		return t == limitsType
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return leadsToText(t.Elem(), seen)
	case reflect.Struct:
		for field := range t.Fields() {
			if field.IsExported() && leadsToText(field.Type, seen) {
				return true
			}
		}
	}
	return false
}

var (
	positionType = reflect.TypeFor[token.Position]() // the names of files are not published
	limitsType   = reflect.TypeFor[map[string]string]()
)

// walk checks a value. The parameter what names its member; owner names the published feature or
// type that contains the member, if it has one.
func (c *visibleChecker) walk(v reflect.Value, what, owner string, at diag.Place) {
	switch v.Kind() {
	case reflect.Pointer:
		pointer := seenPointer{v.Type(), v.Pointer()}
		if c.seen[pointer] {
			return
		}
		c.seen[pointer] = true
		c.walk(v.Elem(), what, owner, at)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			c.walk(v.Index(i), what, owner, at)
		}
	case reflect.Map: // constraints by their keywords
		limits, _ := v.Interface().(map[string]string)
		if len(limits) == 0 {
			return
		}
		for _, keyword := range slices.Sorted(maps.Keys(limits)) {
			if suspicious(limits[keyword]) {
				c.check(limits[keyword], keyword, owner, at)
			}
		}
	case reflect.Struct:
		c.walkStruct(v, owner, at)
	case reflect.String:
		text := v.String()
		if text == "" {
			return
		}
		if suspicious(text) {
			c.check(text, cmp.Or(memberNames[what], "text"), owner, at)
		}
		if jsonMembers[what] {
			c.checkStrict(text, memberNames[what], owner, at)
		}
	}
}

func (c *visibleChecker) walkStruct(v reflect.Value, owner string, at diag.Place) {
	s := c.shapeOf(v.Type())
	if s.name != nil {
		owner = v.FieldByIndex(s.name).String()
	}
	if s.pos != nil {
		if pos := v.FieldByIndex(s.pos); pos.CanAddr() { // a copy in an interface would be allocated
			at = at.At(*pos.Addr().Interface().(*token.Position))
		} else {
			at = at.At(pos.Interface().(token.Position))
		}
	}
	for _, field := range s.fields {
		c.walk(v.FieldByIndex(field.Index), field.Name, owner, at)
	}
}

// owned are the types whose names identify the owner of a text.
var owned = map[reflect.Type]bool{
	reflect.TypeFor[model.Field](): true, reflect.TypeFor[model.Type](): true,
}

// jsonMembers are the members of the model that are JSON texts, which are published unchanged.
var jsonMembers = map[string]bool{"JSON": true, "Enum": true, "Examples": true, "Schema": true}

// checkStrict refuses JSON that servers and clients read differently.
func (c *visibleChecker) checkStrict(text, what, owner string, at diag.Place) {
	problem := ""
	if jsontext.Valid(text) {
		problem = jsontext.NotStrict(text)
	}
	if problem == "" {
		return
	}
	if owner != "" {
		what += " of " + strings.Map(printable, owner)
	}
	c.diags.Errorf(at.Pos, at.Subject, "the %s %s", what, problem).Hint = "write JSON that every reader takes alike"
}

// suspicious reports whether a text contains a hidden character, or may contain one as an escape.
func suspicious(text string) bool {
	_, hidden := visible.Hidden(text)
	return hidden || strings.Contains(text, `\`)
}

// check checks a suspicious text. JSON texts may contain hidden characters as escapes, which
// clients decode; control characters are visible there.
func (c *visibleChecker) check(text, what, owner string, at diag.Place) {
	if owner != "" {
		what += " of " + strings.Map(printable, owner)
	}
	if !c.visible(text, what, at) {
		return
	}
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		c.checkJSON(value, what, at)
	}
}

func (c *visibleChecker) checkJSON(value any, what string, at diag.Place) bool {
	switch value := value.(type) {
	case string:
		return c.visible(strings.Map(withoutControls, value), what, at)
	case []any:
		for _, element := range value {
			if !c.checkJSON(element, what, at) {
				return false
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if !c.checkJSON(name, what, at) || !c.checkJSON(value[name], what, at) {
				return false
			}
		}
	}
	return true
}

func withoutControls(r rune) rune {
	if r < 0x20 {
		return -1
	}
	return r
}

func printable(r rune) rune {
	if _, hidden := visible.Hidden(string(r)); hidden {
		return -1
	}
	return r
}

// memberNames are the words for members of the model in messages.
var memberNames = map[string]string{
	"Title": "title", "Description": "description", "Instructions": "instructions", "Version": "version", "Website": "website", "Source": "icon", "Sizes": "icon size", "Theme": "icon theme", "Meta": "metadata",
	"Name": "name", "Text": "text", "Doc": "doc comment", "JSON": "value", "Schema": "schema", "Format": "format",
	"Enum": "enumeration", "Examples": "example", "Header": "header", "Key": "keyword", "Groups": "group", "Aliases": "alias", "MIME": "MIME type",
	"URI": "URI", "Audience": "audience", "Values": "value", "Value": "value", "Discriminator": "discriminator", "Symbol": "name",
}
