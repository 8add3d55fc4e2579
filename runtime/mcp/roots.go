package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"unsafe"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Root is a directory or file that the client lets servers work in. Its name is that of
// the specification (client/roots).
type Root struct {
	URI  string // a file: URI
	Name string // for people; may be ""
}

// Roots asks the client for its roots. A client with a session that declares listChanged is asked
// once, and again after a change. Roots other than file: URIs are left out of the answer
// (client/roots, data types).
//
// The errors are those of [Elicit]. Revision 2026-07-28 deprecates roots.
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
	list := member(result, "roots")
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
		if name := member(value, "name"); err == nil && name != nil {
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

// knownRoots are the roots of a session, until the client sends
// notifications/roots/list_changed. conn.mu guards them.
type knownRoots struct {
	version int // counts the changes
	known   bool
	roots   []Root
	size    int // bytes that are charged
}

// session returns the session of the request, nil without one.
func (x *exchange) session() *session {
	if x.revision.PerRequest {
		return nil
	}
	return x.conn.session
}

func (x *exchange) knownRoots() ([]Root, bool) {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	if s := x.session(); s != nil && s.roots.known {
		return s.roots.roots, true
	}
	return nil, false
}

func (x *exchange) rootsVersion() int {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	if s := x.session(); s != nil {
		return s.roots.version
	}
	return 0
}

// maxKeptRoots is how many bytes of an answer a session stores. For a longer one, the client is
// asked each time.
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
	if size > maxKeptRoots || !x.conn.charge(size) {
		return
	}
	x.conn.uncharge(x.replaceRoots(roots, version, size))
}

// replaceRoots stores roots, unless they are outdated. It returns how many bytes are released:
// those of the stored roots before, or of these.
func (x *exchange) replaceRoots(roots []Root, version, size int) int {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	s := x.session()
	if s == nil || s.roots.version != version {
		return size
	}
	if declared := member(s.client.capabilities, "roots"); string(member(declared, "listChanged")) != "true" {
		return size
	}
	before := s.roots.size
	s.roots = knownRoots{version: version, known: true, roots: append([]Root(nil), roots...), size: size}
	return before
}

// rootsChanged removes the stored roots of the session.
func (c *conn) rootsChanged() {
	c.mu.Lock()
	before := 0
	if c.session != nil {
		before = c.session.roots.size
		c.session.roots = knownRoots{version: c.session.roots.version + 1}
	}
	c.mu.Unlock()
	c.uncharge(before)
}
