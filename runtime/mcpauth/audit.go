package mcpauth

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
)

// auditRefusal logs a refusal. r is nil for a connection without requests.
func (g *Guard) auditRefusal(r *http.Request, c *Credential, e *refusal) {
	if g.o.Audit == nil {
		return
	}
	attrs := append(g.attributes(r, c, e.who, "denied"), slog.String("reason", e.reason), slog.Int("status", e.status))
	if e.wanted != nil {
		attrs = append(attrs, slog.String("wanted", strings.Join(e.wanted, " ")))
	}
	g.o.Audit.LogAttrs(contextOf(r), slog.LevelWarn, "access", attrs...)
}

// auditGrant logs a request that was accepted.
func (g *Guard) auditGrant(r *http.Request, c *Credential, i *Identity) {
	if g.o.Audit != nil && g.o.AuditGrants {
		g.o.Audit.LogAttrs(contextOf(r), slog.LevelInfo, "access", g.attributes(r, c, i, "granted")...)
	}
}

func contextOf(r *http.Request) context.Context {
	if r == nil {
		return context.Background()
	}
	return r.Context()
}

// attributes returns the attributes that all records contain. They contain no secrets, and long
// values from clients are cut.
func (g *Guard) attributes(r *http.Request, c *Credential, i *Identity, decision string) []slog.Attr {
	attrs := []slog.Attr{slog.String("decision", decision)}
	if c.Scheme != "" {
		attrs = append(attrs, slog.String("scheme", c.Scheme))
	}
	if c.Address.IsValid() {
		attrs = append(attrs, slog.String("remote", c.Address.String()))
	}
	if i != nil {
		attrs = append(attrs, slog.String("principal", logs.Cut(i.ID(), logs.MaxText)))
		for _, a := range []struct{ name, value string }{{"issuer", i.Issuer}, {"client", i.Client}, {"token", i.TokenID}, {"scopes", strings.Join(i.Scopes, " ")}} {
			if a.value != "" {
				attrs = append(attrs, slog.String(a.name, logs.Cut(a.value, logs.MaxText)))
			}
		}
	} else if c.Token != "" {
		attrs = append(attrs, slog.String("token", tokenID(c.Token)))
	}
	if r != nil {
		if trace := traceOf(r.Header); trace != "" {
			attrs = append(attrs, slog.String("trace", trace))
		}
	}
	return attrs
}

// traceOf returns the trace id in the field Traceparent.
func traceOf(h http.Header) string { return traceID(h.Get("Traceparent")) }

// traceID returns the trace id of a traceparent (W3C Trace Context, section 3.2), or "" if it is
// invalid.
func traceID(parent string) string {
	parts := strings.Split(parent, "-")
	if len(parts) != 4 || len(parts[1]) != 32 || strings.Trim(parts[1], "0123456789abcdef") != "" {
		return ""
	}
	return parts[1]
}
