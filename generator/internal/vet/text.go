package vet

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// text is a text that a model may read.
type text struct {
	subject string
	what    string // "description"
	text    string
	pos     token.Position
	set     *directive.Set
}

// texts returns every published text, each place once.
func (c *checker) texts() []text {
	if c.shown != nil {
		return c.shown
	}
	seen := map[diag.Place]bool{}
	once := func(t text) {
		if at := (diag.Place{Pos: t.pos, Subject: t.subject}).In(t.what); t.text != "" && !seen[at] {
			seen[at] = true
			c.shown = append(c.shown, t)
		}
	}
	if s := c.m.Server; s != nil {
		for _, t := range []struct{ what, text string }{{"title", s.Title}, {"description", s.Description}, {"instructions", s.Instructions}} {
			once(text{"server", t.what, t.text, s.Pos, nil})
		}
	}
	for _, e := range c.m.Errors {
		once(text{"error " + e.Name, "text", e.Text, e.Pos, nil})
	}
	for _, form := range c.m.Forms {
		owner := &feature{subject: "form " + form.Type.Name, pos: form.Pos}
		for _, field := range form.Fields {
			once(text{owner.subject, "description of " + field.Name, field.Text, c.fieldPos(owner, field.Field), nil})
			once(text{owner.subject, "title of " + field.Name, field.Title, c.fieldPos(owner, field.Field), nil})
		}
	}
	for _, s := range c.m.Skills {
		for _, one := range s.All {
			once(text{"skill " + one.Name, "description", one.Description, s.Pos, c.setAt(s.Pos)})
		}
	}
	for _, f := range c.features {
		once(text{f.subject, "title", f.title, f.pos, f.set})
		once(text{f.subject, "description", f.description, f.pos, f.set})
		if f.call == nil {
			continue
		}
		types := map[*model.Type]bool{}
		if f.call.Input != nil {
			c.typeTexts(f, f.call.Input.Object, types, once)
		}
		c.typeTexts(f, f.call.Result.Output, types, once)
	}
	return c.shown
}

// typeTexts visits the texts in a type's schema.
func (c *checker) typeTexts(f *feature, t *model.Type, seen map[*model.Type]bool, visit func(text)) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	visit(text{f.subject, "doc comment of " + t.Name, t.Doc, f.pos, f.set})
	visit(text{f.subject, "schema of " + t.Name, t.Schema, f.pos, f.set})
	if t.Enum != nil {
		for _, v := range t.Enum.Values {
			visit(text{f.subject, "comment on the value " + v.JSON, v.Doc, f.pos, f.set})
			visit(text{f.subject, "value " + v.JSON + " of " + t.Name, v.JSON, f.pos, f.set})
		}
	}
	for _, field := range t.Fields {
		pos := c.fieldPos(f, field)
		visit(text{f.subject, "name " + field.Name, field.Name, pos, f.set})
		visit(text{f.subject, "description of " + field.Name, field.Description, pos, f.set})
		visit(text{f.subject, "title of " + field.Name, field.Title, pos, f.set})
		c.typeTexts(f, field.Type, seen, visit)
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			c.typeTexts(f, v.Type, seen, visit)
		}
	}
	c.typeTexts(f, t.Elem, seen, visit)
	c.typeTexts(f, t.Key, seen, visit)
}

// hiddenCharacters checks the rule hidden-character.
func (c *checker) hiddenCharacters() {
	for _, t := range c.texts() {
		if what := hidden(t.text); what != "" {
			c.report(t.set, t.pos, t.subject, "delete it, or write it as it is read", "the %s has %s", t.what, what)
		}
	}
}

// lookalikes are characters that resemble others of their kind, or nothing, but are part of
// ordinary text in some languages: the generator, which refuses invisible characters, accepts them.
var lookalikes = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1680, 0x1680, 1}, // Ogham space
		{0x2000, 0x200A, 1}, // spaces of fixed width
		{0x205F, 0x205F, 1}, // mathematical space
		{0xE000, 0xF8FF, 1}, // private use
	},
	R32: []unicode.Range32{
		{0xF0000, 0x10FFFD, 1}, // private use
	},
}

// hidden describes the parts of a text that a reviewer does not see.
func hidden(s string) string {
	for _, r := range s {
		if unicode.Is(lookalikes, r) {
			return fmt.Sprintf("the character %U, which shows nothing", r)
		}
	}
	if strings.Contains(s, "<!--") {
		return "an HTML comment, which is not shown where the text is rendered"
	}
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) &&
			strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) {
			return fmt.Sprintf("the word %q, in which Cyrillic letters pass for Latin ones", word)
		}
	}
	return ""
}

// note matches notes to authors. The words alone do not count: a tool may handle a user's TODO
// items.
var note = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)(\([^()\n]*\))?:|\b(TODO|FIXME|XXX|HACK)\([^()\n]*\)|\bFIXME\b`)

// noteTexts checks the rule note-text. It reports a text once, since many tools may share it.
func (c *checker) noteTexts() {
	seen := map[string]bool{}
	for _, t := range c.texts() {
		if seen[t.text] {
			continue
		}
		seen[t.text] = true
		if at := note.FindString(t.text); at != "" {
			c.report(t.set, t.pos, t.subject, "move it into the function, or into a comment of its own, with an empty line behind it", "the %s has a note to its authors: %q", t.what, at)
		}
	}
}

// instructions match orders to a model, as in poisoned tools.
var instructions = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(ignore|disregard|forget|override)\b[^.]{0,40}\b(instructions?|prompts?|guidelines|system message)\b`),
	regexp.MustCompile(`(?i)\b(do not|don't|never|must not|without)\s+(tell|inform|mention|reveal|notify|alert)(ing)?\b[^.]{0,30}\b(users?|humans?|anyone|anybody)\b`),
	regexp.MustCompile(`(?i)</?\s*(important|system|instructions?|assistant|secret|critical|sys)\s*>`),
	regexp.MustCompile(`(?i)\[/?(inst|system)\]|<\|[a-z_]+\|>`),
	regexp.MustCompile(`(?i)\bsystem prompt\b`),
	regexp.MustCompile(`(?i)\b(before|instead of)\s+(using|calling|invoking|running)\s+(any|every|all|each)\s+(of the\s+)?(other\s+)?tools?\b`),
	regexp.MustCompile(`(?i)\byou are (now\b|an? (ai|assistant|agent|language model)\b)`),
	regexp.MustCompile(`(?i)(~/\.ssh|\bid_rsa\b|/etc/passwd|\.aws/credentials|\bmcp\.json\b)`),
	regexp.MustCompile(`(?i)\b(pass|include|append|send|forward)\b[^.]{0,40}\b(conversation|chat history|previous messages|credentials|contents? of the file)\b`),
}

// instructionTexts checks the rule instruction-text.
func (c *checker) instructionTexts() {
	known := map[string]string{} // many types have the same texts
	for _, t := range c.texts() {
		words, ok := known[t.text]
		if !ok {
			words = instruction(t.text)
			known[t.text] = words
		}
		if words != "" {
			c.report(t.set, t.pos, t.subject, "describe what it does, not what the model shall do; instructions= of //mcp:server is for how to use the server",
				"the %s reads like an order to the model: %q", t.what, words)
		}
	}
}

// instruction returns the part of a text that reads like an order to a model, or "".
func instruction(text string) string {
	plain := strings.Join(strings.Fields(text), " ")
	for _, order := range instructions {
		if words := order.FindString(plain); words != "" {
			return words
		}
	}
	return ""
}
