package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/bench/clients/load"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// poster is a client over HTTP: with a session, or of revision 2026-07-28.
type poster struct {
	url    string
	http   http.Client
	header http.Header
	meta   string
	last   atomic.Int64
	bodies sync.Pool
}

// contact prepares the client, and opens a session if the revision has sessions.
func contact(ctx context.Context, to load.Server) (*load.Client, error) {
	transport := &http.Transport{MaxIdleConnsPerHost: 1024}
	c := &poster{url: to.URL, http: http.Client{Transport: transport}, bodies: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
	c.header = http.Header{
		"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"search"},
	}
	c.meta = "," + meta
	if to.Sessions {
		c.header = http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
		c.meta = ""
		if err := c.open(ctx); err != nil {
			return nil, err
		}
	}
	return &load.Client{Call: c.call, Close: func() error {
		transport.CloseIdleConnections()
		return nil
	}}, nil
}

// open opens a session.
func (c *poster) open(ctx context.Context) error {
	resp, err := c.post(ctx, []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`))
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	c.header["Mcp-Protocol-Version"] = []string{"2025-11-25"}
	c.header["Mcp-Session-Id"] = resp.Header["Mcp-Session-Id"]
	resp, err = c.post(ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (c *poster) post(ctx context.Context, message []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	r.Header = c.header // transports do not modify it
	return c.http.Do(r)
}

func (c *poster) call(ctx context.Context, arguments json.RawMessage) (string, any, error) {
	message := make([]byte, 0, len(arguments)+400)
	message = append(message, `{"jsonrpc":"2.0","id":`...)
	message = strconv.AppendInt(message, c.last.Add(1), 10)
	message = append(message, `,"method":"tools/call","params":{"name":"search","arguments":`...)
	message = append(append(append(message, arguments...), c.meta...), "}}"...)
	resp, err := c.post(ctx, message)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/json" {
		return "", nil, fmt.Errorf("status %s, %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	body := c.bodies.Get().(*bytes.Buffer)
	defer c.bodies.Put(body)
	body.Reset()
	if _, err := body.ReadFrom(resp.Body); err != nil {
		return "", nil, err
	}
	m, broken := jsonrpc.Parse(body.Bytes())
	if broken != nil {
		return "", nil, broken
	}
	r, err := readResult(append([]byte(nil), m.Result...))
	if err == nil && r.isError {
		err = errors.New(r.text)
	}
	return r.text, r.structured, err
}
