package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// newKey generates an API key and writes the file of keys for a guarded server.
func newKey(path string) (key string, err error) {
	key, stored := mcpauth.NewKey("suite")
	b, err := json.Marshal(map[string]any{"keys": []mcpauth.Key{stored}})
	if err != nil {
		return "", err
	}
	return key, os.WriteFile(path, b, 0o600)
}

// authorize returns the URL of a proxy in front of a guarded server, which adds the key to each
// request, and a function that stops it. It returns an error if the server needs no key.
func authorize(ctx context.Context, target, key string) (front string, stop func(), err error) {
	to, err := url.Parse(target)
	if err != nil {
		return "", nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, http.NoBody)
	if err != nil {
		return "", nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", nil, err
	}
	if err := resp.Body.Close(); err != nil {
		return "", nil, err
	}
	if resp.StatusCode != http.StatusUnauthorized {
		return "", nil, fmt.Errorf("the server has no guard: the status without a key is %s", resp.Status)
	}
	var own string // the proxy's address
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
			// Other names are forwarded unchanged: scenarios check that the server refuses them.
			if r.Out.Host = r.In.Host; r.In.Host == own {
				r.Out.Host = to.Host
			}
			if r.In.Header.Get("Origin") == "http://"+own {
				r.Out.Header.Set("Origin", "http://"+to.Host)
			}
			r.Out.Header.Set("Authorization", "Bearer "+key)
		},
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: -1},
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The server may respond before it has read the body.
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 always has it
		forward.ServeHTTP(w, r)
	}))
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
