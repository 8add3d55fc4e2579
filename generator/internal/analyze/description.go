package analyze

import (
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generator/internal/directive"
)

// featureDescription returns the description of a feature for the model: from the directive,
// otherwise from its doc comment, in which published names replace links to annotated symbols.
// //mcp:doc is part of the doc comment.
func (a *analyzer) featureDescription(d declared) string {
	if text, set := d.dir.String("description"); set {
		return text
	}
	if c := a.calleeOf(d); c != nil {
		text := a.docs.OfVariable(c.variable, c.above, a.publishedLink)
		if d.set.Get("doc") != nil {
			return text
		}
		if strings.TrimSpace(text) == "" {
			text = a.docs.Linked(c.declared, a.publishedLink)
		}
		return dropSymbol(strings.TrimSpace(text), d.set.Name)
	}
	text := a.docs.Linked(a.object(d.set), a.publishedLink)
	if d.set.Get("doc") != nil || d.set.Target == directive.Var || d.set.Target == directive.Const {
		return text // the name of a value is a noun that its description needs
	}
	return dropSymbol(strings.TrimSpace(text), d.set.Name)
}

// publishedLink returns the published name for a doc link to an annotated symbol that is emitted,
// too.
func (a *analyzer) publishedLink(pkg, recv, name string) string {
	if pkg == "" {
		pkg = a.pkg.Path
	}
	return a.published[symbol{pkg, strings.TrimPrefix(recv, "*"), name}]
}

// collectPublished collects the published name of every annotated function, since doc comments
// refer to them in any order.
func (a *analyzer) collectPublished() {
	for _, word := range []string{"resource", "prompt", "tool"} { // if one function is several features, the tool's name takes precedence
		for _, d := range a.selected(word) {
			if c := a.calleeOf(d); c != nil {
				name := a.settingsFor(d).publishedName(d)
				a.published[symbol{c.declared.Pkg().Path(), receiverName(c.declared), c.fn.Name()}] = name
				if owner := declaredType(c.recv); owner != nil { // also for a promoted method
					a.published[symbol{owner.Pkg().Path(), owner.Name(), c.fn.Name()}] = name
				}
			} else if fn, ok := a.object(d.set).(*types.Func); ok {
				a.published[symbol{a.pkg.Path, receiverName(fn), fn.Name()}] = a.settingsFor(d).publishedName(d)
			}
		}
	}
}

// dropSymbol removes the symbol's own name from the front of a description, since the model sees
// another name: "Search finds books" becomes "Finds books". In "Start the scheduler" the name is
// the verb, and stays.
func dropSymbol(text, symbol string) string {
	rest, ok := strings.CutPrefix(text, symbol+" ")
	if !ok {
		return text
	}
	rest = strings.TrimLeft(rest, " ")
	r, size := utf8.DecodeRuneInString(rest)
	if size == 0 || isWord(symbol) && !isPredicate(rest) {
		return text
	}
	return string(unicode.ToUpper(r)) + rest[size:]
}

// isWord reports whether a symbol could be a word of a sentence, unlike SearchBooks.
func isWord(symbol string) bool {
	return strings.IndexFunc(symbol[1:], func(r rune) bool { return !unicode.IsLower(r) }) < 0
}

// isPredicate reports whether a text continues as after a subject: with a verb in the third person,
// a verb without that form, or an adverb.
func isPredicate(text string) bool {
	word := strings.TrimRight(strings.Fields(text)[0], ".,;:")
	if strings.IndexFunc(word, func(r rune) bool { return r < 'a' || 'z' < r }) >= 0 {
		return !isASCII(word) // other languages are not analysed
	}
	switch word {
	case "as", "its", "this", "his", "various", "previous", "unless", "across", "address", "access":
		return false
	case "also", "always", "can", "could", "did", "had", "may", "might", "must", "never", "now", "only", "should", "was", "will", "would":
		return true
	}
	return strings.HasSuffix(word, "s") || strings.HasSuffix(word, "ly")
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
