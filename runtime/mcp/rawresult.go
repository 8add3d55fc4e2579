package mcp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file writes results that authors have composed.

// appendObject writes a result that an author composed, with the members that the revision requires
// in every result.
func (r *rendering) appendObject(b []byte, object json.RawMessage) []byte {
	if len(object) == 0 {
		object = emptyObject
	}
	if err := wire.Valid(object, 0); err != nil {
		r.fail(fmt.Errorf("write result: %w", err))
		return b
	}
	object = wire.AppendCompact(nil, object)
	if object[0] != '{' {
		r.fail(errors.New("write result: it must be an object"))
		return b
	}
	f := &r.revision.Fields
	meta := jsonobject.Member(object, "_meta")
	if err := r.checkMetaText(meta); err != nil {
		r.fail(fmt.Errorf("write result: %w", err))
		return b
	}
	b = append(b, '{')
	start := len(b)
	jsonrpc.Members(object, func(name, value []byte) bool {
		if string(name) != "_meta" {
			b = jsonobject.Comma(b, start)
			b = wire.AppendString(b, name)
			b = append(append(b, ':'), value...)
		}
		return true
	})
	if f.ResultType {
		switch kind := jsonobject.Member(object, "resultType"); {
		case kind == nil:
			b = append(jsonobject.Comma(b, start), `"resultType":"complete"`...)
		case kind[0] != '"' || string(kind) == `"input_required"`:
			r.fail(fmt.Errorf("write result: the resultType %s is not one of an answer", kind))
		}
	}
	identify := f.ServerMeta && jsonobject.Member(meta, protocol.MetaServerInfo) == nil
	if meta == nil && !identify {
		return append(b, '}')
	}
	b = append(jsonobject.Comma(b, start), `"_meta":{`...)
	start = len(b)
	if identify {
		b = append(b, `"`+protocol.MetaServerInfo+`":`...)
		b = append(b, r.by.identity[r.revision.Index()]...)
	}
	jsonrpc.Members(meta, func(name, value []byte) bool {
		b = jsonobject.Comma(b, start)
		b = wire.AppendString(b, name)
		b = append(append(b, ':'), value...)
		return true
	})
	return append(b, "}}"...)
}

// checkMetaText returns an error for an invalid _meta of a result that an author composed. The
// _meta may contain the serverInfo of another server, whose result the author forwards.
func (r *rendering) checkMetaText(meta json.RawMessage) (err error) {
	if meta == nil {
		return nil
	}
	if !jsonobject.Is(meta) {
		return errors.New("_meta must be an object")
	}
	jsonrpc.Members(meta, func(name, value []byte) bool {
		key := string(name)
		switch {
		case key != protocol.MetaServerInfo:
			err = checkMetaKey(key, r.by.declared)
		case !isImplementation(value):
			err = fmt.Errorf("the value of the _meta key %q must be an object with name and version", key)
		}
		if err == nil {
			err = checkMetaValue(key, value)
		}
		return err == nil
	})
	return err
}

// isImplementation reports whether a value is an Implementation, with name and version.
func isImplementation(value []byte) bool {
	_, name := jsonrpc.String(jsonobject.Member(value, "name"))
	_, version := jsonrpc.String(jsonobject.Member(value, "version"))
	return name && version
}

var emptyObject = []byte("{}")
