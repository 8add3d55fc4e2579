package mcpclient_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// echoConn replies to each request in Read, without another goroutine, so that the benchmark
// measures the client alone.
type echoConn struct {
	more   chan struct{}
	closed chan struct{}
	close  sync.Once
	mu     sync.Mutex
	queue  [][]byte
	reply  []byte
	silent bool // calls get no reply
}

func newEcho() *echoConn {
	result := `{"resultType":"complete","content":[{"type":"text","text":"` + strings.Repeat("book ", 100) + `"}],"structuredContent":{"books":[` + strings.Repeat(`{"title":"The Sea","year":1999,"tags":["a","b"]},`, 9) + `{"title":"x"}]}}`
	return &echoConn{more: make(chan struct{}, 1), closed: make(chan struct{}), reply: []byte(`,"result":` + result + `}`)}
}

func (c *echoConn) Write(b []byte) error {
	c.mu.Lock()
	for line := range strings.SplitSeq(strings.TrimSuffix(string(b), "\n"), "\n") {
		i := strings.Index(line, `"id":`) + 5
		j := strings.IndexByte(line[i:], ',')
		reply := append([]byte(`{"jsonrpc":"2.0","id":`), line[i:i+j]...)
		if strings.Contains(line, "server/discover") {
			reply = append(reply, `,"result":`+discoverResult+`}`...)
		} else if c.silent {
			continue
		} else {
			reply = append(reply, c.reply...)
		}
		c.queue = append(c.queue, reply)
	}
	c.mu.Unlock()
	select {
	case c.more <- struct{}{}:
	default:
	}
	return nil
}

func (c *echoConn) Read() ([]byte, error) {
	for {
		c.mu.Lock()
		if len(c.queue) > 0 {
			b := c.queue[0]
			c.queue = c.queue[1:]
			c.mu.Unlock()
			return b, nil
		}
		c.mu.Unlock()
		select {
		case <-c.more:
		case <-c.closed:
			return nil, io.EOF
		}
	}
}

func (c *echoConn) Close() error {
	c.close.Do(func() { close(c.closed) })
	return nil
}

func BenchmarkCall(b *testing.B) {
	c, err := mcpclient.Connect(b.Context(), mcpclient.Dialer("echo", func(context.Context) (jsonrpc.Conn, error) { return newEcho(), nil }), mcpclient.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	args := json.RawMessage(`{"filter":{"field":"title","value":"sea","tags":["a","b","c"]},"limit":10}`)
	b.ReportAllocs()
	b.SetParallelism(32)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if _, err := c.Call(b.Context(), "search", args); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
