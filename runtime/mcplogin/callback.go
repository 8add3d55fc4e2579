package mcplogin

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
)

// callbackPath is the path of the default redirect URI.
const callbackPath = "/callback"

// callbackTime limits a request to the listener.
const callbackTime = 5 * time.Second

// callback is a listener on this machine for one authorization response.
type callback struct {
	listener net.Listener
	redirect string // URI
	path     string
	server   *http.Server
	bodies   unreadbody.Bodies
	once     sync.Once
	got      chan url.Values // receives one element
}

// listen listens on the redirect URI. If a dynamic registration contains a redirect URI with a
// port, listen tries that port first.
func (l *Login) listen(ctx context.Context, as *issuer) (*callback, error) {
	c := &callback{path: callbackPath, got: make(chan url.Values, 1)}
	var lc net.ListenConfig
	if l.c.Redirect != "" {
		u, err := url.Parse(l.c.Redirect)
		if err != nil || u.Scheme != "http" {
			return nil, fmt.Errorf("the redirect URI %s: a login of this process needs one with http at this machine, such as http://127.0.0.1:7777/callback", l.c.Redirect)
		}
		port := u.Port()
		if port == "" {
			port = "80"
		}
		if c.listener, err = lc.Listen(ctx, "tcp", net.JoinHostPort(u.Hostname(), port)); err != nil {
			return nil, fmt.Errorf("listen at the redirect URI %s: %w", l.c.Redirect, err)
		}
		c.redirect, c.path = l.c.Redirect, u.Path
		if c.path == "" {
			c.path = "/"
		}
		return c, nil
	}
	var err error
	if r := new(registration); l.c.Name != "" && l.load(ctx, storeKey("client", as.Issuer, l.c.Name), r) {
		if u, bad := url.Parse(r.Redirect); bad == nil && u.Hostname() == "127.0.0.1" && u.Path == callbackPath {
			c.listener, _ = lc.Listen(ctx, "tcp", u.Host) // the port may be taken
		}
	}
	if c.listener == nil {
		if c.listener, err = lc.Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
			return nil, fmt.Errorf("listen for the authorization response: %w", err)
		}
	}
	c.redirect = "http://" + c.listener.Addr().String() + callbackPath
	return c, nil
}

// serve responds to the browser until close. It accepts only a request with the state of the login,
// and only the first.
func (c *callback) serve(state string) {
	c.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := c.bodies.Begin(w, r, callbackTime)
			returned := false
			defer func() { body.End(returned) }()
			c.answer(w, r, state)
			returned = true
		}),
		ReadHeaderTimeout: callbackTime, ReadTimeout: callbackTime, WriteTimeout: callbackTime, IdleTimeout: time.Second,
		MaxHeaderBytes: 64 << 10,
	}
	go func() { _ = c.server.Serve(c.listener) }() // until close
}

func (c *callback) answer(w http.ResponseWriter, r *http.Request, state string) {
	h := w.Header()
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	query := r.URL.Query()
	status, text := http.StatusOK, "The login has been received. You can close this window."
	switch {
	case r.URL.Path != c.path:
		status, text = http.StatusNotFound, "There is nothing here."
	case r.Method != http.MethodGet:
		h.Set("Allow", http.MethodGet)
		status, text = http.StatusMethodNotAllowed, "This is for GET requests."
	case subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(state)) != 1:
		status, text = http.StatusBadRequest, "This is not the response to the login that waits here."
	default:
		first := false
		c.once.Do(func() { first = true })
		if !first {
			status, text = http.StatusGone, "The response to this login was received before."
			break
		}
		defer func() { c.got <- query }() // after the page was written
	}
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text) // the browser may be gone
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// wait returns the query of the authorization response.
func (c *callback) wait(ctx context.Context) (url.Values, error) {
	select {
	case query := <-c.got:
		return query, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("the login was not completed: %w", context.Cause(ctx))
	}
}

// close closes the listener. A page in progress is completed.
func (c *callback) close() {
	if c.server == nil {
		_ = c.listener.Close()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := c.server.Shutdown(ctx); err != nil && !errors.Is(err, http.ErrServerClosed) {
		_ = c.server.Close()
	}
}
