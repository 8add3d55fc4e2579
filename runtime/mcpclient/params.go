package mcpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// requestName returns the name of the tool or prompt, the URI of the resource, or the task id of a
// request, or "" for other requests.
func requestName(method string, params json.RawMessage) (name string) {
	var member string
	switch protocol.MethodOf(method) {
	case protocol.ToolsCall, protocol.PromptsGet:
		member = "name"
	case protocol.ResourcesRead, protocol.ResourcesSubscribe, protocol.ResourcesUnsubscribe:
		member = "uri"
	case protocol.TasksGet, protocol.TasksUpdate, protocol.TasksCancel:
		member = "taskId"
	default:
		return ""
	}
	text, _ := jsonrpc.String(memberOf(params, member))
	return text
}

// memberOf returns the value of a member of an object, or nil.
func memberOf(object []byte, name string) (value []byte) {
	jsonrpc.Members(object, func(n, v []byte) bool {
		if string(n) == name {
			value = v
		}
		return value == nil
	})
	return value
}

// object returns the compact JSON of a value that must be an object: a struct, a map or a
// json.RawMessage. It returns nil for nil and null.
func object(v any, what string) (json.RawMessage, error) {
	var data []byte
	switch v := v.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		if len(v) == 0 {
			return nil, nil
		}
		data = v
	case *json.RawMessage:
		if v == nil || len(*v) == 0 {
			return nil, nil
		}
		data = *v
	default:
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return nil, fmt.Errorf("mcpclient: %s: %w", what, err)
		}
		data = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	}
	// A message must not contain a newline, and its params must not break it.
	compact, err := wire.Compact(make([]byte, 0, len(data)), data, 0)
	if err != nil {
		return nil, fmt.Errorf("mcpclient: %s: %w", what, err)
	}
	if string(compact) == "null" {
		return nil, nil
	}
	if compact[0] != '{' {
		return nil, fmt.Errorf("mcpclient: %s must be an object, not %s", what, clip(compact))
	}
	return compact, nil
}

// appendRequest appends the message of a request: its params, and the additions of the revision and
// the options to _meta.
func (x *connection) appendRequest(b []byte, p *pending, r *Request) ([]byte, error) {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, p.id, 10)
	b = append(b, `,"method":`...)
	b = wire.AppendString(b, r.Method)
	meta, err := x.appendMeta(nil, p, r)
	if err != nil {
		return nil, err
	}
	if len(r.Params) == 0 && len(meta) == 0 {
		return append(b, '}'), nil
	}
	b = append(b, `,"params":`...)
	switch {
	case len(meta) == 0:
		b = append(b, r.Params...)
	case len(r.Params) <= len("{}"):
		b = append(append(append(b, `{"_meta":{`...), meta...), "}}"...)
	case bytes.Contains(r.Params, []byte(`"_meta"`)) && objectHas(r.Params, "_meta"):
		b = appendMerged(b, r.Params, meta, x.client.testing != nil)
	default:
		b = append(b, r.Params[:len(r.Params)-1]...)
		b = append(append(append(b, `,"_meta":{`...), meta...), "}}"...)
	}
	return append(b, '}'), nil
}

// appendMerged appends params that already contain _meta. Members of meta replace those in params,
// unless keep is set.
func appendMerged(b []byte, params json.RawMessage, meta []byte, keep bool) []byte {
	added := append(append([]byte{'{'}, meta...), '}')
	b = append(b, '{')
	jsonrpc.Members(params, func(name, value []byte) bool {
		if string(name) != "_meta" {
			b = addMember(b, string(name), value)
			return true
		}
		merged := []byte{'{'}
		jsonrpc.Members(value, func(key, v []byte) bool {
			if keep || !objectHas(added, string(key)) {
				merged = addMember(merged, string(key), v)
			}
			return true
		})
		jsonrpc.Members(added, func(key, v []byte) bool {
			if !keep || !objectHas(value, string(key)) {
				merged = addMember(merged, string(key), v)
			}
			return true
		})
		b = addMember(b, "_meta", append(merged, '}'))
		return true
	})
	return append(b, '}')
}

// appendMeta appends the members of _meta, without braces.
func (x *connection) appendMeta(b []byte, p *pending, r *Request) ([]byte, error) {
	member := func(name string, value []byte) {
		if len(b) > 0 {
			b = append(b, ',')
		}
		b = append(append(wire.AppendString(b, name), ':'), value...)
	}
	revision := x.revision.Load()
	modern := revision != nil && revision.PerRequest
	if modern {
		b = append(b, x.client.metaOf(revision)...)
		if level := x.client.logLevel(); level != "" {
			member(protocol.MetaLogLevel, wire.AppendString(nil, level))
		}
	}
	if p.progress != nil {
		member("progressToken", strconv.AppendInt(nil, p.id, 10))
	}
	for _, key := range sortedKeys(r.options.meta) {
		if key == "progressToken" || modern && reserved(key) {
			return nil, fmt.Errorf("mcpclient: WithMeta: %q is set by the client", key)
		}
		value, err := json.Marshal(r.options.meta[key])
		if err != nil {
			return nil, fmt.Errorf("mcpclient: WithMeta %q: %w", key, err)
		}
		member(key, value)
	}
	return b, nil
}

// reserved reports whether the client sets a member of _meta itself.
func reserved(key string) bool {
	switch key {
	case protocol.MetaVersion, protocol.MetaClientInfo, protocol.MetaCapabilities, protocol.MetaLogLevel:
		return true
	}
	return false
}
