package hardening_test

import (
	"testing"
	"testing/synctest"
)

// era is the kind of protocol of a client.
type era string

const (
	legacy era = "legacy" // a session of revision 2025-11-25
	modern era = "modern" // revision 2026-07-28
)

// transport is a transport of the tests, with its client.
type transport struct {
	name string
	eras []era
	http bool // each message has its own request and status
	dial func(s *site, in *inbox, who string) (link, error)
}

// Names of transports.
const (
	stdio      = "stdio"
	memory     = "memory"
	tcp        = "tcp"
	webSocket  = "websocket"
	httpLegacy = "http-legacy"
	httpModern = "http-modern"
	httpSSE    = "sse"
)

var both = []era{legacy, modern}

// transports are all of them.
var transports = []*transport{
	{name: stdio, eras: both, dial: dialStdio},
	{name: memory, eras: both, dial: dialMemory},
	{name: tcp, eras: both, dial: dialTCP},
	{name: webSocket, eras: both, dial: dialWebSocket},
	{name: httpLegacy, eras: []era{legacy}, http: true, dial: dialHTTP},
	{name: httpModern, eras: []era{modern}, http: true, dial: dialHTTP},
	{name: httpSSE, eras: []era{legacy}, http: true, dial: dialSSE},
}

// target is the transport and the kind of protocol of a test.
type target struct {
	*transport
	era     era
	guarded bool // by a guard that trusts the field Authorization
	http2   bool // requests that have no link go over TLS and HTTP/2
}

// is reports whether the transport is one of the named ones.
func (v target) is(names ...string) bool {
	for _, name := range names {
		if v.name == name {
			return true
		}
	}
	return false
}

// accepted returns the status of a request that is answered: by a message on its own channel, or on
// the stream.
func (v target) accepted() int {
	if v.is(httpSSE) {
		return 202
	}
	return 200
}

// visit runs f with a server in a bubble of synctest: time passes only while all goroutines wait,
// and a goroutine that does not end fails the test.
func (v target) visit(t *testing.T, c setup, f func(t *testing.T, s *site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, v, c)
		defer s.close()
		f(t, s)
	})
}

// visitReal is like visit over the network of the operating system, in real time.
func (v target) visitReal(t *testing.T, c setup, f func(t *testing.T, s *site)) {
	t.Helper()
	c.real = true
	s := newSite(t, v, c)
	defer s.close()
	f(t, s)
}
