package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// held is the memory of a server per idle session or stream.
type held struct {
	What   string `json:"what"`
	Server string `json:"server"`
	Count  int    `json:"count"`
	RSS    int64  `json:"rss"`  // bytes each, as the system counts them
	Heap   int64  `json:"heap"` // bytes each on the heap and on stacks, garbage collected
	Failed string `json:"failed,omitempty"`
}

// The kinds of sessions and streams.
const (
	holdSessions = "idle session"
	holdListens  = "open listen stream"
	holdBare     = "bare net/http stream"
)

// hold measures one kind on a server in a new process. The clients are in this process.
func hold(dir, server, what string, count int) (h held, err error) {
	h = held{What: what, Server: server, Count: count}
	over := transports[len(transports)-1] // modern
	if what == holdSessions {
		over = transports[2]
	}
	var args []string
	if what == holdListens && server == "gosdk" {
		args = append(args, "-sessionless")
	}
	p, err := startSite(over.binary(dir, server), args...)
	if err != nil {
		return h, err
	}
	keeper := &holder{address: p.address(), over: over}
	defer keeper.close()
	defer p.stop() // while everything is open, for a profile
	// One-time allocations happen before the measurement.
	if err := keeper.add(what, 64); err != nil {
		return h, fmt.Errorf("%s, %s: %w; stderr: %s", server, what, err, p.stderr.String())
	}
	heap, err := settle(p)
	if err != nil {
		return h, err
	}
	rss := p.resident()
	if err := keeper.add(what, count); err != nil {
		return h, fmt.Errorf("%s, %s: %w; stderr: %s", server, what, err, p.stderr.String())
	}
	after, err := settle(p)
	if err != nil {
		return h, err
	}
	h.Heap = (after - heap) / int64(count)
	h.RSS = (p.resident() - rss) / int64(count)
	return h, keeper.check(what)
}

// settle makes the server collect its garbage, and returns its memory use.
func settle(p *process) (int64, error) {
	// Connections that have just become idle are released first.
	time.Sleep(200 * time.Millisecond)
	answer, err := http.Get(strings.TrimSuffix(p.url, "/mcp") + "/settle")
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(text), 10, 64)
}

// holder opens sessions and streams, and keeps them open.
type holder struct {
	address string
	over    *transport

	mu       sync.Mutex
	posts    []*connection // on which sessions are opened, one after the other
	sessions []string
	streams  []*connection
}

const lanesToHold = 16

// add opens count more.
func (h *holder) add(what string, count int) error {
	for len(h.posts) < lanesToHold {
		c, err := dial(h.address, h.over)
		if err != nil {
			return err
		}
		h.posts = append(h.posts, c)
	}
	var all sync.WaitGroup
	failures := make([]error, lanesToHold)
	for lane := range lanesToHold {
		share := count / lanesToHold
		if lane < count%lanesToHold {
			share++
		}
		all.Go(func() {
			for range share {
				if failures[lane] = h.one(what, h.posts[lane]); failures[lane] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

func (h *holder) one(what string, post *connection) error {
	if what == holdSessions {
		post.session = ""
		if err := post.open(); err != nil {
			return err
		}
		if post.session == "" {
			return fmt.Errorf("initialize: no session")
		}
		h.mu.Lock()
		h.sessions = append(h.sessions, post.session)
		h.mu.Unlock()
		return nil
	}
	c, err := dial(h.address, h.over)
	if err != nil {
		return err
	}
	if err := c.listen(what); err != nil {
		c.close()
		return err
	}
	h.mu.Lock()
	h.streams = append(h.streams, c)
	h.mu.Unlock()
	return nil
}

const listenMessage = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{` +
	modernMeta + `}}}`

// listen opens a stream, and waits for its acknowledgement.
func (c *connection) listen(what string) error {
	head := c.head("subscriptions/listen", "")
	if what == holdBare {
		head = bytes.Replace(head, []byte("POST /mcp "), []byte("POST /wait "), 1)
	}
	if err := c.post(head, []byte(listenMessage)); err != nil {
		return err
	}
	a, err := c.readHead()
	if err != nil {
		return err
	}
	if a.status != 200 || !a.events {
		text, _ := c.readBody(nil, a.length)
		return fmt.Errorf("listen: status %d: %s", a.status, clip(string(text)))
	}
	if what == holdBare {
		return nil
	}
	size, err := c.chunk()
	if err != nil {
		return err
	}
	text, err := c.readBody(nil, size)
	if err != nil {
		return err
	}
	if !bytes.Contains(text, []byte("notifications/subscriptions/acknowledged")) {
		return fmt.Errorf("listen: %s", clip(string(text)))
	}
	_, err = c.in.Discard(2)
	return err
}

// check sends a ping in some of the sessions.
func (h *holder) check(what string) error {
	if what != holdSessions {
		return nil
	}
	c := h.posts[0]
	for i := 0; i < len(h.sessions); i += len(h.sessions)/10 + 1 {
		c.session = h.sessions[i]
		if err := c.post(c.head("ping", ""), []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); err != nil {
			return err
		}
		a, err := c.receive(func([]byte) error { return nil })
		if err != nil {
			return err
		}
		if a.status != 200 {
			return fmt.Errorf("session %d of %d is gone: status %d", i, len(h.sessions), a.status)
		}
	}
	return nil
}

func (h *holder) close() {
	for _, c := range append(h.posts, h.streams...) {
		c.close()
	}
}
