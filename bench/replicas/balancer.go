package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// balancer distributes requests to the replicas in turn. It has no stickiness. It skips a replica
// that does not accept connections, or reports that it is ending.
type balancer struct {
	replicas []string // addresses
	serving  []atomic.Bool
	next     atomic.Uint32
	client   http.Client
	ledger   *ledger
}

// probePause is the time between two probes of a replica.
const probePause = 100 * time.Millisecond

func newBalancer(ctx context.Context, l *ledger, replicas []string) *balancer {
	b := &balancer{replicas: replicas, serving: make([]atomic.Bool, len(replicas)), ledger: l}
	b.client.Transport = &http.Transport{MaxIdleConnsPerHost: 200, DisableCompression: true}
	for i := range replicas {
		go b.probe(ctx, i)
	}
	return b
}

// probe asks a replica whether it is ready.
func (b *balancer) probe(ctx context.Context, i int) {
	for ctx.Err() == nil {
		asking, cancel := context.WithTimeout(ctx, time.Second)
		req, _ := http.NewRequestWithContext(asking, http.MethodGet, "http://"+b.replicas[i]+"/serving", nil)
		resp, err := b.client.Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		b.serving[i].Store(err == nil && resp.StatusCode == http.StatusOK)
		cancel()
		time.Sleep(probePause)
	}
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	first := int(b.next.Add(1))
	for i := range b.replicas {
		at := (first + i) % len(b.replicas)
		if !b.serving[at].Load() {
			continue
		}
		out, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+b.replicas[at]+"/mcp", bytes.NewReader(body))
		if err != nil {
			panic(err)
		}
		out.Header = r.Header.Clone()
		resp, err := b.client.Do(out)
		if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "dial" {
			continue // the request was not sent
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer func() { _ = resp.Body.Close() }()
		b.reply(w, resp, b.ledger.exchange(r.Header, body, resp))
		return
	}
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
}

// reply writes a response, which the tap also reads.
func (b *balancer) reply(w http.ResponseWriter, resp *http.Response, t *tap) {
	header := w.Header()
	for name, values := range resp.Header {
		header[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	control := http.NewResponseController(w)
	_ = control.Flush()
	buffer := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(buffer)
		if n > 0 {
			t.read(buffer[:n])
			if _, err := w.Write(buffer[:n]); err != nil {
				return
			}
			_ = control.Flush()
		}
		switch {
		case err == io.EOF:
			t.end()
			return
		case err != nil:
			panic(http.ErrAbortHandler) // the client sees a broken connection
		}
	}
}
