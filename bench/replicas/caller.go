package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// caller calls tools over HTTP with as little code as possible, so that the figures describe the
// servers.
type caller struct {
	url     string
	session string // "" for revision 2026-07-28
	ids     atomic.Int64
}

// web is the client of all callers.
var web = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}

// newCaller returns a caller, with a session if requested.
func newCaller(address string, session bool) (*caller, error) {
	c := &caller{url: "http://" + address + "/mcp"}
	if !session {
		return c, nil
	}
	resp, err := c.post(context.Background(), "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`, "")
	if err != nil {
		return nil, err
	}
	c.session = resp.header.Get("Mcp-Session-Id")
	_, err = c.send(context.Background(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", "")
	return c, err
}

// response is a response with its body.
type response struct {
	header http.Header
	body   []byte
}

func (c *caller) post(ctx context.Context, method, params, name string) (*response, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.ids.Add(1), method, params)
	r, err := c.send(ctx, body, method, name)
	if err == nil && (!bytes.Contains(r.body, []byte(`"result":`)) || bytes.Contains(r.body, []byte(`"isError":true`))) {
		err = fmt.Errorf("%s: %s", method, r.body)
	}
	return r, err
}

func (c *caller) send(ctx context.Context, body, method, name string) (*response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	switch {
	case c.session != "":
		req.Header.Set("Mcp-Session-Id", c.session)
		req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	case method != "initialize":
		req.Header.Set("MCP-Protocol-Version", "2026-07-28")
		req.Header.Set("Mcp-Method", method)
		req.Header.Set("Mcp-Name", name)
	}
	resp, err := web.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	return &response{resp.Header, text}, err
}

// call calls a tool, and waits for its task, if any.
func (c *caller) call(ctx context.Context, tool string) error {
	meta, task := "", ""
	if c.session == "" {
		meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`
	}
	if tool == "quick" {
		task = `,"task":{}`
	}
	r, err := c.post(ctx, "tools/call", `{`+meta+`"name":"`+tool+`","arguments":{"nonce":"n"}`+task+`}`, tool)
	if err != nil || task == "" {
		return err
	}
	var created struct {
		Result struct{ Task struct{ TaskID string } }
	}
	if err := json.Unmarshal(r.body, &created); err != nil {
		return err
	}
	_, err = c.post(ctx, "tasks/result", `{"taskId":"`+created.Result.Task.TaskID+`"}`, "")
	return err
}

// many calls a tool repeatedly, in several goroutines. It returns the durations.
func (c *caller) many(tool string, calls, goroutines int) ([]time.Duration, error) {
	var all sync.WaitGroup
	times := make([]time.Duration, calls)
	var next atomic.Int64
	failed := make(chan error, goroutines)
	for range goroutines {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(calls); i = next.Add(1) - 1 {
				begin := time.Now()
				if err := c.call(context.Background(), tool); err != nil {
					failed <- err
					return
				}
				times[i] = time.Since(begin)
			}
		})
	}
	all.Wait()
	select {
	case err := <-failed:
		return nil, err
	default:
		return times, nil
	}
}
