package jsonrpc

import (
	"bytes"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// DefaultDepth is the default limit for the nesting of a message.
const DefaultDepth = 512

// Parser reads messages. The zero Parser checks everything.
type Parser struct {
	// MaxDepth limits the nesting of arrays and objects, including the message itself; 0 means
	// [DefaultDepth].
	MaxDepth int
	// Deferred names a member of params whose value is only delimited and not checked, because a
	// strict reader reads it later: "arguments". See [Params.Unchecked].
	Deferred string
}

// Parse reads one message with the zero [Parser].
func Parse(data []byte) (Message, *Error) {
	var m Message
	err := Parser{}.Parse(data, &m)
	return m, err
}

// Parse reads one message into m, whose storage it reuses. Keys are compared exactly, a duplicate
// key is refused and named, identifiers are strings or integers. The error has the code -32700 for
// text that is not JSON in UTF-8 and -32600 for JSON that is not a message; m.ID is then the
// identifier if it could be read. A batch is checked as a whole and not split.
func (p Parser) Parse(data []byte, m *Message) *Error {
	m.Reset()
	if p.MaxDepth <= 0 {
		p.MaxDepth = DefaultDepth
	}
	e := envelope{scanner: scanner{data: data}, p: p, m: m}
	switch e.peek() {
	case '{':
		e.object()
	case '[':
		e.batch()
	default:
		e.other()
	}
	if e.syntax != nil {
		m.Kind = Invalid
		m.ID = ID{}
		m.TooDeep = false
		return e.syntax
	}
	if e.invalid != nil {
		if m.Kind != Response {
			m.Kind = Invalid
		}
		return e.invalid
	}
	return nil
}

// envelope is one run of the parser. A syntax error stops it. After any other error it reads the
// rest, so that the reply contains the identifier, and keeps the first error.
type envelope struct {
	scanner
	p       Parser
	m       *Message
	syntax  *Error
	invalid *Error
	keys    keySet
	badID   bool
}

func (e *envelope) broken(what string) {
	if e.syntax == nil {
		e.syntax = &Error{Code: CodeParse, Message: "parse error: " + what + " at byte " + strconv.Itoa(e.pos)}
	}
}

func (e *envelope) wrong(what string) {
	if e.invalid == nil {
		e.invalid = &Error{Code: CodeInvalidRequest, Message: "invalid request: " + what}
	}
}

// other handles text that is neither an object nor an array.
func (e *envelope) other() {
	if err := wire.Valid(e.data, e.p.MaxDepth); err != nil {
		e.check(0, err)
		return
	}
	e.wrong("not an object")
}

func (e *envelope) batch() {
	start := e.pos
	e.value(0)
	if e.atEnd() {
		e.m.Kind = Batch
		e.m.Batch = e.data[start:]
	}
}

func (e *envelope) atEnd() bool {
	if e.space(); e.pos < len(e.data) {
		e.broken("trailing data")
		return false
	}
	return true
}

// value consumes and checks a value at a nesting depth.
func (e *envelope) value(depth int) []byte {
	if e.peek() == '"' && depth <= e.p.MaxDepth { // most are strings
		start := e.pos
		if e.str() {
			return e.data[start:e.pos]
		}
		e.pos = start
	}
	v, _ := e.delimit(depth)
	if v != nil {
		if err := wire.Valid(v, e.p.MaxDepth); err != nil {
			e.check(e.pos-len(v), err)
			return nil
		}
	}
	return v
}

// delimit consumes a value without checking it.
func (e *envelope) delimit(depth int) (v []byte, levels int) {
	e.space()
	start := e.pos
	levels, ok := e.scanner.span()
	if !ok {
		e.broken("unexpected end of a value")
		return nil, 0
	}
	if depth+levels > e.p.MaxDepth {
		if e.invalid == nil {
			e.m.TooDeep = true
		}
		e.wrong("nested deeper than " + strconv.Itoa(e.p.MaxDepth) + " levels")
		return nil, levels
	}
	return e.data[start:e.pos], levels
}

// object reads the message itself.
func (e *envelope) object() {
	e.pos++
	var jsonrpc, method bool
	m := e.m
	e.members(&e.keys, func(name []byte) {
		switch string(name) {
		case "jsonrpc":
			v, _ := Bytes(e.value(1))
			jsonrpc = string(v) == "2.0"
			if !jsonrpc {
				e.wrong(`"jsonrpc" must be "2.0"`)
			}
		case "id":
			e.id()
		case "method":
			method = true
			if m.Method, _ = Bytes(e.value(1)); len(m.Method) == 0 {
				e.wrong(`"method" must be a string`)
			}
		case "params":
			e.params()
		case "result":
			m.Result = e.value(1)
		case "error":
			m.Error = e.value(1)
			if len(m.Error) > 0 && m.Error[0] != '{' {
				e.wrong(`"error" must be an object`)
			}
		default:
			e.value(1)
		}
	})
	if !e.atEnd() {
		return
	}
	if !jsonrpc {
		e.wrong(`"jsonrpc" is missing`)
	}
	switch answers := m.Result != nil || m.Error != nil; {
	case method && answers:
		e.wrong("both a method and a result or error")
	case method && (e.badID || !m.ID.IsZero()):
		m.Kind = Request
	case method:
		m.Kind = Notification
	case answers:
		m.Kind = Response
		if m.Result != nil && m.Error != nil {
			e.wrong("both a result and an error")
		}
		if m.Result != nil && m.ID.IsZero() {
			e.wrong("a result without an id")
		}
	default:
		e.wrong(`"method" is missing`)
	}
	if e.badID && m.Kind != Response {
		e.wrong(`"id" must be a string or an integer`)
	}
}

// digits consumes a number without sign, fraction and exponent, which is the form of most
// identifiers. It returns nil, and consumes nothing, if the next value is not such a number.
func (e *envelope) digits() []byte {
	e.space()
	start, end := e.pos, e.pos
	for end < len(e.data) && e.data[end]-'0' <= 9 {
		end++
	}
	if end == start || e.data[start] == '0' && end > start+1 || end == len(e.data) || e.data[end] != ',' && e.data[end] != '}' {
		return nil
	}
	e.pos = end
	return e.data[start:end]
}

func (e *envelope) id() {
	v := e.digits()
	switch {
	case v == nil:
		v = e.value(1)
	case len(v) <= MaxID && len(e.m.ID.raw) == 0 && !e.badID:
		e.m.ID = ID{raw: v}
		return
	}
	id, ok := RawID(v)
	if !ok || e.badID || !e.m.ID.IsZero() {
		// If there are two identifiers, neither can be trusted.
		e.badID = true
		if IsLongID(v) {
			e.wrong(`"id" must have at most ` + strconv.Itoa(MaxID) + " bytes")
		}
		e.m.ID = ID{}
		return
	}
	e.m.ID = id
}

func (e *envelope) params() {
	m := e.m
	e.space()
	start := e.pos
	switch e.peek() {
	case '{':
	case '[':
		m.Params.Raw = e.value(1)
		return
	default:
		if v := e.value(1); v != nil && string(v) != "null" {
			e.wrong(`"params" must be an object`)
		}
		return
	}
	e.pos++
	var keys keySet
	clear(m.Params.members) // of a duplicate key
	m.Params.members = m.Params.members[:0]
	e.members(&keys, func(name []byte) {
		var v []byte
		if e.p.Deferred != "" && string(name) == e.p.Deferred {
			if v, m.Params.Depth = e.delimit(2); string(v) != "null" {
				m.Params.Unchecked = true
				m.Params.deferred = v
			}
		} else {
			v = e.value(2)
		}
		if string(v) == "null" {
			return // as if it were left out: see [Params]
		}
		m.Params.members = append(m.Params.members, member{name, v})
	})
	m.Params.Raw = e.data[start:e.pos]
}

// members reads the members of an object up to and including its closing brace. It calls f to read
// each value.
func (e *envelope) members(keys *keySet, f func(name []byte)) {
	if e.consume('}') {
		return
	}
	for e.syntax == nil {
		if e.peek() != '"' {
			e.broken("expected a key")
			return
		}
		start := e.pos
		if !e.str() {
			e.broken("bad string")
			return
		}
		name := unescape(e.data[start+1 : e.pos-1])
		if !keys.add(name) {
			e.wrong("duplicate key " + string(appendString(nil, string(name))))
		}
		if !e.consume(':') {
			e.broken("expected a colon")
			return
		}
		f(name)
		if e.consume('}') {
			return
		}
		if !e.consume(',') {
			e.broken("expected a comma or a brace")
			return
		}
	}
}

// keySet finds duplicate keys. A few keys are compared one by one; for many, which only an attacker
// sends, it makes a map.
type keySet struct {
	few  [12][]byte
	n    int
	many map[string]struct{}
}

func (k *keySet) add(name []byte) bool {
	if k.many != nil {
		if _, dup := k.many[string(name)]; dup {
			return false
		}
		k.many[string(name)] = struct{}{}
		return true
	}
	for _, have := range k.few[:k.n] {
		if bytes.Equal(have, name) {
			return false
		}
	}
	if k.n < len(k.few) {
		k.few[k.n] = name
		k.n++
		return true
	}
	k.many = make(map[string]struct{}, 2*len(k.few))
	for _, have := range k.few {
		k.many[string(have)] = struct{}{}
	}
	k.many[string(name)] = struct{}{}
	return true
}
