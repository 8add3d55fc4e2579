package mcphttpclient

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// sharedTransports are the transports of endpoints without a Client, by their limit for the header
// of a response. All connections of a process share one, so that they share its idle connections to
// a server. It is closed with the last of them, so that no goroutine is left.
var sharedTransports = struct {
	sync.Mutex
	byLimit map[int]*sharedTransport
}{byLimit: map[int]*sharedTransport{}}

type sharedTransport struct {
	http.Transport
	used int // connections that use it
}

// acquireTransport returns a transport until release is called, once.
func acquireTransport(headerBytes int) (t http.RoundTripper, release func()) {
	s := &sharedTransports
	s.Lock()
	defer s.Unlock()
	shared := s.byLimit[headerBytes]
	if shared == nil {
		shared = &sharedTransport{Transport: http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			ForceAttemptHTTP2:      true,
			MaxIdleConns:           4096,
			MaxIdleConnsPerHost:    1024, // as many as requests in flight by default
			IdleConnTimeout:        90 * time.Second,
			TLSHandshakeTimeout:    15 * time.Second,
			ExpectContinueTimeout:  time.Second,
			MaxResponseHeaderBytes: int64(headerBytes),
			// Notice a connection that has died silently while a stream waits.
			HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		}}
		s.byLimit[headerBytes] = shared
	}
	shared.used++
	return &shared.Transport, func() {
		s.Lock()
		shared.used--
		last := shared.used == 0
		if last {
			delete(s.byLimit, headerBytes)
		}
		s.Unlock()
		if last { // after unlock, since closing a TLS connection may wait for the peer, and other connections must not
			shared.CloseIdleConnections()
		}
	}
}
