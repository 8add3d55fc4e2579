package mcp

import (
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/uripattern"
)

// This file applies the policies of a server.

// WithPolicy restricts the features of the server. If it is given several times, a feature must be
// allowed by all policies. It panics if a pattern is empty or has dot segments.
//
// For features that only some callers may use, see [WithAccess].
func WithPolicy(p Policy) Option {
	compiled := []*policy{compile(p)}
	if p.Select != nil {
		compiled = append(compiled, &policy{selected: p.Select})
	}
	return func(s *Server) { s.policies = append(s.policies, compiled...) }
}

// allowFeature reports whether the policies allow a feature. It records the URIs of a denied
// feature.
func (s *Server) allowFeature(f Feature) bool {
	for _, p := range s.policies {
		if p.denies(f) {
			if _, ok := f.(*template); !ok || p.selected == nil {
				s.deny(f)
			}
			return false
		}
		if !p.allows(f) {
			return false
		}
	}
	if info := f.Info(); len(s.policies) > 0 && info.Kind == KindResource { // maybe denied before, by the function of a policy
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.denied, deniedKey{info.Kind, info.URI})
	}
	return true
}

// deny records a denied resource or template, so that no other feature answers for its URIs.
func (s *Server) deny(f Feature) {
	d, ok := f.(interface{ denied() *deniedResource })
	if !ok {
		return
	}
	info, b := f.Info(), d.denied()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.denied == nil {
		s.denied = map[deniedKey]*deniedResource{}
	}
	s.denied[deniedKey{info.Kind, info.URI}] = b
}

func (r *resource) denied() *deniedResource {
	d := &deniedResource{uri: uripattern.DenyURI(r.info.URI)}
	for _, uri := range r.files() {
		d.files = append(d.files, uripattern.DenyURI(uri))
	}
	return d
}

func (t *template) denied() *deniedResource { return &deniedResource{template: t.pattern.denied()} }

// mayRead reports whether the policies allow to read a URI of a feature.
func (s *Server) mayRead(f Feature, uri string) bool {
	return len(s.policies) == 0 || s.mayReadAny(uri, []Feature{f})
}

// isNotifiable reports whether clients may be notified of a URI: the policies do not deny it, and
// it belongs to a resource or template that clients may read.
func (s *Server) isNotifiable(uri string) bool {
	if len(s.policies) == 0 {
		return true
	}
	s.mu.RLock()
	decided := uri
	var of []Feature
	if static, _ := s.sets[resourceSet].byName[uri].(*resource); static != nil {
		of = append(of, static)
		decided = static.decidedBy(uri)
	}
	for _, t := range s.closest {
		if _, ok := t.(*template).pattern.Match(uri, false); ok {
			of = append(of, t)
		}
	}
	s.mu.RUnlock()
	if len(of) == 0 { // a part of a resource, which cannot be read by itself
		of = append(of, nil)
	}
	return s.mayReadAny(decided, of)
}

// mayReadAny reports whether the policies allow to read a URI of at least one of the features. A
// nil feature does not belong to a group.
func (s *Server) mayReadAny(uri string, of []Feature) bool {
	strict, lenient := uripattern.Strict(uri), uripattern.Lenient(uri)
	if lenient == nil { // and so the check is strict
		return false
	}
	s.mu.RLock()
	for _, b := range s.denied {
		if b.matches(lenient) {
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
