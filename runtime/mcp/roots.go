package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"unsafe"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Roots asks the client for its roots. A client with a session that declares listChanged is asked
// once, and again after a change. Roots other than file: URIs are left out of the answer
// (client/roots, data types).
//
// The errors are the same as for [Elicit]. Revision 2026-07-28 deprecates roots.
func Roots(ctx context.Context, options ...AskOption) ([]Root, error) {
	x := exchangeFrom(ctx)
	if x == nil {
		return nil, ErrNoCall
	}
	var o askOptions
	for _, option := range options {
		option(&o)
	}
	if known, ok := x.knownRoots(); ok && !Answered(ctx, o.key) {
		return append([]Root(nil), known...), nil
	}
	q := new(rootsQuestion)
	before := x.rootsVersion()
	if err := ask(ctx, q, options); err != nil {
		return nil, err
	}
	x.keepRoots(q.roots, before)
	return q.roots, nil
}

// RootsQuestion is the question of [Roots], for [InputRequired].
func RootsQuestion() Question { return new(rootsQuestion) }

type rootsQuestion struct {
	roots []Root
}

func (q *rootsQuestion) question(x *exchange, _ *askOptions) (*question, error) {
	if err := x.requires(CapabilityRoots); err != nil {
		return nil, err
	}
	return newQuestion(protocol.ListRoots, emptyObject, func(result json.RawMessage) (err error) {
		q.roots, err = readRoots(result)
		return err
	}), nil
}

func readRoots(result json.RawMessage) ([]Root, error) {
	if err := isObjectText(result); err != nil {
		return nil, err
	}
	list := jsonobject.Member(result, "roots")
	if len(list) == 0 || list[0] != '[' {
		return nil, errors.New("roots must be an array")
	}
	roots := []Root{}
	var err error
	jsonrpc.Elements(list, func(value []byte) bool {
		var r Root
		skip := false
		if r.URI, err = memberText(value, "uri"); err == nil {
			u, wrong := url.Parse(r.URI)
			if wrong != nil {
				err = fmt.Errorf("uri must be a URI: %w", wrong)
			}
			skip = wrong == nil && u.Scheme != "file"
		}
		if name := jsonobject.Member(value, "name"); err == nil && name != nil {
			r.Name, err = memberText(value, "name")
		}
		if err != nil {
			err = fmt.Errorf("roots[%d]: %w", len(roots), err)
			return false
		}
		if !skip {
			roots = append(roots, r)
		}
		return true
	})
	return roots, err
}

// session returns the session of the request, or nil without one.
func (x *exchange) session() *session {
	if x.Revision.PerRequest {
		return nil
	}
	return sessionOf(x.conn.Opened())
}

func (x *exchange) knownRoots() ([]Root, bool) {
	s := x.session()
	if s == nil {
		return nil, false
	}
	s.roots.mu.Lock()
	defer s.roots.mu.Unlock()
	return s.roots.roots, s.roots.roots != nil
}

func (x *exchange) rootsVersion() int {
	s := x.session()
	if s == nil {
		return 0
	}
	s.roots.mu.Lock()
	defer s.roots.mu.Unlock()
	return s.roots.version
}

// maxKeptRoots limits the answer that a session stores, in bytes. For a longer answer, the client
// is asked each time.
const (
	maxKeptRoots = 16 << 10
	rootOverhead = int(unsafe.Sizeof(Root{}))
)

// keepRoots stores the answer, unless the roots have changed since the question.
func (x *exchange) keepRoots(roots []Root, version int) {
	size := 0
	for i := range roots {
		size += len(roots[i].URI) + len(roots[i].Name) + rootOverhead
	}
	if size > maxKeptRoots || !x.conn.Charge(size) {
		return
	}
	x.conn.Uncharge(x.replaceRoots(roots, version, size))
}

// replaceRoots stores roots, unless they are outdated. It returns the number of bytes to release:
// for the stored roots before, or for these if they are not stored.
func (x *exchange) replaceRoots(roots []Root, version, size int) int {
	s := x.session()
	if s == nil {
		return size
	}
	s.roots.mu.Lock()
	defer s.roots.mu.Unlock()
	if s.roots.version != version {
		return size
	}
	if declared := jsonobject.Member(s.Client.Capabilities, "roots"); string(jsonobject.Member(declared, "listChanged")) != "true" {
		return size
	}
	before := s.roots.size
	s.roots.roots, s.roots.size = append([]Root{}, roots...), size
	return before
}

// rootsChanged removes the stored roots of the session.
func (c *conn) rootsChanged() {
	s := sessionOf(c.Opened())
	if s == nil {
		return
	}
	s.roots.mu.Lock()
	before := s.roots.size
	s.roots.version++
	s.roots.roots, s.roots.size = nil, 0
	s.roots.mu.Unlock()
	c.Uncharge(before)
}
