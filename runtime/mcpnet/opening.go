package mcpnet

import "errors"

var (
	errHTTP = errors.New("client speaks HTTP: this is a connection of one JSON-RPC message a line; serve HTTP with mcphttp at a port of its own")
	errTLS  = errors.New("client speaks TLS: listen with tls.NewListener")
)

// opening looks at how a stream begins. Web pages can make a browser send HTTP
// requests to any port, whose bodies could hold lines that are messages; and what
// makes a TLS client connect to a wrong port can have lines in its handshake too.
// So nothing of such a stream may be taken for messages.
type opening struct {
	known  bool // it is neither
	method int  // capital letters so far
}

// longestMethod is how many letters the method of a request may have; those that
// browsers send unasked are GET, HEAD, POST and OPTIONS.
const longestMethod = 32

// look takes the next bytes of the stream. An HTTP request is told by its method and
// the blank behind it, before its first line ends. Messages begin with a brace or a
// bracket, and of other JSON nothing begins with a capital letter.
func (o *opening) look(p []byte) error {
	const recordHandshake = 0x16
	for _, b := range p {
		switch {
		case b >= 'A' && b <= 'Z' && o.method < longestMethod:
			o.method++
		case b == ' ' && o.method > 0:
			return errHTTP
		case o.method == 0 && (b == ' ' || b == '\t' || b == '\r' || b == '\n'):
			// Blank lines are skipped in front of requests and messages alike.
		case o.method == 0 && b == recordHandshake:
			return errTLS
		default:
			o.known = true
			return nil
		}
	}
	return nil
}
