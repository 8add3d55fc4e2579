package spec

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
)

// Proxy returns the URL of a proxy on this machine in front of a server that runs as a
// process of its own, and what ends the proxy. Clients that use it need not know of the
// tap. Without schemas it returns the URL that it was given.
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
			// A Host that a client has made up stays as it is, and so does an Origin.
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
	server := httptest.NewUnstartedServer(p.Handler(forward))
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
