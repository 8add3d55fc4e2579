package spec

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
)

// Proxy starts a proxy on this machine in front of a server in another process. It returns its URL
// and a function that stops it. Clients need no changes. Without schemas it returns target.
func (p *Tap) Proxy(target string) (front string, stop func(), err error) {
	if p.all == nil {
		return target, func() {}, nil
	}
	to, err := url.Parse(target)
	if err != nil {
		return "", nil, err
	}
	var own string // its address
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
			// A Host other than the proxy's address is forwarded unchanged, and so is an Origin.
			if r.Out.Host = r.In.Host; r.In.Host == own {
				r.Out.Host = to.Host
			}
			if r.In.Header.Get("Origin") == "http://"+own {
				r.Out.Header.Set("Origin", "http://"+to.Host)
			}
		},
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: -1},
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	// Without full duplex, a server closes the request body when the response begins. The transport
	// then still reads the body to its end, and closes the connection if that fails: the stream of
	// a server that responds immediately would be cut.
	duplex := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 always supports it
		forward.ServeHTTP(w, r)
	})
	server := httptest.NewUnstartedServer(p.Handler(duplex))
	server.Config.ErrorLog = forward.ErrorLog
	own = server.Listener.Addr().String()
	server.Start()
	at := *to
	at.Host = own
	return at.String(), func() {
		server.CloseClientConnections()
		server.Close()
	}, nil
}
