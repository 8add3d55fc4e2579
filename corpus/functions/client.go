package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// answerTime limits the time for a response.
const answerTime = 5 * time.Second

// client sends requests to one run of a server, one at a time.
type client struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan []byte
	log   *os.File
	id    int

	instructions string // of the server
}

// listed is an entry of tools/list.
type listed struct {
	Name, Description         string
	InputSchema, OutputSchema json.RawMessage
}

// answer is the response to a request.
type answer struct {
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// errSilent and errDead mean that no response came.
var (
	errSilent = fmt.Errorf("no answer within %v", answerTime)
	errDead   = errors.New("the server ended")
)

// start runs a server in a new directory without network access: with proxies that do not exist,
// and no user settings.
func start(program, dir string, args ...string) (*client, error) {
	log, err := os.CreateTemp(dir, "stderr")
	if err != nil {
		return nil, err
	}
	c := &client{cmd: exec.Command(program, args...), lines: make(chan []byte), log: log}
	c.cmd.Dir, c.cmd.Stderr = dir, log
	c.cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "TZ=UTC", "HTTP_PROXY=http://127.0.0.1:1", "HTTPS_PROXY=http://127.0.0.1:1"}
	isolate(c.cmd)
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(c.lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			c.lines <- line
		}
	}()
	opened, err := c.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"corpus","version":"1"}}`)
	if err != nil {
		return nil, fmt.Errorf("initialize: %w: %s", err, c.stop())
	}
	var server struct{ Instructions string }
	if err := json.Unmarshal(opened.Result, &server); err != nil {
		return nil, fmt.Errorf("initialize: %w: %s", err, c.stop())
	}
	c.instructions = server.Instructions
	_, err = io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return c, err
}

// ask sends a request and waits for the response.
func (c *client) ask(method, params string) (*answer, error) {
	c.id++
	if _, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.id, method, params); err != nil {
		return nil, errDead
	}
	late := time.After(answerTime)
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				return nil, errDead
			}
			var m struct {
				ID *int
				answer
			}
			if err := json.Unmarshal(line, &m); err != nil {
				return nil, fmt.Errorf("%w: %s", err, line)
			}
			if m.ID != nil && *m.ID == c.id {
				return &m.answer, nil
			}
		case <-late:
			return nil, errSilent
		}
	}
}

// tools lists all tools.
func (c *client) tools() ([]listed, error) {
	var all []listed
	for cursor := "{}"; ; {
		a, err := c.ask("tools/list", cursor)
		if err != nil {
			return nil, err
		}
		var page struct {
			Tools      []listed
			NextCursor string
		}
		if a.Error != nil {
			return nil, errors.New(a.Error.Message)
		}
		if err := json.Unmarshal(a.Result, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Tools...)
		if page.NextCursor == "" {
			return all, nil
		}
		cursor = fmt.Sprintf(`{"cursor":%q}`, page.NextCursor)
	}
}

// stop stops the server, and returns the end of its log. The exit code does not matter, since a
// called function may have exited the process.
func (c *client) stop() string {
	_ = c.in.Close()
	end := time.AfterFunc(2*time.Second, func() { _ = c.cmd.Process.Kill() })
	for range c.lines { // until the output is closed
	}
	_ = c.cmd.Wait()
	end.Stop()
	text, err := os.ReadFile(c.log.Name())
	if err := errors.Join(err, c.log.Close(), os.Remove(c.log.Name())); err != nil {
		return err.Error()
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(string(text[max(0, len(text)-200):]))
}
