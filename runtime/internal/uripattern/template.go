package uripattern

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/linear"
)

// Template matches the URIs of a template that a policy denies, in every reading: another template
// must not answer for file:////secret/key if file:///secret/{name} is denied.
type Template struct {
	encoded, decoded, flat *linear.Pattern
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

// Matches reports whether one of the readings is a URI of the template. It matches nil, a URI whose
// readings are not known.
func (t *Template) Matches(s *Readings) bool {
	return s == nil || matchesAny(t.encoded, s.encoded) || matchesAny(t.decoded, s.decoded) || matchesAny(t.flat, s.flat)
}

func matchesAny(p *linear.Pattern, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		_, ok := p.Match(text)
		return ok
	})
}

// splitTemplate splits a template into texts, and the expressions between them without their
// braces.
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

// templatePattern compiles texts, with letters folded, and the expressions between them.
func templatePattern(texts, expressions []string) *linear.Pattern {
	var nodes []linear.Node
	for i, text := range texts {
		nodes = append(nodes, linear.Text(FoldCase(text)))
		if i < len(expressions) {
			nodes = append(nodes, expressionPattern(expressions[i]))
		}
	}
	return linear.Compile(linear.Sequence(nodes...))
}

// but returns a node that matches any text without some bytes.
func but(bytes string) linear.Node {
	return linear.Star(linear.One(linear.Set{Bytes: bytes, Except: true}))
}

// expressionPattern matches the decoded expansions of an expression of RFC 6570. A value of {x} may
// contain any character but a slash: an encoded slash is matched in the reading that is not decoded
// yet.
func expressionPattern(inside string) linear.Node {
	switch {
	case inside == "":
		return linear.Sequence()
	case strings.HasPrefix(inside, "/") && strings.HasSuffix(inside, "*"), strings.HasPrefix(inside, "+"):
		return but("")
	case inside[0] == '#', inside[0] == '?', inside[0] == '&':
		return linear.Optional(linear.Sequence(linear.Text(inside[:1]), but("")))
	case inside[0] == '/', inside[0] == '.', inside[0] == ';':
		one := linear.Optional(linear.Sequence(linear.Text(inside[:1]), but("/")))
		return linear.Sequence(slices.Repeat([]linear.Node{one}, 1+strings.Count(inside, ","))...)
	}
	return but("/")
}
