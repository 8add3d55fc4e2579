package mcpnet

import "errors"

var (
	errHTTP = errors.New("client speaks HTTP: this port expects one JSON-RPC message per line; serve HTTP with mcphttp on another port")
	errTLS  = errors.New("client speaks TLS: listen with tls.NewListener")
)

// sniffer detects HTTP and TLS at the start of a stream. Web pages can make a browser send HTTP
// requests to any port, with bodies that contain messages. A TLS client at the wrong port can be
// made to send messages in its handshake. So no part of such a stream may be parsed.
type sniffer struct {
	ruledOut bool // the stream is neither
	letters  int  // capital letters so far
}

// maxMethod is the maximum length of a detected HTTP method. Browsers send GET, HEAD, POST and
// OPTIONS without a preflight.
const maxMethod = 32

// check checks the next bytes of the stream. It detects an HTTP request by its method and the space
// after it, before its first line ends. Messages begin with a brace or a bracket, and no JSON value
// begins with a capital letter.
func (o *sniffer) check(p []byte) error {
	const recordHandshake = 0x16
	for _, b := range p {
		switch {
		case b >= 'A' && b <= 'Z' && o.letters < maxMethod:
			o.letters++
		case b == ' ' && o.letters > 0:
			return errHTTP
		case o.letters == 0 && (b == ' ' || b == '\t' || b == '\r' || b == '\n'):
			// Blank lines are skipped before requests and before messages.
		case o.letters == 0 && b == recordHandshake:
			return errTLS
		default:
			o.ruledOut = true
			return nil
		}
	}
	return nil
}
