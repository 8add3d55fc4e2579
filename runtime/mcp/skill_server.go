package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/skillpart"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file implements the server for package mcpskill. A skill is the resource of its SKILL.md,
// with a [resourcePart]: the resource answers for the other files too, so that what decides on
// resources decides on the skill as a whole.

// skillFuncs are the functions that package mcpskill calls.
type skillFuncs struct {
	// New returns the resource of a SKILL.md. methods are those of the extension.
	New func(info *ResourceInfo, read resourceFunc, part *skillpart.Part, methods map[string]ExtensionFunc) Feature
	// MIMEType returns the type of a file, and whether it is published as text.
	MIMEType func(name string, data []byte) (mime string, text bool)
	// List answers skills/list.
	List func(context.Context, *Request) (json.RawMessage, error)
	// URI returns params.uri of a request.
	URI func(*Request) (string, error)
	// Find returns the skill whose SKILL.md has a URI, if the request may read it. Otherwise it
	// returns missing, or the error for a caller who lacks scopes.
	Find func(ctx context.Context, req *Request, uri string, missing error) (*skillpart.Part, error)
	// Each calls f for the resources that the request sees, in order of registration, if their URI
	// is wanted. part is nil for a resource that is not a skill.
	Each func(ctx context.Context, req *Request, wanted func(uri string) bool, f func(uri string, part *skillpart.Part, listing []byte))
	// After returns the position of the cursor of a request, or "" without a cursor.
	After func(ctx context.Context, req *Request) (string, error)
	// Cursor returns the cursor of a position.
	Cursor func(ctx context.Context, req *Request, after string) (string, error)
	// PageSize is the number of entries on a page.
	PageSize func(*Request) int
	// Reserve waits for the memory of a result of that size.
	Reserve func(req *Request, size int) error
	// Close writes the last members of a result, and those for caches.
	Close func(ctx context.Context, req *Request, b []byte, cached bool) []byte
}

// SkillFuncs returns the functions that package mcpskill calls.
func SkillFuncs(friend.Key) skillFuncs {
	return skillFuncs{
		New: newSkill,
		MIMEType: func(name string, data []byte) (string, bool) {
			mime := mimeTypeOf(name, data)
			return mime, isTextFile(mime)
		},
		List: func(ctx context.Context, req *Request) (json.RawMessage, error) {
			b, err := req.server().page(ctx, nil, &skillList, req.x.Params(), req.x.Revision, req.x)
			return b, asProtocolError(err)
		},
		URI: func(req *Request) (string, error) {
			uri, e := uriParam(req.x.Params())
			if e != nil {
				return "", protocolError(e)
			}
			return uri, nil
		},
		Find:     findSkill,
		Each:     eachResource,
		After:    afterCursor,
		Cursor:   directoryCursor,
		PageSize: func(req *Request) int { return req.server().limits.PageSize },
		Reserve: func(req *Request, size int) error {
			if err := req.x.WaitTurn(size); err != nil {
				return err
			}
			if !req.x.Charge(size) {
				return protocolError(engine.ErrOverloaded)
			}
			return nil
		},
		Close: func(ctx context.Context, req *Request, b []byte, cached bool) []byte {
			s := req.server()
			if cached {
				b = s.appendListHints(b, req.x.Revision, s.decidesFor(ctx))
			}
			r := rendering{by: &s.published, revision: req.x.Revision}
			return r.closeResult(b, nil, false)
		},
	}
}

func (r *Request) server() *Server { return r.x.conn.server }

// asProtocolError makes an error of the engine one for handlers.
func asProtocolError(err error) error {
	if e, ok := err.(*jsonrpc.Error); ok {
		return protocolError(e)
	}
	return err
}

func newSkill(info *ResourceInfo, read resourceFunc, part *skillpart.Part, methods map[string]ExtensionFunc) Feature {
	r := newResource(info, read)
	p := &skillPart{Part: part, methods: methods}
	p.need(part.Tools)
	r.part = p
	return r
}

// skillPart implements [resourcePart].
type skillPart struct {
	*skillpart.Part
	needed  []neededFeature
	methods map[string]ExtensionFunc
}

// need sets the features without which the skill is not seen.
func (p *skillPart) need(tools []string) {
	p.needed = nil
	for _, name := range tools {
		p.needed = append(p.needed, neededFeature{toolSet, name})
	}
	for _, uri := range p.Skills {
		p.needed = append(p.needed, neededFeature{resourceSet, uri})
	}
}

func (p *skillPart) uris() []string              { return p.Files }
func (p *skillPart) listings() []json.RawMessage { return p.Listings }
func (p *skillPart) needs() []neededFeature      { return p.needed }
func (p *skillPart) entry() []byte               { return p.Entry }

func (p *skillPart) renamed(prefix string) resourcePart {
	c := &skillPart{Part: p.Part, methods: p.methods}
	tools := make([]string, 0, len(p.needed))
	for _, need := range p.needed {
		if need.set == toolSet {
			tools = append(tools, prefix+"_"+need.name)
		}
	}
	c.need(tools)
	return c
}

func (p *skillPart) check(s *Server, r *resource) {
	limit := s.limits.ResourceBytes
	if r.info.MaxBytes > 0 {
		limit = r.info.MaxBytes
	}
	if p.Largest > limit {
		panic(fmt.Sprintf("mcp: skill %s has a file of %d bytes, and a resource has at most %d (Limits.ResourceBytes)", r.info.URI, p.Largest, limit))
	}
	if s.extensions.settings[protocol.SkillsName] != nil {
		panic(fmt.Sprintf("mcp: skill %s is registered with a server that declares %s by WithExtension: the server declares it itself", r.info.URI, protocol.SkillsName))
	}
	for method := range p.methods {
		if m := s.extensions.methods[method]; m != nil {
			panic(fmt.Sprintf("mcp: skill %s needs the method %s, which extension %s has", r.info.URI, method, m.extension))
		}
	}
}

func (p *skillPart) brings() *extensions {
	x := &extensions{
		settings: map[string]json.RawMessage{protocol.SkillsName: json.RawMessage(`{"directoryRead":true}`)},
		methods:  make(map[string]*extensionMethod, len(p.methods)),
	}
	for method, call := range p.methods {
		x.methods[method] = &extensionMethod{extension: protocol.SkillsName, own: true, call: call}
	}
	return x
}

func (p *skillPart) begin(s *Server, r *resource) {
	for _, need := range p.needed {
		switch {
		case s.lookUp(need.set, need.name) != nil:
		case need.set == toolSet && len(s.policies) == 0:
			panic(fmt.Sprintf("mcp: skill %s is for callers who may use the tool %q, and the server has no such tool", r.info.URI, need.name))
		case need.set == toolSet:
			s.log.Program(context.Background(), slog.LevelWarn, "skill is not served: a policy leaves out a tool that it needs, or there is none",
				slog.String("uri", r.info.URI), slog.String("tool", need.name))
		default:
			s.log.Program(context.Background(), slog.LevelWarn, "skill is not served: a skill in its directory is left out, and its files with it",
				slog.String("uri", r.info.URI), slog.String("nested", need.name))
		}
	}
}

func findSkill(ctx context.Context, req *Request, uri string, missing error) (*skillpart.Part, error) {
	s := req.server()
	r, _ := s.lookUp(resourceSet, uri).(*resource)
	if r == nil {
		r, _ = s.lookUp(resourceSet, uritemplate.Normal(uri)).(*resource)
	}
	if r == nil {
		return nil, missing
	}
	p, ok := r.part.(*skillPart)
	if !ok || slices.Contains(p.Files, uritemplate.Normal(uri)) || !s.mayRead(r, r.info.URI) {
		return nil, missing
	}
	if !s.mayUse(ctx, r) {
		return nil, req.x.refused(missing)
	}
	return p.Part, nil
}

func eachResource(ctx context.Context, req *Request, wanted func(string) bool, f func(string, *skillpart.Part, []byte)) {
	s := req.server()
	s.mu.RLock()
	items := s.sets[resourceSet].after(0)
	s.mu.RUnlock()
	for _, e := range items {
		r := e.Feature.(*resource)
		if !wanted(r.info.URI) || !s.mayRead(r, r.info.URI) || !s.isListed(ctx, r) {
			continue
		}
		var part *skillpart.Part
		if p, ok := r.part.(*skillPart); ok {
			part = p.Part
		}
		f(r.info.URI, part, r.listing(req.x.Revision))
	}
}

// directoryList is the list whose cursors are those of a directory.
var directoryList = pagedList{set: templateSet, entries: true}

func afterCursor(ctx context.Context, req *Request) (string, error) {
	cursor := req.x.Params().Get("cursor")
	if cursor == nil {
		return "", nil
	}
	at, ok, err := req.server().readCursor(ctx, &directoryList, cursor)
	if err == nil && (!ok || at.key == "") {
		err = wrongParams("unknown cursor")
	}
	return at.key, err
}

func directoryCursor(ctx context.Context, req *Request, after string) (string, error) {
	keys, err := sealingKeys(ctx, req.server())
	if err != nil {
		return "", asProtocolError(err)
	}
	return cursor(&directoryList, position{key: after}, keys), nil
}
