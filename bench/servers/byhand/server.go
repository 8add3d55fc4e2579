// Package byhand serves the catalogue with encoding/json only: a server that takes an
// afternoon to write. It is as lenient as encoding/json, and does not support
// cancellation.
package byhand

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/bench/catalog"
	"github.com/mcpgen/mcpgen/bench/contract"
)

// Request is a message of the client.
type Request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params Params          `json:"params"`
}

// Params has the params of all methods.
type Params struct {
	Name            string          `json:"name"`
	Arguments       json.RawMessage `json:"arguments"`
	URI             string          `json:"uri"`
	ProtocolVersion string          `json:"protocolVersion"`
	Meta            struct {
		ProgressToken json.RawMessage `json:"progressToken"`
		Version       string          `json:"io.modelcontextprotocol/protocolVersion"`
	} `json:"_meta"`
}

// Reply is a message of the server.
type Reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is the error of a reply.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Progress is a progress notification.
type Progress struct {
	Version string         `json:"jsonrpc"`
	Method  string         `json:"method"`
	Params  ProgressParams `json:"params"`
}

// ProgressParams are its params.
type ProgressParams struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress float64         `json:"progress"`
	Total    float64         `json:"total"`
	Message  string          `json:"message"`
}

type toolResult struct {
	Content    []text `json:"content"`
	Structured any    `json:"structuredContent,omitempty"`
	IsError    bool   `json:"isError,omitempty"`
	Modern
}

type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type resourceResult struct {
	Contents []resource `json:"contents"`
	Modern
}

type resource struct {
	URI  string `json:"uri"`
	MIME string `json:"mimeType"`
	Text string `json:"text"`
}

// Modern has the members of results from revision 2026-07-28 on.
type Modern struct {
	Kind  string          `json:"resultType,omitempty"`
	TTL   *int            `json:"ttlMs,omitempty"`
	Scope string          `json:"cacheScope,omitempty"`
	Meta  json.RawMessage `json:"_meta,omitempty"`
}

type initializeResult struct {
	ProtocolVersion string `json:"protocolVersion"`
	Capabilities    struct {
		Tools     struct{} `json:"tools"`
		Resources struct{} `json:"resources"`
	} `json:"capabilities"`
	ServerInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
}

// Server answers requests.
type Server struct {
	list, modernList []byte
}

const modernTail = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"catalog","version":"1.0.0"}}`

// New returns a server that publishes a JSON array of tools.
func New(tools string) *Server {
	return &Server{
		list:       []byte(`,"result":{"tools":` + tools + `}}`),
		modernList: []byte(`,"result":{"tools":` + tools + `,"ttlMs":0,"cacheScope":"public","resultType":"complete",` + modernTail + `}}`),
	}
}

// Default returns the server of the catalogue.
func Default() *Server { return New(contract.Text) }

// IsModern reports whether the request has its revision in _meta.
func (r *Request) IsModern() bool { return r.Params.Meta.Version != "" }

// Answer returns the reply.
func (s *Server) Answer(ctx context.Context, r *Request, tell func(message []byte)) ([]byte, error) {
	if r.Method == "tools/list" {
		// The list never changes: json.Marshal would validate all of it.
		b := append([]byte(`{"jsonrpc":"2.0","id":`), r.ID...)
		if r.IsModern() {
			return append(b, s.modernList...), nil
		}
		return append(b, s.list...), nil
	}
	reply := Reply{Version: "2.0", ID: r.ID}
	result, err := s.result(ctx, r, tell)
	if err != nil {
		reply.Error = &Error{-32602, err.Error()}
	} else {
		reply.Result = result
	}
	return json.Marshal(&reply)
}

func (s *Server) result(ctx context.Context, r *Request, tell func([]byte)) (any, error) {
	switch r.Method {
	case "ping":
		return struct{}{}, nil
	case "initialize":
		var result initializeResult
		result.ProtocolVersion = r.Params.ProtocolVersion
		result.ServerInfo.Name, result.ServerInfo.Version = "catalog", "1.0.0"
		return result, nil
	case "tools/call":
		result, err := s.callTool(ctx, &r.Params, tell)
		if err != nil {
			result = toolResult{Content: []text{{"text", err.Error()}}, IsError: true}
		}
		result.Modern = r.modern(false)
		return &result, nil
	case "resources/read":
		id, err := catalog.BookID(r.Params.URI)
		if err != nil {
			return nil, err
		}
		book, err := catalog.BookAt(id)
		if err != nil {
			return nil, err
		}
		content, err := json.Marshal(&book)
		if err != nil {
			return nil, err
		}
		return &resourceResult{[]resource{{r.Params.URI, "application/json", string(content)}}, r.modern(true)}, nil
	}
	return nil, errors.New("method not found")
}

func (r *Request) modern(cached bool) (m Modern) {
	if !r.IsModern() {
		return m
	}
	m.Kind = "complete"
	m.Meta = json.RawMessage(`{` + modernTail[len(`"_meta":{`):])
	if cached {
		m.TTL, m.Scope = new(int), "public"
	}
	return m
}

func (s *Server) callTool(ctx context.Context, p *Params, tell func([]byte)) (toolResult, error) {
	switch p.Name {
	case "add":
		var args struct{ A, B int64 }
		if err := json.Unmarshal(p.Arguments, &args); err != nil {
			return toolResult{}, err
		}
		return structured(catalog.Add(args.A, args.B))
	case "search":
		var q catalog.Query
		if err := json.Unmarshal(p.Arguments, &q); err != nil {
			return toolResult{}, err
		}
		if err := check(&q); err != nil {
			return toolResult{}, err
		}
		return structured(catalog.Search(&q))
	case "records":
		var args struct{ Count int }
		if err := json.Unmarshal(p.Arguments, &args); err != nil {
			return toolResult{}, err
		}
		if args.Count < 1 || args.Count > catalog.MaxRecords {
			return toolResult{}, errors.New("count: must be between 1 and 5000")
		}
		return structured(catalog.List(args.Count))
	case "text":
		var args struct{ Text string }
		if err := json.Unmarshal(p.Arguments, &args); err != nil {
			return toolResult{}, err
		}
		return toolResult{Content: []text{{"text", catalog.Text(args.Text)}}}, nil
	case "report":
		done := catalog.Report(ctx, func(_ context.Context, done, total float64, message string) {
			b, err := json.Marshal(&Progress{"2.0", "notifications/progress", ProgressParams{p.Meta.ProgressToken, done, total, message}})
			if err == nil {
				tell(b)
			}
		})
		return toolResult{Content: []text{{"text", done}}}, nil
	}
	return toolResult{}, errors.New("unknown tool")
}

// structured is a result with its text.
func structured(v any) (toolResult, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return toolResult{}, err
	}
	return toolResult{Content: []text{{"text", string(b)}}, Structured: json.RawMessage(b)}, nil
}

// check has the checks that an author typically writes.
func check(q *catalog.Query) error {
	switch {
	case q.Query == "" || len(q.Query) > 200:
		return errors.New("query: must have 1 to 200 characters")
	case q.Limit < 0 || q.Limit > 100:
		return errors.New("limit: must be between 1 and 100")
	case q.Offset < 0:
		return errors.New("offset: must be at least 0")
	case len(q.Filters) > 10:
		return errors.New("filters: must have at most 10 elements")
	case len(q.Labels) > 8:
		return errors.New("labels: must have at most 8 members")
	}
	for _, w := range q.Weights {
		if w < 0 || w > 1 {
			return errors.New("weights: must be between 0 and 1")
		}
	}
	return nil
}
