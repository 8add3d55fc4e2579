package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/glob"
	"github.com/mcpgen/mcpgen/runtime/internal/uripattern"
)

// Policy says which features a server offers. What it does not let through is as
// if it had never been registered: it is not listed, not counted among the
// capabilities, and a request for it is answered as one for a feature that does
// not exist, so that nobody learns of it.
//
// A pattern is exact, or has stars, each of which stands for any text, slashes
// included. Letters matter in what is allowed, and do not in what is denied.
//
//	group:admin         features of a group, of any kind
//	file:///secret/*    with a colon: resources, and templates, by their URIs
//	delete_*            without one: tools and prompts, by their published names
//	*                   everything
//
// URIs are compared as what they mean. A URI is denied if any way to read it is
// denied, and allowed if all ways to read it are allowed: percent-encoding undone
// (also more than once), dot segments resolved, slashes doubled or turned
// around. So file:///public/..%2Fsecret/key is a way to file:///secret/key. A
// template stays if some of its URIs may be read; each of them is looked at when
// it is read, listed, subscribed to or told of. What only a file system or a
// network takes for the same thing (links, two ways to write an accented letter,
// several names of a host) it does not know: see [NewFiles] for the former, and
// allow rather than deny for the latter. Nor does it look into results.
type Policy struct {
	// Allow, unless it is empty, has all that is offered: what none of the patterns
	// fits is not.
	Allow []string
	// Deny has what is not offered, whatever Allow says. A tool is denied by each of
	// its names, aliases included. What URIs a denied resource or template has,
	// others do not answer for it.
	Deny []string
}

// WithPolicy offers only what the policy lets through. Given several times, all
// of them must. It panics on a pattern that is empty or has dot segments.
//
// What one may call and another may not is for [WithVisible] to say.
func WithPolicy(p Policy) Option {
	compiled := &policy{limited: len(p.Allow) > 0}
	for _, text := range p.Allow {
		compiled.allow = append(compiled.allow, newRule(text, false))
	}
	for _, text := range p.Deny {
		compiled.deny = append(compiled.deny, newRule(text, true))
	}
	return func(s *Server) { s.policies = append(s.policies, compiled) }
}

// policy is one as it is used.
type policy struct {
	allow, deny []*rule
	limited     bool // there is an allow list
}

// rule is one pattern. One of its fields is set.
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

// names reports whether a rule is about one of the names of a tool or prompt.
func (r *rule) names(names ...string) bool {
	return r.name != nil && slices.ContainsFunc(names, r.name.Match)
}

// groups reports whether a rule is about a feature because of its groups.
func (r *rule) groups(groups []string) bool {
	return r.all || r.group != nil && slices.ContainsFunc(groups, r.group.Match)
}

// denies reports whether a feature is denied, a template with all of its URIs.
func (p *policy) denies(f Feature) bool {
	info, names := f.Info(), f.names()
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
			return r.uri != nil && r.uri.Matches(uripattern.Lenient(info.URI))
		}
		for i := range names {
			names[i] = uripattern.FoldCase(names[i])
		}
		return r.names(names...)
	})
}

// allows reports whether a feature is on the allow list, of a template some of
// its URIs.
func (p *policy) allows(f Feature) bool {
	if !p.limited {
		return true
	}
	info := f.Info()
	switch info.Kind {
	case KindResource:
		return p.allowsURI(info.Groups, "", uripattern.Strict(info.URI))
	case KindTemplate:
		prefix := f.(*template).pattern.Prefix()
		return slices.ContainsFunc(p.allow, func(r *rule) bool {
			return r.groups(info.Groups) || r.uri != nil && (r.uri.Text() == info.URI || r.uri.MayMatchPrefix(prefix))
		})
	}
	return slices.ContainsFunc(p.allow, func(r *rule) bool { return r.groups(info.Groups) || r.names(info.Name) })
}

// allowsURI reports whether a URI may be read, of a resource or template with
// those groups. template is "" for a resource.
func (p *policy) allowsURI(groups []string, template string, s *uripattern.Readings) bool {
	if !p.limited {
		return true
	}
	var uris []*uripattern.Pattern
	for _, r := range p.allow {
		if r.groups(groups) || r.uri != nil && template != "" && r.uri.Text() == template {
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

// admit reports whether a feature may be registered. Of what is denied it
// remembers the URIs.
func (s *Server) allowFeature(f Feature) bool {
	for _, p := range s.policies {
		if p.denies(f) {
			s.deny(f)
			return false
		}
		if !p.allows(f) {
			return false
		}
	}
	return true
}

// bar keeps other features from answering for a resource that is denied.
func (s *Server) deny(f Feature) {
	info := f.Info()
	b := &deniedResource{}
	switch info.Kind {
	case KindResource:
		b.uri = uripattern.DenyURI(info.URI)
	case KindTemplate:
		b.template = uripattern.DenyTemplate(info.URI)
	default:
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.denied == nil {
		s.denied = map[deniedKey]*deniedResource{}
	}
	s.denied[deniedKey{info.Kind, info.URI}] = b
}

// barred is a resource or a template that is denied.
type deniedResource struct {
	uri      *uripattern.Pattern
	template *uripattern.Template
}

type deniedKey struct {
	kind Kind
	uri  string
}

// mayRead reports whether the policies let a URI be read of a feature.
func (s *Server) mayRead(f Feature, uri string) bool {
	return len(s.policies) == 0 || s.mayReadAny(uri, []Feature{f})
}

// mayTell reports whether clients may be told of a URI: it is not denied, and
// belongs to something that they may read.
func (s *Server) isNotifiable(uri string) bool {
	if len(s.policies) == 0 {
		return true
	}
	s.mu.RLock()
	var of []Feature
	if static := s.sets[resourceSet].byName[uri]; static != nil {
		of = append(of, static)
	}
	for _, t := range s.closest {
		if _, ok := t.pattern.Match(uri, false); ok {
			of = append(of, t)
		}
	}
	s.mu.RUnlock()
	if len(of) == 0 { // a part of something, that by itself cannot be read
		of = append(of, nil)
	}
	return s.mayReadAny(uri, of)
}

// mayReadAny reports whether a URI may be read of one of the features at least;
// nil is one that has no group.
func (s *Server) mayReadAny(uri string, of []Feature) bool {
	strict, lenient := uripattern.Strict(uri), uripattern.Lenient(uri)
	if strict == nil || lenient == nil {
		return false
	}
	s.mu.RLock()
	for _, b := range s.denied {
		if b.uri != nil && b.uri.Matches(lenient) || b.template != nil && b.template.Matches(lenient) {
			s.mu.RUnlock()
			return false
		}
	}
	s.mu.RUnlock()
	for _, p := range s.policies {
		if p.deniesURI(lenient) || !slices.ContainsFunc(of, func(f Feature) bool {
			if f == nil {
				return p.allowsURI(nil, "", strict)
			}
			info := f.Info()
			template := ""
			if info.Kind == KindTemplate {
				template = info.URI
			}
			return p.allowsURI(info.Groups, template, strict)
		}) {
			return false
		}
	}
	return true
}
