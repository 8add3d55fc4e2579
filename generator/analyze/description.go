package analyze

import (
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generator/directive"
)

// featureDescription is what the model reads about a feature: the description
// of the directive, otherwise its doc comment, in which links to annotated
// symbols have become their published names. //mcp:doc is part of the latter.
func (a *analyzer) featureDescription(d declared) string {
	if text, set := d.dir.String("description"); set {
		return text
	}
	text := a.docs.Linked(a.object(d.set), a.publishedLink)
	if d.set.Get("doc") != nil || d.set.Target == directive.Var || d.set.Target == directive.Const {
		return text // a value's name is the noun that the text is about
	}
	return dropSymbol(strings.TrimSpace(text), d.set.Name)
}

// publishedLink replaces a doc link to an annotated symbol that is emitted, too.
func (a *analyzer) publishedLink(pkg, recv, name string) string {
	if pkg == "" {
		pkg = a.pkg.Path
	}
	return a.published[symbol{pkg, strings.TrimPrefix(recv, "*"), name}]
}

// collectPublished learns the published name of every annotated function, so
// that doc comments can speak of them in any order.
func (a *analyzer) collectPublished() {
	for _, word := range []string{"resource", "prompt", "tool"} { // where one function is several, the tool's name counts
		for _, d := range a.selected(word) {
			if fn, ok := a.object(d.set).(*types.Func); ok {
				a.published[symbol{a.pkg.Path, receiverName(fn), fn.Name()}] = a.settingsFor(d).publishedName(d)
			}
		}
	}
}

// dropSymbol removes the symbol's own name from the front of a description,
// since the model knows the tool by another one: "Search finds books" is "Finds
// books".
func dropSymbol(text, symbol string) string {
	rest, ok := strings.CutPrefix(text, symbol+" ")
	if !ok {
		return text
	}
	rest = strings.TrimLeft(rest, " ")
	r, size := utf8.DecodeRuneInString(rest)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(r)) + rest[size:]
}
