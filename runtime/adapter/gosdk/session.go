//lint:file-ignore SA1019 Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be served.

//nolint:staticcheck // Roots, sampling and logging are deprecated from revision 2026-07-28 on, and still to be served.
package gosdk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	encoding "encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/bridge"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// session is a session of the SDK, in a revision with sessions. Its parts are sessions of the
// mounts, each opened at its first use.
type session struct {
	host *host
	sdk  *sdk.ServerSession

	mu       sync.Mutex
	ended    bool
	revision string // chosen by the SDK; "" if the client requested it
	level    string // of log messages; "" before the client has set it
	parts    map[*mount]*part

	subscribed      map[string]struct{} // the session's subscriptions in the SDK
	subscribedBytes int
}

// part is the session of one mount.
type part struct {
	open  sync.Mutex      // held while it is opened
	inner *bridge.Session // nil before it is opened; guarded by session.mu
}

// session returns the session. A goroutine ends it with the SDK's session.
func (h *host) session(ss *sdk.ServerSession) *session {
	h.mu.RLock()
	s := h.sessions[ss]
	h.mu.RUnlock()
	if s != nil {
		return s
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s = h.sessions[ss]; s == nil {
		s = &session{host: h, sdk: ss, parts: map[*mount]*part{}}
		h.sessions[ss] = s
		go func() {
			_ = ss.Wait()
			s.end()
		}()
	}
	return s
}

// end ends the session in all mounts.
func (s *session) end() {
	s.host.mu.Lock()
	delete(s.host.sessions, s.sdk)
	s.host.mu.Unlock()
	s.mu.Lock()
	parts := s.parts
	s.ended, s.parts = true, nil
	s.mu.Unlock()
	for _, p := range parts {
		if p.inner != nil {
			p.inner.Close()
		}
	}
}

// leave ends the session in one mount.
func (s *session) leave(m *mount) {
	s.mu.Lock()
	p := s.parts[m]
	delete(s.parts, m)
	s.mu.Unlock()
	if p != nil && p.inner != nil {
		p.inner.Close()
	}
}

func (s *session) setRevision(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision = version
}

// opened returns the sessions of the mounts that are open.
func (s *session) opened() (all []*bridge.Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.parts {
		if p.inner != nil {
			all = append(all, p.inner)
		}
	}
	return all
}

// setLevel sets the level of log messages, even for parts that are opened later. A mount without
// log messages refuses it.
func (s *session) setLevel(ctx context.Context, level string) {
	s.mu.Lock()
	s.level = level
	s.mu.Unlock()
	for _, inner := range s.opened() {
		setLevel(ctx, inner, level)
	}
}

func setLevel(ctx context.Context, inner *bridge.Session, level string) {
	params, err := encoding.Marshal(map[string]string{"level": level})
	if err == nil {
		_, _ = inner.Call(ctx, &bridge.Request{Method: protocol.SetLevel.String(), Params: params}, nil)
	}
}

func (s *session) rootsChanged() {
	for _, inner := range s.opened() {
		inner.Notify(protocol.RootsListChanged, nil)
	}
}

// in returns the session of a mount, and opens it if necessary.
func (s *session) in(ctx context.Context, m *mount, from *origin) (*bridge.Session, error) {
	s.mu.Lock()
	if s.ended || !slices.Contains(s.host.mounted(), m) { // after that check, leave will find the part
		s.mu.Unlock()
		return nil, mcp.ErrConnectionClosed
	}
	p := s.parts[m]
	if p == nil {
		p = &part{}
		s.parts[m] = p
	}
	inner, revision := p.inner, s.revision
	s.mu.Unlock()
	if inner != nil {
		return inner, nil
	}
	p.open.Lock()
	defer p.open.Unlock()
	s.mu.Lock()
	inner = p.inner
	s.mu.Unlock()
	if inner != nil {
		return inner, nil
	}
	hello, err := helloOf(s.sdk, revision)
	if err != nil {
		return nil, err
	}
	hello.Principal, hello.Header = from.principal, from.header
	inner, err = m.bridge.Open(ctx, hello, func(method string, params json) { s.host.notified(s.sdk, method, params) })
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.parts[m] != p { // the session or the mount is over
		s.mu.Unlock()
		inner.Close()
		return nil, mcp.ErrConnectionClosed
	}
	p.inner = inner
	level := s.level
	s.mu.Unlock()
	if level != "" {
		setLevel(ctx, inner, level)
	}
	return inner, nil
}

// capabilities is the JSON form of a client's capabilities: the SDK's type always contains roots.
type capabilities struct {
	sdk.ClientCapabilities
	Roots *sdk.RootCapabilities `json:"roots,omitempty"`
}

// helloOf returns the client's part of the handshake of a session, in a revision with sessions.
func helloOf(ss *sdk.ServerSession, chosen string) (*bridge.Hello, error) {
	hello := &bridge.Hello{Revision: protocol.Latest.Version, ID: ss.ID()}
	p := ss.InitializeParams()
	if p == nil { // a server without sessions
		return hello, nil
	}
	version := p.ProtocolVersion
	if chosen != "" {
		version = chosen
	}
	if r := protocol.Find(version); r != nil && !r.PerRequest {
		hello.Revision = version
	}
	var err error
	if p.ClientInfo != nil {
		if hello.Client, err = encoding.Marshal(p.ClientInfo); err != nil {
			return nil, fmt.Errorf("write the client: %w", err)
		}
	}
	if p.Capabilities != nil {
		c := capabilities{*p.Capabilities, p.Capabilities.RootsV2}
		c.Extensions = withoutTasks(c.Extensions)
		if hello.Capabilities, err = encoding.Marshal(c); err != nil {
			return nil, fmt.Errorf("write the capabilities of the client: %w", err)
		}
	}
	return hello, nil
}

// withoutTasks removes the extension for tasks, which the SDK's server does not support.
func withoutTasks(extensions map[string]any) map[string]any {
	if _, ok := extensions[protocol.TasksName]; !ok {
		return extensions
	}
	extensions = maps.Clone(extensions)
	delete(extensions, protocol.TasksName)
	return extensions
}

// origin is the origin of a request.
type origin struct {
	session   *sdk.ServerSession
	meta      map[string]any
	modern    bool // in a revision without sessions
	principal *mcp.Principal
	header    map[string][]string
}

// originOf returns the origin of a request. The _meta of a request contains a revision without
// sessions.
func originOf(ss *sdk.ServerSession, meta map[string]any, extra *sdk.RequestExtra) *origin {
	o := &origin{session: ss, meta: meta}
	version, _ := meta[sdk.MetaKeyProtocolVersion].(string)
	o.modern = protocol.PerRequest([]byte(version)) != nil
	if o.modern {
		o.meta = withoutTasksIn(meta)
	}
	if extra == nil {
		return o
	}
	o.header = extra.Header
	if t := extra.TokenInfo; t != nil {
		o.principal = &mcp.Principal{ID: idOf(t, extra.Header), Value: t, Access: scopesOf{t}}
	}
	return o
}

// tokenID is the prefix of the IDs of callers that only their tokens identify.
const tokenID = "token sha256:"

// idOf returns the ID of the caller with a token: UserID; without one, a digest of the token; and
// "" if the token is unknown too. In that case package mcp refuses everything that requires data
// kept for a caller.
func idOf(t *auth.TokenInfo, header http.Header) string {
	if t.UserID != "" && !strings.HasPrefix(t.UserID, tokenID) {
		return t.UserID
	}
	scheme, token, _ := strings.Cut(header.Get("Authorization"), " ")
	if token = strings.TrimSpace(token); token == "" || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	sum := sha256.Sum256([]byte(token))
	return tokenID + hex.EncodeToString(sum[:])
}

// withoutTasksIn removes the extension for tasks from the capabilities in the _meta of a request.
func withoutTasksIn(meta map[string]any) map[string]any {
	declared, _ := meta[sdk.MetaKeyClientCapabilities].(map[string]any)
	extensions, _ := declared["extensions"].(map[string]any)
	if _, ok := extensions[protocol.TasksName]; !ok {
		return meta
	}
	declared = maps.Clone(declared)
	declared["extensions"] = withoutTasks(extensions)
	meta = maps.Clone(meta)
	meta[sdk.MetaKeyClientCapabilities] = declared
	return meta
}

// scopesOf is an Access that decides by the scopes of the caller's token.
type scopesOf struct{ token *auth.TokenInfo }

// Authorize returns an error with the missing scopes.
func (s scopesOf) Authorize(_ context.Context, f mcp.FeatureInfo) error {
	var missing []string
	for _, scope := range f.Scopes {
		if !slices.Contains(s.token.Scopes, scope) {
			missing = append(missing, scope)
		}
	}
	if missing == nil {
		return nil
	}
	return &mcp.AccessError{Scopes: missing, StepUp: true}
}
