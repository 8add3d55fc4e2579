package mcpauth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// ListMode selects the features in lists for callers that lack their scopes.
type ListMode uint8

// The modes.
const (
	// StepUp shows a user all features, so that a client can ask for the scopes of one when it is
	// used. Keys, certificates, passwords and tokens that a client obtained for itself cannot get
	// more scopes: they see only features that they may use.
	StepUp ListMode = iota
	// Granted shows each caller only features that it may use.
	Granted
)

// permission is the Access of an identity.
type permission struct {
	g *Guard
	i *Identity
}

// errNoRole is the error for a feature that no role of the caller may see.
var errNoRole = errors.New("no role of the caller may see it")

// Authorize decides by roles, and then by scopes.
func (p *permission) Authorize(ctx context.Context, f mcp.FeatureInfo) error {
	if p.g.o.Roles != nil && !p.hasRole(ctx, f) {
		p.audit(ctx, f, errNoRole.Error(), nil)
		return errNoRole
	}
	missing := p.g.scopes.missing(p.i.Scopes, f.Scopes)
	if missing == nil {
		return nil
	}
	p.audit(ctx, f, "scopes are missing", missing)
	return &mcp.AccessError{Scopes: missing, StepUp: p.g.o.Lists == StepUp && !p.i.Machine}
}

// hasRole reports whether one of the roles may see a feature.
func (p *permission) hasRole(ctx context.Context, f mcp.FeatureInfo) bool {
	for _, name := range p.i.Roles {
		if a := p.g.o.Roles.Role(name); a != nil && a.Authorize(ctx, f) == nil {
			return true
		}
	}
	return false
}

// audit writes a record of a refused feature. Features that a list omits are not recorded.
func (p *permission) audit(ctx context.Context, f mcp.FeatureInfo, reason string, wanted []string) {
	call := mcp.CallFrom(ctx)
	if p.g.o.Audit == nil || !strings.Contains(call.Method(), "/") || strings.HasSuffix(call.Method(), "/list") {
		return
	}
	name := f.Name
	if f.URI != "" {
		name = f.URI
	}
	c := Credential{Address: call.RemoteAddr()}
	attrs := append(p.g.attributes(nil, &c, p.i, "denied"),
		slog.String("reason", reason), slog.String("method", logs.Cut(call.Method(), logs.MaxText)), slog.String("feature", name))
	if wanted != nil {
		attrs = append(attrs, slog.String("wanted", strings.Join(wanted, " ")))
	}
	trace := traceID(call.Trace().Parent)
	if trace == "" {
		trace = traceOf(call.Header())
	}
	if trace != "" {
		attrs = append(attrs, slog.String("trace", trace))
	}
	p.g.o.Audit.LogAttrs(ctx, slog.LevelWarn, "access", attrs...)
}

// challenge is the function for mcphttp.WithChallenge. It also names the scopes for every request
// and for reading, so that a client that asks only for the challenged scopes does not lose others.
func (g *Guard) challenge(_ *http.Request, e *mcp.AccessError) http.Header {
	return g.challenges("insufficient_scope", "", "", once(slices.Concat(g.current().challenge, e.Scopes)))
}
