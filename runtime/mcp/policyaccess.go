package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/uripattern"
)

// PolicyAccess returns an [Access] that hides the features that a policy does not allow, for
// policies that differ between callers. [WithPolicy] applies to the whole server. PolicyAccess
// panics in the cases of WithPolicy. Select is called for each request and feature, concurrently.
//
// A URI of a template is checked when it is read or subscribed to. For notifications, completions
// and lists of a template's resources, which do not concern a single URI, a template is allowed
// only if no Deny pattern contains its scheme, and Allow contains its group, its text or
// everything. A Deny pattern for a group does not know the URIs of the group: deny them by their
// URIs too, if a template matches them.
func PolicyAccess(p Policy) Access { return &policyAccess{compile(p), p.Select} }

type policyAccess struct {
	*policy
	selects func(FeatureInfo) bool // may be nil
}

// errNotAllowed is the error for features that the policy does not allow.
var errNotAllowed = errors.New("the policy of the caller does not allow it")

func (p *policyAccess) Authorize(ctx context.Context, f FeatureInfo) error {
	var allowed bool
	switch f.Kind {
	case KindResource:
		allowed = p.permitsURI(f, "", f.URI)
	case KindTemplate:
		allowed = p.permitsTemplate(CallFrom(ctx), f)
	default:
		names := append([]string{f.Name}, f.Aliases...)
		allowed = !slices.ContainsFunc(p.deny, func(r *rule) bool { return r.groups(folded(f.Groups)) || r.names(folded(names)...) }) &&
			(!p.limited || slices.ContainsFunc(p.allow, func(r *rule) bool { return r.groups(f.Groups) || r.names(f.Name) }))
	}
	if !allowed || p.selects != nil && !p.selects(f) {
		return errNotAllowed
	}
	return nil
}

// folded returns the texts in the form in which deny patterns compare them.
func folded(texts []string) []string {
	all := make([]string, len(texts))
	for i, s := range texts {
		all[i] = uripattern.FoldCase(s)
	}
	return all
}

// permitsURI reports whether a URI of a resource or template is allowed.
func (p *policyAccess) permitsURI(f FeatureInfo, template, uri string) bool {
	lenient := uripattern.Lenient(uri)
	groups := folded(f.Groups)
	return !slices.ContainsFunc(p.deny, func(r *rule) bool {
		return r.groups(groups) || slices.ContainsFunc(f.Files, r.deniesURI)
	}) && !p.deniesURI(lenient) &&
		p.allowsURI(f.Groups, template, uripattern.Strict(uri))
}

// permitsTemplate reports whether a template is allowed for a request.
func (p *policyAccess) permitsTemplate(call *Call, f FeatureInfo) bool {
	groups := folded(f.Groups)
	if slices.ContainsFunc(p.deny, func(r *rule) bool { return r.groups(groups) || r.uri != nil && r.uri.MatchesTemplate(f.URI) }) {
		return false
	}
	switch call.Method() {
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return p.permitsURI(f, f.URI, call.Feature())
	case "resources/templates/list":
		return !p.limited || slices.ContainsFunc(p.allow, func(r *rule) bool {
			return r.groups(f.Groups) || r.uri != nil && (r.uri.Text() == f.URI || r.uri.MayMatchPrefix(literalPrefix(f.URI)))
		})
	}
	if slices.ContainsFunc(p.deny, func(r *rule) bool { return r.uri != nil && mayShareScheme(r.uri.Text(), f.URI) }) {
		return false
	}
	return !p.limited || slices.ContainsFunc(p.allow, func(r *rule) bool {
		return r.groups(f.Groups) || r.uri != nil && r.uri.Text() == f.URI
	})
}

// literalPrefix returns the part of a template before its first expression.
func literalPrefix(template string) string {
	if t, err := uritemplate.Parse(template); err == nil {
		return t.Prefix()
	}
	return ""
}

// mayShareScheme reports whether a pattern and a template may match the same URI, judged by the
// text before their first colons.
func mayShareScheme(pattern, template string) bool {
	a, _, _ := strings.Cut(pattern, ":")
	b, _, _ := strings.Cut(template, ":")
	return strings.Contains(a, "*") || strings.Contains(b, "{") || strings.EqualFold(a, b)
}
