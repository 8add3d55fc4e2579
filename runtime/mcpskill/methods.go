package mcpskill

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/skillpart"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file answers the methods of the extension.

var methods = map[string]mcp.ExtensionFunc{
	"skills/list":              func(ctx context.Context, req *mcp.Request) (json.RawMessage, error) { return funcs.List(ctx, req) },
	"skills/get":               get,
	"resources/directory/read": readDirectory,
}

const codeInvalidParams = -32602

// get answers skills/get.
func get(ctx context.Context, req *mcp.Request) (json.RawMessage, error) {
	uri, err := funcs.URI(req)
	if err != nil {
		return nil, err
	}
	part, err := funcs.Find(ctx, req, uri, &mcp.ProtocolError{Code: codeInvalidParams, Message: "no skill is served at " + uri})
	if err != nil {
		return nil, err
	}
	if err := funcs.Reserve(req, len(part.Entry)); err != nil {
		return nil, err
	}
	b := append(make([]byte, 0, len(part.Entry)+300), `{"skill":`...)
	return funcs.Close(ctx, req, append(b, part.Entry...), true), nil
}

// file returns the file with a URI, in any spelling, or nil.
func (d *described) file(uri string) *file {
	if f := d.files[uri]; f != nil {
		return f
	}
	return d.files[uritemplate.Normal(uri)]
}

// readDirectory answers resources/directory/read. The entries are sorted by URI.
func readDirectory(ctx context.Context, req *mcp.Request) (json.RawMessage, error) {
	uri, err := funcs.URI(req)
	if err != nil {
		return nil, err
	}
	uri = uritemplate.Normal(uri)
	after, err := funcs.After(ctx, req)
	if err != nil {
		return nil, err
	}
	if after != "" && !strings.HasPrefix(after, uri+"/") {
		return nil, &mcp.ProtocolError{Code: codeInvalidParams, Message: "the cursor is not one of this directory"}
	}
	children, ok := childrenOf(ctx, req, uri)
	if !ok {
		return nil, &mcp.ProtocolError{Code: codeInvalidParams, Message: fmt.Sprintf("%s is not a directory of skills", uri)}
	}
	size := 300
	first, _ := slices.BinarySearchFunc(children, after+"\x00", func(c skillpart.Child, after string) int { return strings.Compare(c.URI, after) })
	children = children[first:]
	more := len(children) > funcs.PageSize(req)
	if more {
		children = children[:funcs.PageSize(req)]
	}
	for _, c := range children {
		size += len(c.Listing) + 1
	}
	if err := funcs.Reserve(req, size); err != nil {
		return nil, err
	}
	b := append(make([]byte, 0, size), `{"resources":[`...)
	for i, c := range children {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, c.Listing...)
	}
	b = append(b, ']')
	if more {
		cursor, err := funcs.Cursor(ctx, req, children[len(children)-1].URI)
		if err != nil {
			return nil, err
		}
		b = wire.AppendString(append(b, `,"nextCursor":`...), cursor)
	}
	// The specification does not list the members for caches here, but clients require them in
	// every result of a list.
	return funcs.Close(ctx, req, b, true), nil
}

// childrenOf returns the children of a directory that the request sees, sorted by URI. ok is false
// if no skill that the request sees makes the URI a directory.
func childrenOf(ctx context.Context, req *mcp.Request, uri string) (children []skillpart.Child, ok bool) {
	found := map[string]skillpart.Child{}
	exists := false
	_, path, _ := strings.Cut(uri, "://")
	if path == "" {
		return nil, false
	}
	add := func(of string, listing []byte) {
		rest, below := strings.CutPrefix(of, uri+"/")
		if !below {
			return
		}
		if segment, _, deeper := strings.Cut(rest, "/"); deeper {
			c := directory(uri + "/" + segment)
			found[c.URI] = c
			return
		}
		found[of] = skillpart.Child{URI: of, Listing: listing}
	}
	// Resources that are no skills belong to the directories of skills, if they lie there: those of
	// a dynamic skill are its files.
	var roots []string
	var others []skillpart.Child
	wanted := func(of string) bool {
		return strings.HasPrefix(of, uri+"/") || strings.HasPrefix(uri+"/", parent(of)+"/")
	}
	funcs.Each(ctx, req, wanted, func(of string, part *skillpart.Part, listing []byte) {
		if part == nil {
			others = append(others, skillpart.Child{URI: of, Listing: listing})
			return
		}
		roots = append(roots, part.URI)
		add(of, listing)
		for _, c := range part.Directories[uri] {
			if _, known := found[c.URI]; !known {
				found[c.URI] = c
			}
		}
	})
	for _, root := range roots {
		exists = exists || strings.HasPrefix(root+"/", uri+"/") || strings.HasPrefix(uri, root+"/")
	}
	if !exists {
		return nil, false
	}
	for _, c := range others {
		add(c.URI, c.Listing)
	}
	for _, c := range found {
		children = append(children, c)
	}
	slices.SortFunc(children, func(a, b skillpart.Child) int { return strings.Compare(a.URI, b.URI) })
	return children, len(children) > 0
}
