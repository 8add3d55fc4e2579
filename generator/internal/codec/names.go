package codec

import (
	"go/types"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Prefixes of the identifiers in the generated file, followed by a stem.
var (
	toolPrefixes = []string{"mcpTool", "mcpCall"}
	typePrefixes = []string{"mcpDecode", "mcpEncode"}
)

// names makes unique identifiers. All identifiers for one tool, or for one type, share a stem.
type names struct {
	pkg   *types.Package
	taken map[string]bool
}

func newNames(pkg *types.Package) *names {
	return &names{pkg: pkg, taken: map[string]bool{}}
}

// tool returns the stem of a tool.
func (n *names) tool(name string) string { return n.take(toolPrefixes, name) }

// codec returns the stem of a type or a place.
func (n *names) codec(candidates ...string) string { return n.take(typePrefixes, candidates...) }

// table returns the stem of a variable: mcpFields, mcpEnum or mcpPattern.
func (n *names) table(prefix, stem string) string { return n.take([]string{prefix}, stem) }

// take reserves the first candidate that is free with all prefixes. If none is free, it numbers the
// last one.
func (n *names) take(prefixes []string, candidates ...string) string {
	return first(candidates, func(c string) bool {
		if c == "" {
			return false
		}
		for _, p := range prefixes {
			if n.taken[p+c] || n.pkg != nil && n.pkg.Scope().Lookup(p+c) != nil {
				return false
			}
		}
		for _, p := range prefixes {
			n.taken[p+c] = true
		}
		return true
	})
}

func first(candidates []string, take func(string) bool) string {
	for _, c := range candidates {
		if take(c) {
			return c
		}
	}
	last := candidates[len(candidates)-1]
	for i := 2; ; i++ {
		if c := last + strconv.Itoa(i); take(c) {
			return c
		}
	}
}

// forType finds a stem for a type: its name, preceded by its package's name if another type uses it
// already. A type without a name is named after place.
func (n *names) forType(t types.Type, place string) string {
	stem := typeStem(t)
	if stem == "" {
		return n.codec(place)
	}
	pkg := packageOf(t)
	if pkg == nil {
		return n.codec(stem)
	}
	if pkg == n.pkg {
		return n.codec(stem, Camel(pkg.Name())+stem)
	}
	path := strings.Split(pkg.Path(), "/")
	parent := ""
	if len(path) > 1 {
		parent = Camel(path[len(path)-2])
	}
	return n.codec(stem, Camel(pkg.Name())+stem, parent+Camel(pkg.Name())+stem)
}

// forPart finds a stem for a type without some of its members.
func (n *names) forPart(t types.Type, part, place string) string {
	if stem := typeStem(t); stem != "" {
		return n.codec(stem + part)
	}
	return n.codec(place)
}

// typeStem returns the stem of a type, or "" if it contains a struct without a name.
func typeStem(t types.Type) string {
	suffix := func(elem types.Type, suffix string) string {
		if s := typeStem(elem); s != "" {
			return s + suffix
		}
		return ""
	}
	switch t := t.(type) {
	case *types.Named:
		return Camel(t.Obj().Name()) + argsStem(t.TypeArgs())
	case *types.Alias:
		return Camel(t.Obj().Name()) + argsStem(t.TypeArgs())
	case *types.Basic:
		return Camel(t.Name())
	case *types.Pointer:
		return suffix(t.Elem(), "Ptr")
	case *types.Slice:
		return suffix(t.Elem(), "Slice")
	case *types.Array:
		return suffix(t.Elem(), "Array"+strconv.FormatInt(t.Len(), 10))
	case *types.Map:
		return suffix(t.Elem(), "Map")
	case *types.Interface:
		return "Any"
	}
	return ""
}

func argsStem(list *types.TypeList) string {
	var b strings.Builder
	for t := range list.Types() {
		b.WriteString(typeStem(t))
	}
	return b.String()
}

// packageOf returns the package of the named type inside t, or nil.
func packageOf(t types.Type) *types.Package {
	switch t := t.(type) {
	case *types.Named:
		return t.Obj().Pkg()
	case *types.Alias:
		return t.Obj().Pkg()
	case interface{ Elem() types.Type }:
		return packageOf(t.Elem())
	}
	return nil
}

// initialisms are the words that Go names write in capitals.
var initialisms = map[string]bool{
	"API": true, "CSS": true, "DNS": true, "HTML": true, "HTTP": true, "HTTPS": true, "ID": true, "IP": true, "JSON": true,
	"SQL": true, "SSH": true, "TCP": true, "TLS": true, "TTL": true, "UDP": true, "UI": true, "URI": true, "URL": true,
	"UTF8": true, "UUID": true, "XML": true,
}

// Camel joins the words of a name: search_books is SearchBooks, and book_id BookID.
func Camel(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if upper := strings.ToUpper(word); initialisms[upper] {
			b.WriteString(upper)
			continue
		}
		first, size := utf8.DecodeRuneInString(word)
		b.WriteRune(unicode.ToUpper(first))
		b.WriteString(word[size:])
	}
	return b.String()
}
