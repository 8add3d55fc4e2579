package uripattern

import (
	"regexp"
	"slices"
	"strings"
)

// Template matches the URIs of a template that a policy denies, in every reading: another
// template must not answer for file:////secret/key where file:///secret/{name} is denied.
type Template struct {
	encoded, decoded, flat *regexp.Regexp
}

// DenyTemplate returns a pattern that denies the URIs of a template (RFC 6570).
func DenyTemplate(template string) *Template {
	texts, expressions := splitTemplate(lowerHost(template))
	var encoded, decoded []string
	for _, text := range texts {
		encoded = append(encoded, normalURI(text))
		decoded = append(decoded, decodeURI(text))
	}
	// A template in which dot segments swallow an expression keeps its decoded form.
	flat := strings.Split(flatURI(strings.Join(decoded, star)), star)
	if len(flat) != len(texts) {
		flat = decoded
	}
	return &Template{
		encoded: templatePattern(encoded, expressions),
		decoded: templatePattern(decoded, expressions),
		flat:    templatePattern(flat, expressions),
	}
}

// Matches reports whether one of the readings is a URI of the template. It matches nil, a
// URI whose readings are not known.
func (t *Template) Matches(s *Readings) bool {
	return s == nil || slices.ContainsFunc(s.encoded, t.encoded.MatchString) ||
		slices.ContainsFunc(s.decoded, t.decoded.MatchString) || slices.ContainsFunc(s.flat, t.flat.MatchString)
}

// splitTemplate returns the texts of a template, and the expressions between them
// without their braces.
func splitTemplate(template string) (texts, expressions []string) {
	for {
		before, after, found := strings.Cut(template, "{")
		texts = append(texts, before)
		if !found {
			return texts, expressions
		}
		inside, rest, _ := strings.Cut(after, "}")
		expressions = append(expressions, inside)
		template = rest
	}
}

// templatePattern compiles texts, with letters folded, and what may lie between
// them.
func templatePattern(texts, expressions []string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i, text := range texts {
		b.WriteString(regexp.QuoteMeta(FoldCase(text)))
		if i < len(expressions) {
			b.WriteString(expressionPattern(expressions[i]))
		}
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String())
}

// expressionPattern matches what an expression of RFC 6570 can expand to once it is
// decoded. A value of {x} may have any character but a slash: one that is encoded is
// matched where it is not decoded yet.
func expressionPattern(inside string) string {
	switch {
	case inside == "":
		return ``
	case strings.HasPrefix(inside, "/") && strings.HasSuffix(inside, "*"), strings.HasPrefix(inside, "+"):
		return `.*`
	case inside[0] == '#', inside[0] == '?', inside[0] == '&':
		return `(?:` + regexp.QuoteMeta(inside[:1]) + `.*)?`
	case inside[0] == '/', inside[0] == '.', inside[0] == ';':
		one := `(?:` + regexp.QuoteMeta(inside[:1]) + `[^/]*)?`
		return strings.Repeat(one, 1+strings.Count(inside, ","))
	}
	return `[^/]*`
}
