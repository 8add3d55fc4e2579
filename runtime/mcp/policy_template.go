package mcp

import (
	"regexp"
	"slices"
	"strings"
)

// deniedTemplate matches the URIs of a template that a policy denies, in every
// spelling that [spell] finds: a wider template that is left must not answer for
// file:////secret/key where file:///secret/{name} is denied.
type deniedTemplate struct {
	encoded, decoded, flat *regexp.Regexp
}

func newDeniedTemplate(template string) *deniedTemplate {
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
	return &deniedTemplate{
		encoded: templatePattern(encoded, expressions),
		decoded: templatePattern(decoded, expressions),
		flat:    templatePattern(flat, expressions),
	}
}

// denies reports whether one of the spellings is a URI of the template. Where they
// are not known, one is.
func (t *deniedTemplate) denies(s *spellings) bool {
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
		b.WriteString(regexp.QuoteMeta(foldCase(text)))
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
