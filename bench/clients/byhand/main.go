// Byhand calls a server with hand-written code that does the same and nothing more: the limit for a
// client with the same codecs.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/bench/clients/load"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// meta is the metadata that revision 2026-07-28 requires in each request.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// result is the result of a call.
type result struct {
	text       string
	structured json.RawMessage
	isError    bool
}

func main() {
	load.Main(func(ctx context.Context, to load.Server) (*load.Client, error) {
		if to.Path == "" {
			return contact(ctx, to)
		}
		return start(to.Path)
	})
}

// conn is a connection to a program.
type conn struct {
	w io.WriteCloser

	mu      sync.Mutex
	last    int64
	waiting map[int64]chan []byte
}

func start(path string) (*load.Client, error) {
	program := exec.Command(path)
	w, err := program.StdinPipe()
	if err != nil {
		return nil, err
	}
	r, err := program.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := program.Start(); err != nil {
		return nil, err
	}
	c := &conn{w: w, waiting: map[int64]chan []byte{}}
	go c.read(r)
	return &load.Client{Call: c.call, Close: func() error {
		if err := w.Close(); err != nil {
			return err
		}
		return program.Wait()
	}}, nil
}

func (c *conn) read(r io.Reader) {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return
		}
		m, broken := jsonrpc.Parse(line)
		if broken != nil {
			continue
		}
		id, err := strconv.ParseInt(m.ID.String(), 10, 64)
		if err != nil {
			continue
		}
		c.mu.Lock()
		reply := c.waiting[id]
		delete(c.waiting, id)
		c.mu.Unlock()
		if reply != nil {
			reply <- append([]byte(nil), m.Result...)
		}
	}
}

func (c *conn) call(ctx context.Context, arguments json.RawMessage) (string, any, error) {
	reply := make(chan []byte, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.waiting[id] = reply
	message := make([]byte, 0, len(arguments)+400)
	message = append(message, `{"jsonrpc":"2.0","id":`...)
	message = strconv.AppendInt(message, id, 10)
	message = append(message, `,"method":"tools/call","params":{"name":"search","arguments":`...)
	message = append(message, arguments...)
	message = append(message, `,`+meta+"}}\n"...)
	_, err := c.w.Write(message)
	c.mu.Unlock()
	if err != nil {
		return "", nil, err
	}
	select {
	case data := <-reply:
		r, err := readResult(data)
		if err == nil && r.isError {
			err = errors.New(r.text)
		}
		return r.text, r.structured, err
	case <-ctx.Done():
		return "", nil, ctx.Err()
	}
}

// readResult reads the result of a call.
func readResult(data []byte) (r result, err error) {
	if len(data) == 0 {
		return r, fmt.Errorf("no result")
	}
	jsonrpc.Members(data, func(name, value []byte) bool {
		switch string(name) {
		case "content":
			jsonrpc.Elements(value, func(block []byte) bool {
				jsonrpc.Members(block, func(name, value []byte) bool {
					if string(name) == "text" {
						r.text, _ = jsonrpc.String(value)
					}
					return true
				})
				return true
			})
		case "structuredContent":
			r.structured = value
		case "isError":
			r.isError = string(value) == "true"
		}
		return true
	})
	return r, nil
}
