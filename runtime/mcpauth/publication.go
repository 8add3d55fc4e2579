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

// This file computes the public documents of a guard. They depend on the features of the server,
// which may change, and are computed once for each change, since unauthenticated clients request
// them.

// publication contains the public documents of a guard. It is immutable.
type publication struct {
	servers []guardedServer
	// challenge contains the scopes of challenges: the scopes for every request, and for reading. A
	// client asks for them first, and for more when a feature is refused.
	challenge  []string
	metadata   []byte   // nil without an issuer: a client could not use it
	needsCreds *refusal // for requests without a credential
}

// guardedServer is a server behind the guard, with its scopes at the time of a publication.
type guardedServer struct {
	server *mcp.Server
	host   transport.Server
	scopes *transport.Scopes
}

// maxChallengeBytes limits the scopes of a challenge: clients and proxies limit header fields.
const maxChallengeBytes = 2 << 10

// publish adds a server, and publishes its scopes from now on.
func (g *Guard) publish(s *mcp.Server) {
	g.mu.Lock()
	defer g.mu.Unlock()
	servers := g.published.Load().servers
	if slices.ContainsFunc(servers, func(known guardedServer) bool { return known.server == s }) {
		return // another handler has added it
	}
	g.published.Store(g.newPublication(append(slices.Clip(servers), guardedServer{server: s, host: s.Transport()})))
}

// current returns the publication for the current features of the servers.
func (g *Guard) current() *publication {
	if p := g.published.Load(); p.isCurrent() {
		return p
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.published.Load()
	if !p.isCurrent() { // no other request computed it
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

// newPublication returns the publication for servers.
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
		p.metadata, _ = json.Marshal(m) // it contains only strings and lists
	}
	p.needsCreds = &refusal{
		status: http.StatusUnauthorized, reason: "the request has no credential", text: "the request needs a credential",
		header: g.challenges("", "", "", p.challenge),
	}
	return p
}

// once returns the scopes of a list without duplicates, in the same order.
func once(scopes []string) []string {
	seen := make(map[string]bool, len(scopes))
	return slices.DeleteFunc(scopes, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}
