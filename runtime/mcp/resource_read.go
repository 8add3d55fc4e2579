package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// foundResource is the resource that a URI identifies.
type foundResource struct {
	resourceForm
	read     resourceFunc
	template *template           // nil for a resource with one URI
	values   []uritemplate.Value // values of the template's variables
}

// findResource returns the resource with a URI, or else the most specific template that matches it.
// It returns nil if the request may not see and read any of them.
func (s *Server) findResource(ctx context.Context, uri string) *foundResource {
	s.mu.RLock()
	static, _ := s.sets[resourceSet].byName[uri].(*resource)
	if static == nil {
		static, _ = s.sets[resourceSet].byName[uritemplate.Normal(uri)].(*resource)
	}
	templates := s.closest
	s.mu.RUnlock()
	if static != nil {
		if !s.mayRead(static, static.decidedBy(uri)) || !s.mayUse(ctx, static) {
			return nil
		}
		return &foundResource{resourceForm: resourceForm{uri, static.info.MIMEType, &static.info.ReadInfo, static.info.UI}, read: static.read}
	}
	if other := s.otherSpelling(ctx, uri); other != nil && !s.mayUse(ctx, other) {
		return nil
	}
	for _, f := range templates {
		t := f.(*template)
		values, ok := t.pattern.Match(uri, false)
		if !ok || !s.mayRead(t, uri) {
			continue
		}
		switch refusal, exists := s.authorize(ctx, t); {
		case !exists:
			continue
		case refusal != nil: // no other template takes its place
			refuse(ctx, refusal)
			return nil
		}
		return &foundResource{
			resourceForm: resourceForm{uri, t.info.MIMEType, &t.info.ReadInfo, t.info.UI}, read: t.read, template: t, values: values,
		}
	}
	return nil
}

// otherSpelling returns the resource whose URI differs from uri by percent-encoding alone, if the
// right to read it depends on the request: a template that matches both must not lead to a resource
// that the request may not use.
func (s *Server) otherSpelling(ctx context.Context, uri string) Feature {
	if !strings.Contains(uri, "%") || !s.decidesFor(ctx) && !s.hasScopes.Load() {
		return nil
	}
	decoded, err := url.PathUnescape(uri)
	if err != nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for name, other := range s.sets[resourceSet].byName {
		if name, err := url.PathUnescape(name); err == nil && name == decoded {
			return other
		}
	}
	return nil
}

// sortTemplates sorts the templates, the most specific first. The caller holds the lock.
func (s *Server) sortTemplates() {
	s.closest, s.listers = nil, nil
	for _, item := range s.sets[templateSet].items {
		t := item.Feature.(*template)
		// The template goes behind templates that are as specific; package slices would link its
		// stable sort for this call alone.
		i, _ := slices.BinarySearchFunc(s.closest, t, func(other Feature, t *template) int {
			if other.(*template).pattern.Literal() >= t.pattern.Literal() {
				return -1
			}
			return 1
		})
		s.closest = append(s.closest, nil)
		copy(s.closest[i+1:], s.closest[i:])
		s.closest[i] = t
		if t.info.List != nil {
			s.listers = append(s.listers, item)
		}
	}
}

// readResource answers resources/read.
func (s *Server) readResource(ctx context.Context, req *Request) (Reply, error) {
	if !s.offersResources() {
		return nil, protocolError(engine.NotFound(req.Method))
	}
	uri, e := uriParam(req.x.Params())
	if e != nil {
		return nil, protocolError(e)
	}
	found := s.findResource(ctx, uri)
	if found == nil {
		return nil, req.x.refused(ErrNotFound)
	}
	req.setResource(found)
	if err := req.x.requires(found.info.Requires...); err != nil {
		return nil, err
	}
	result, err := within(ctx, req, found.info.Timeout, found.read)
	if err != nil {
		return nil, err
	}
	if result == nil {
		return nil, ErrNotFound
	}
	return result, nil
}

// uriParam returns params.uri as a URI: some clients do not encode characters outside ASCII.
func uriParam(p *jsonrpc.Params) (string, *jsonrpc.Error) {
	uri, ok := jsonrpc.String(p.Get("uri"))
	switch {
	case !p.IsObject() || !ok:
		return "", engine.InvalidParams("params.uri must be a string")
	case len(uri) > maxURI:
		return "", engine.InvalidParams("params.uri is too long")
	}
	return uritemplate.Encode(uri), nil
}

// resourceNotFound returns the revision's error for a resource that does not exist
// (server/resources, error handling).
func resourceNotFound(rev *protocol.Revision, uri, why string) *jsonrpc.Error {
	message := "resource not found: " + uri
	if why != "" {
		message += ": " + why
	}
	data := append([]byte(nil), `{"uri":`...)
	data = wire.AppendString(data, uri)
	return &jsonrpc.Error{Code: rev.Errors.ResourceNotFound, Message: message, Data: append(data, '}')}
}

func (r *Request) resourceNotFound(why string) *jsonrpc.Error {
	return resourceNotFound(r.x.Revision, r.Name, why)
}

// Var returns a variable of the URI template, decoded, or "" if the URI does not define it. The
// segments of a list are joined with slashes.
func (r *Request) Var(name string) string {
	return strings.Join(r.VarList(name), "/")
}

// VarList returns the segments of a list in the URI template, {/name*}; for any other variable its
// one value; nil if the URI does not define it.
func (r *Request) VarList(name string) []string {
	if r.foundResource() == nil || r.foundResource().template == nil {
		return nil
	}
	for i, v := range r.foundResource().template.pattern.Variables() {
		if v.Name == name && i < len(r.foundResource().values) {
			return r.foundResource().values[i]
		}
	}
	return nil
}

// variables returns the variables that the URI defines.
func (r *Request) variables() map[string]string {
	m := map[string]string{}
	for i, v := range r.foundResource().template.pattern.Variables() {
		if value := r.foundResource().values[i]; value != nil {
			m[v.Name] = strings.Join(value, "/")
		}
	}
	return m
}

// appendVariables writes the variables that the URI defines as an object of strings, and of arrays
// for lists.
func (f *foundResource) appendVariables(b []byte) json.RawMessage {
	b = append(b, '{')
	if f.template != nil {
		for i, v := range f.template.pattern.Variables() {
			value := f.values[i]
			if value == nil {
				continue
			}
			b = jsonobject.Comma(b, 1)
			b = wire.AppendString(b, v.Name)
			b = append(b, ':')
			if !v.Exploded {
				b = wire.AppendString(b, value[0])
				continue
			}
			b = append(b, '[')
			for k, segment := range value {
				if k > 0 {
					b = append(b, ',')
				}
				b = wire.AppendString(b, segment)
			}
			b = append(b, ']')
		}
	}
	return append(b, '}')
}

// jsonContents returns the value of e as a JSON text, for structured resources.
func (r *Request) jsonContents(e *wire.Encoder) (*ResourceResult, error) {
	if err := e.Err(); err != nil {
		return nil, r.encodingFailed(err)
	}
	contents := ResourceContents{Text: r.text(e)}
	if r.foundResource() == nil || r.foundResource().mime == "" {
		contents.MIMEType = "application/json"
	}
	return &ResourceResult{Contents: []ResourceContents{contents}}, nil
}

// text returns the output of e as a string, which stays charged until the request ends.
func (r *Request) text(e *wire.Encoder) string {
	size := cap(e.Bytes())
	text := e.Text()
	r.x.KeepText(size)
	return text
}

// readBlob reads a resource from a reader, up to the size limit, and closes the reader if it is an
// io.Closer.
func (r *Request) readBlob(from io.Reader) (result *ResourceResult, err error) {
	if c, ok := from.(io.Closer); ok {
		defer func() {
			if closed := c.Close(); closed != nil && err == nil {
				result, err = nil, fmt.Errorf("close resource: %w", closed)
			}
		}()
	}
	data, err := readAll(from, r.resourceLimit())
	if err != nil {
		return nil, err
	}
	return BlobContents(data), nil
}

// resourceLimit returns the limit for the contents of the resource in bytes.
func (r *Request) resourceLimit() int {
	if r.foundResource() != nil && r.foundResource().info.MaxBytes > 0 {
		return r.foundResource().info.MaxBytes
	}
	return r.x.conn.server.limits.ResourceBytes
}
