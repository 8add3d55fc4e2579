package limit

// message is a message that is read strictly in one pass; only the arguments of a call are left to
// the reader of the tool. Its parts alias the text.
type message struct {
	id      []byte // unchanged; nil for a notification
	method  []byte
	name    []byte // of the tool
	uri     []byte
	args    []byte
	token   []byte // of progress, unchanged
	version []byte // params._meta, or params.protocolVersion of initialize
	cancel  []byte // params.requestId
	modern  bool   // params._meta contains a version and capabilities
}

// read reads a message. It returns "" or an error text.
func (m *message) read(r *reader) string {
	*m = message{}
	if !r.open('{', "an object") {
		return r.err
	}
	var seen uint
	var keys keySet
	version := false
	for first := true; r.next(&first, '}'); {
		switch k := r.key(); string(k) {
		case "jsonrpc":
			r.once(&seen, 1)
			version = r.peek() == '"' && string(r.str()) == "2.0"
		case "id":
			r.once(&seen, 2)
			m.id = r.id()
		case "method":
			r.once(&seen, 4)
			if r.peek() != '"' {
				r.fail("method must be a string")
			}
			m.method = r.own(r.str())
		case "params":
			r.once(&seen, 8)
			m.params(r)
		default:
			if !keys.add(r.own(k)) {
				r.fail("duplicate key")
			}
			r.skip()
		}
	}
	if r.peek(); r.err == "" && r.pos < len(r.data) {
		r.fail("trailing data")
	}
	if r.err == "" && (!version || m.method == nil) {
		r.fail("not a request")
	}
	return r.err
}

// own returns a copy of a string with escapes.
func (r *reader) own(s []byte) []byte {
	if len(s) > 0 && len(r.tmp) > 0 && &s[0] == &r.tmp[0] {
		return append([]byte(nil), s...)
	}
	return s
}

// id reads a string or an integer, and returns its unchanged text.
func (r *reader) id() []byte {
	c := r.peek()
	start := r.pos
	if c == '"' {
		r.str()
		return r.data[start:r.pos]
	}
	text := r.number()
	for i, c := range text {
		if c-'0' > 9 && (i > 0 || c != '-') {
			r.fail("id must be a string or an integer")
		}
	}
	return text
}

func (m *message) params(r *reader) {
	if !r.open('{', "an object") {
		return
	}
	var seen uint
	var keys keySet
	for first := true; r.next(&first, '}'); {
		switch k := r.key(); string(k) {
		case "name":
			r.once(&seen, 1)
			if r.peek() != '"' {
				r.fail("name must be a string")
			}
			m.name = r.own(r.str())
		case "arguments":
			r.once(&seen, 2)
			if r.peek() != '{' {
				r.fail("arguments must be an object")
				return
			}
			m.args = r.span()
		case "_meta":
			r.once(&seen, 4)
			m.meta(r)
		case "uri":
			r.once(&seen, 8)
			if r.peek() != '"' {
				r.fail("uri must be a string")
			}
			m.uri = r.own(r.str())
		case "protocolVersion":
			r.once(&seen, 16)
			if r.peek() != '"' {
				r.fail("protocolVersion must be a string")
			}
			m.version = r.own(r.str())
		case "requestId":
			r.once(&seen, 32)
			m.cancel = r.id()
		default:
			if !keys.add(r.own(k)) {
				r.fail("duplicate key")
			}
			r.skip()
		}
	}
}

func (m *message) meta(r *reader) {
	if !r.open('{', "an object") {
		return
	}
	var seen uint
	var keys keySet
	for first := true; r.next(&first, '}'); {
		switch k := r.key(); string(k) {
		case "progressToken":
			r.once(&seen, 1)
			m.token = r.id()
		case "io.modelcontextprotocol/protocolVersion":
			r.once(&seen, 2)
			if r.peek() != '"' {
				r.fail("version must be a string")
			}
			m.version = r.own(r.str())
		case "io.modelcontextprotocol/clientCapabilities":
			r.once(&seen, 4)
			if r.peek() != '{' {
				r.fail("capabilities must be an object")
			}
			r.skip()
		default:
			if !keys.add(r.own(k)) {
				r.fail("duplicate key")
			}
			r.skip()
		}
	}
	if m.modern = seen&2 != 0; m.modern && seen&4 == 0 {
		r.fail("capabilities are missing")
	}
}
