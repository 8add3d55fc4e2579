package mcpcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/mcpgen/mcpgen/internal/clients"
	"github.com/mcpgen/mcpgen/internal/tokens"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

const (
	// maxListed is the maximum size of a message, in bytes.
	maxListed = 16 << 20
	mostPages = 1000
	// endTime limits the time for a program to exit after its input is closed.
	endTime = 2 * time.Second
)

// probe starts the program of an entry as its client does, and asks it for its tools. It does not
// call servers at URLs: package mcpclient would make every program larger.
func probe(ctx context.Context, s *clients.Status) (tools, tokens int, err error) {
	if s.Server.URL != "" {
		return 0, 0, errors.New("it is at a URL, which mcpgen status calls")
	}
	expand := func(text string) string { return s.Client.Expand(text, os.LookupEnv) }
	cmd := exec.CommandContext(ctx, expand(s.Server.Command))
	cmd.Dir, cmd.WaitDelay = s.Dir, endTime
	cmd.Env = append(os.Environ(), "PWD="+s.Dir) // programs may look for files there
	for _, arg := range s.Server.Args {
		cmd.Args = append(cmd.Args, expand(arg))
	}
	for _, v := range s.Server.Env {
		if !v.Refer { // otherwise it has the value of this environment
			cmd.Env = append(cmd.Env, v.Name+"="+expand(v.Value))
		}
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	conn := jsonrpc.NewLineConn(out, in, maxListed)
	// A process that the program started, like those of npx and go, may keep the output open.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	tools, tokens, err = listTools(conn)
	late := time.AfterFunc(endTime, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	_, _ = conn.Close(), cmd.Wait() // its answer is known
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return tools, tokens, err
}

// listTools requests all tools in revision 2026-07-28, which every server of this package supports.
func listTools(conn jsonrpc.Conn) (tools, count int, err error) {
	cursor := ""
	for range mostPages {
		params := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		if cursor != "" {
			params = `"cursor":` + cursor + `,` + params
		}
		if err := conn.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + params + "}}\n")); err != nil {
			return 0, 0, err
		}
		list, next, err := toolsPage(conn)
		if err != nil {
			return 0, 0, err
		}
		tools += len(list)
		for _, t := range list {
			count += tokens.OfTool(t)
		}
		if len(next) == 0 || bytes.Equal(next, []byte("null")) {
			return tools, count, nil
		}
		cursor = string(next)
	}
	return 0, 0, fmt.Errorf("tools/list has more than %d pages", mostPages)
}

// toolsPage reads messages until the response.
func toolsPage(conn jsonrpc.Conn) (list []json.RawMessage, next json.RawMessage, err error) {
	for {
		text, err := conn.Read()
		if err != nil {
			return nil, nil, err
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Result struct {
				Tools []json.RawMessage `json:"tools"`
				Next  json.RawMessage   `json:"nextCursor"`
			} `json:"result"`
			Error *jsonrpc.Error `json:"error"`
		}
		switch err := json.Unmarshal(text, &m); {
		case err != nil:
			return nil, nil, fmt.Errorf("read message: %w", err)
		case m.Method != "" || string(m.ID) != "1":
			continue // a notification, or a request, to which tools/list needs no answer
		case m.Error != nil:
			return nil, nil, m.Error
		}
		return m.Result.Tools, m.Result.Next, nil
	}
}
