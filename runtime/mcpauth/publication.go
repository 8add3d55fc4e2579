package mcpauth

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// This file has what a guard says to everybody. It depends on the features of the server, which may
// change, and is made once for each change, since strangers ask for it.

// publication is what a guard says to everybody. It does not change.
type publication struct {
	servers []guardedServer
	// challenge has the scopes of challenges: those of every request, and those that reading needs.
	// A client asks for them first, and for more when a feature is refused.
	challenge  []string
	metadata   []byte   // nil without an issuer: a client could not do anything with it
	needsCreds *refusal // of requests without a credential
}

// guardedServer is a server behind the guard, with its scopes at the time of a publication.
type guardedServer struct {
	server *mcp.Server
	host   transport.Server
	scopes *transport.Scopes
}

// maxChallengeBytes bounds the scopes of a challenge: clients and proxies bound header fields.
const maxChallengeBytes = 2 << 10

// publish adds a server, whose scopes are published from now on.
func (g *Guard) publish(s *mcp.Server) {
	g.mu.Lock()
	defer g.mu.Unlock()
	servers := g.published.Load().servers
	if slices.ContainsFunc(servers, func(known guardedServer) bool { return known.server == s }) {
		return // as the other handlers have it
	}
	g.published.Store(g.newPublication(append(slices.Clip(servers), guardedServer{server: s, host: s.Transport()})))
}

// current returns the publication for the features that the servers have now.
func (g *Guard) current() *publication {
	if p := g.published.Load(); p.isCurrent() {
		return p
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.published.Load()
	if !p.isCurrent() { // no other request has made it
		p = g.newPublication(p.servers)
		g.published.Store(p)
	}
	return p
}

func (p *publication) isCurrent() bool {
	for i := range p.servers {
		if p.servers[i].host.Scopes() != p.servers[i].scopes {
			return false
		}
	}
	return true
}

// newPublication makes what is published of servers.
func (g *Guard) newPublication(servers []guardedServer) *publication {
	p := &publication{servers: slices.Clone(servers), challenge: g.o.Scopes}
	all, reading := slices.Clone(g.o.Scopes), slices.Clone(g.o.Scopes)
	for i := range p.servers {
		s := &p.servers[i]
		s.scopes = s.host.Scopes()
		all, reading = append(all, s.scopes.All...), append(reading, s.scopes.Reading...)
	}
	all, reading = once(all), once(reading)
	if size := len(strings.Join(reading, " ")); size <= maxChallengeBytes {
		p.challenge = reading
	} else {
		loggerOr(g.o.Log).Warn("the scopes that reading needs are too long for a challenge: clients find them in the metadata alone",
			slog.Int("bytes", size), slog.Int("most", maxChallengeBytes))
	}
	if d := &g.described; len(d.issuers) > 0 {
		m := metadata{
			Resource: g.o.Resource, Servers: d.issuers, Scopes: all, Methods: []string{"header"},
			Name: g.o.Name, Documentation: g.o.Documentation, Certificates: d.certificates, DPoPOnly: d.dpopOnly,
		}
		if d.dpop {
			m.DPoPAlgs = algorithms
		}
		p.metadata, _ = json.Marshal(m) // it has texts and lists alone
	}
	p.needsCreds = &refusal{
		status: http.StatusUnauthorized, reason: "the request has no credential", text: "the request needs a credential",
		header: g.challenges("", "", "", p.challenge),
	}
	return p
}

// once returns the scopes of a list, each once, in their order.
func once(scopes []string) []string {
	seen := make(map[string]bool, len(scopes))
	return slices.DeleteFunc(scopes, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}
