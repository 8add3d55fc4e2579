package hardening_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

const modernMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}`

// text returns a request. The params are members without the braces around them.
func (e era) text(id, method, params string) string {
	meta := `"progressToken":` + id
	if e == modern {
		meta += "," + modernMeta
	}
	return e.with(id, method, params, meta)
}

// with returns a request with the given _meta.
func (era) with(id, method, params, meta string) string {
	if params != "" {
		params += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s"_meta":{%s}}}`, id, method, params, meta)
}

// harmless is a method that every server answers at once.
func (e era) harmless() string {
	if e == modern {
		return "server/discover"
	}
	return "ping"
}

// call returns the params of a call.
func call(tool, arguments string) string {
	return fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments)
}

func cancelled(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"enough"}}`, id)
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

const initialize = `"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"tester","version":"1"}`

// message is a message of a server.
type message struct {
	signal bool // a signal of the transport, not a message
	raw    string
	event  string // id of its event, if it was one
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

func parse(raw string) message {
	m := message{raw: raw}
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		m.Method = "not JSON: " + err.Error()
	}
	return m
}

func (m message) id() string { return string(m.ID) }

// nameless reports whether it does not tell which request it belongs to.
func (m message) nameless() bool { return m.Method == "" && (len(m.ID) == 0 || string(m.ID) == "null") }

// code returns the code of its error, or 0.
func (m message) code() int {
	if m.Error == nil {
		return 0
	}
	return m.Error.Code
}

// failed reports whether it is an error, or a result with isError.
func (m message) failed() bool {
	var r struct{ IsError bool }
	_ = json.Unmarshal(m.Result, &r)
	return m.Error != nil || r.IsError
}

// text returns the text in its result or its error.
func (m message) text() string {
	if m.Error != nil {
		return m.Error.Message
	}
	var r struct{ Content []struct{ Text string } }
	_ = json.Unmarshal(m.Result, &r)
	var all []string
	for _, c := range r.Content {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n")
}

func (m message) String() string {
	if len(m.raw) > 500 {
		return fmt.Sprintf("%s... (%d bytes)", m.raw[:500], len(m.raw))
	}
	return m.raw
}
