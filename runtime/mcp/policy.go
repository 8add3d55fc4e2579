package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/glob"
	"github.com/mcpgen/mcpgen/runtime/internal/uripattern"
)

// Policy restricts which features a server offers. A feature that it does not allow is treated as
// if it were not registered: the server does not list it or declare a capability for it, and
// replies to a request for it as for a feature that does not exist.
//
// A pattern is exact, or contains stars. A star matches any text, including slashes. Allow patterns
// are case-sensitive, deny patterns are not.
//
//	group:admin         features of a group, of any kind
//	file:///secret/*    with a colon: resources, and templates, by their URIs
//	delete_*            without one: tools and prompts, by their published names
//	*                   everything
//
// URIs are compared by their meaning. A URI is denied if any reading of it is denied, and allowed
// if all readings are allowed: with percent-encoding decoded (also more than once), dot segments
// resolved, and slashes doubled or turned to backslashes. So file:///public/..%2Fsecret/key is a
// reading of file:///secret/key. A template is offered if some of its URIs are allowed; each URI is
// checked when it is read, listed, subscribed to or updated. A policy does not know what only a
// file system or a network treats as equal (links, two encodings of an accented letter, several
// names of a host): use [NewFiles] for the former, and Allow rather than Deny for the latter. It
// does not check the content of results.
type Policy struct {
	// Allow are the patterns of the offered features. If it is not empty, only features that match
	// one of them are offered.
	Allow []string
	// Deny are the patterns of features that are not offered, even if they match Allow. A tool is
	// denied by each of its names, including aliases. No other feature answers for the URIs of a
	// denied resource or template.
	Deny []string
	// Select returns true for the features to offer; nil means all. It is called when a feature is
	// registered, with its published name. A resource that it leaves out is not read by a template
	// either. The function [Select] does the same for a part of the features.
	Select func(FeatureInfo) bool
}

// compile compiles the patterns of a policy. It panics if one is not valid.
func compile(p Policy) *policy {
	compiled := &policy{limited: len(p.Allow) > 0}
	for _, text := range p.Allow {
		compiled.allow = append(compiled.allow, newRule(text, false))
	}
	for _, text := range p.Deny {
		compiled.deny = append(compiled.deny, newRule(text, true))
	}
	return compiled
}

// policy contains the compiled patterns of a Policy, or its function.
type policy struct {
	allow, deny []*rule
	limited     bool // there is an allow list
	selected    func(FeatureInfo) bool
}

// rule is one pattern. Exactly one of its fields is set.
type rule struct {
	all   bool
	group glob.Pattern
	name  glob.Pattern
	uri   *uripattern.Pattern
}

const groupPrefix = "group:"

func newRule(text string, denies bool) *rule {
	kind, rest := &rule{}, text
	g := func(text string) glob.Pattern {
		if denies {
			text = uripattern.FoldCase(text)
		}
		return glob.New(text)
	}
	switch {
	case text == "*":
		kind.all = true
	case strings.HasPrefix(text, groupPrefix):
		rest = text[len(groupPrefix):]
		kind.group = g(rest)
	case strings.Contains(text, ":"):
		if uripattern.HasDotSegments(text) {
			panic(fmt.Sprintf("mcp: pattern %q of a policy must not have the segments . and ..", text))
		}
		kind.uri = uripattern.Allow(text)
		if denies {
			kind.uri = uripattern.Deny(text)
		}
	default:
		kind.name = g(text)
	}
	if strings.TrimSpace(rest) == "" {
		panic(fmt.Sprintf("mcp: pattern %q of a policy is empty; write * for everything", text))
	}
	return kind
}

func (r *rule) deniesURI(uri string) bool {
	return r.uri != nil && r.uri.Matches(uripattern.Lenient(uri))
}

// names reports whether a rule matches one of the names of a tool or prompt.
func (r *rule) names(names ...string) bool {
	return r.name != nil && slices.ContainsFunc(names, r.name.Match)
}

// groups reports whether a rule matches a feature by its groups.
func (r *rule) groups(groups []string) bool {
	return r.all || r.group != nil && slices.ContainsFunc(groups, r.group.Match)
}

// denies reports whether a feature is denied, and for a template, whether all of its URIs are.
func (p *policy) denies(f Feature) bool {
	info, names := f.Info(), f.names()
	if p.selected != nil {
		return !p.selected(info)
	}
	groups := slices.Clone(info.Groups)
	for i := range groups {
		groups[i] = uripattern.FoldCase(groups[i])
	}
	return slices.ContainsFunc(p.deny, func(r *rule) bool {
		switch {
		case r.groups(groups):
			return true
		case info.Kind == KindTemplate:
			return r.uri != nil && r.uri.MatchesTemplate(info.URI)
		case info.Kind == KindResource:
			return r.deniesURI(info.URI) || slices.ContainsFunc(info.Files, r.deniesURI)
		}
		for i := range names {
			names[i] = uripattern.FoldCase(names[i])
		}
		return r.names(names...)
	})
}

// allows reports whether a feature is allowed, and for a template, whether some of its URIs are.
func (p *policy) allows(f Feature) bool {
	if !p.limited {
		return true
	}
	info := f.Info()
	switch info.Kind {
	case KindResource:
		return p.allowsURI(info.Groups, "", uripattern.Strict(info.URI))
	case KindTemplate:
		prefix := f.(interface{ literalPrefix() string }).literalPrefix()
		return slices.ContainsFunc(p.allow, func(r *rule) bool {
			return r.groups(info.Groups) || r.uri != nil && (r.uri.Text() == info.URI || r.uri.MayMatchPrefix(prefix))
		})
	}
	return slices.ContainsFunc(p.allow, func(r *rule) bool { return r.groups(info.Groups) || r.names(info.Name) })
}

// allowsURI reports whether a URI of a resource or template with those groups may be read. template
// is "" for a resource.
func (p *policy) allowsURI(groups []string, template string, s *uripattern.Readings) bool {
	if !p.limited {
		return true
	}
	var uris []*uripattern.Pattern
	for _, r := range p.allow {
		if r.groups(groups) || r.uri != nil && r.uri.Text() == template {
			return true
		}
		if r.uri != nil {
			uris = append(uris, r.uri)
		}
	}
	return uripattern.Allowed(uris, s)
}

func (p *policy) deniesURI(s *uripattern.Readings) bool {
	return slices.ContainsFunc(p.deny, func(r *rule) bool { return r.uri != nil && r.uri.Matches(s) })
}

// deniedResource is a denied resource or template.
type deniedResource struct {
	uri      *uripattern.Pattern
	files    []*uripattern.Pattern // further URIs of the resource
	template deniedTemplate
}

func (d *deniedResource) matches(uri *uripattern.Readings) bool {
	return d.uri != nil && d.uri.Matches(uri) || d.template != nil && d.template.Matches(uri) ||
		slices.ContainsFunc(d.files, func(p *uripattern.Pattern) bool { return p.Matches(uri) })
}

// deniedTemplate is a *uripattern.Template; see [uriPattern].
type deniedTemplate interface {
	Matches(*uripattern.Readings) bool
}

type deniedKey struct {
	kind FeatureKind
	uri  string
}
