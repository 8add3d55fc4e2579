package jsonrpc

import "encoding/json"

// MessageKind is the kind of a message.
type MessageKind uint8

// The kinds of messages.
const (
	Invalid      MessageKind = iota
	Request                  // method and id
	Notification             // method, no id
	Response                 // result or error
	Batch                    // an array of messages
)

// Message is one message. Its slices alias the text that was parsed.
type Message struct {
	Kind   MessageKind
	ID     ID     // of a request or response, otherwise zero
	Method []byte // unescaped; of a request or notification
	Params Params
	Result json.RawMessage // of a response
	Error  json.RawMessage // of a response: the error object
	Batch  json.RawMessage // of a batch: the whole array, which is valid
	// TooDeep is set if Parse failed because the message nests deeper than [Parser.MaxDepth].
	TooDeep bool
}

// Params are the params of a request or notification. Null is read as if it were left out, for the
// whole and for each member: MCP does not define null as the value of any member of a request, and
// many libraries write null for an absent value.
type Params struct {
	// Raw is the whole value: an object, including the members that are null, an array, or nil if
	// the message contains no params.
	Raw json.RawMessage
	// Depth is the nesting of arrays and objects in the deferred member.
	Depth int
	// Unchecked is set if the member that [Parser.Deferred] names is present: the text between its
	// brackets has not been checked.
	Unchecked bool

	deferred []byte
	members  []member
}

type member struct {
	name, value []byte
}

// IsObject reports whether the params are an object or left out.
func (p *Params) IsObject() bool {
	return len(p.Raw) == 0 || p.Raw[0] == '{'
}

// Get returns the value of a member, or nil if there is no such member.
func (p *Params) Get(name string) json.RawMessage {
	for i := range p.members {
		if string(p.members[i].name) == name {
			return p.members[i].value
		}
	}
	return nil
}

// Len returns the number of members.
func (p *Params) Len() int { return len(p.members) }

// keptMembers is the number of members of params for which a Message keeps storage. Params usually
// have a handful; a message with many must not slow down later ones.
const keptMembers = 64

// Reset makes m empty, so that it no longer refers to the parsed text. It keeps storage of moderate
// size.
func (m *Message) Reset() {
	members := m.Params.members
	clear(members) // the elements beyond its length are zero already
	*m = Message{}
	if cap(members) <= keptMembers {
		m.Params.members = members[:0]
	}
}

// Check checks the member that [Parser.Deferred] left unchecked. The error has the code -32700, or
// -32602 for a duplicate key.
func (p *Params) Check(maxDepth int) *Error {
	if !p.Unchecked {
		return nil
	}
	p.Unchecked = false
	return checkDeferred(p.deferred, maxDepth)
}
