package program

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// revision is the one of the requests: the first without a handshake, so that a call is
// one message each way.
const revision = "2026-07-28"

// Content is one content block of a result.
type Content struct {
	Type     string `json:"type"` // text, image, audio, resource_link, resource
	Text     string `json:"text"`
	Data     string `json:"data"` // base64
	MIMEType string `json:"mimeType"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource *struct {
		URI      string  `json:"uri"`
		MIMEType string  `json:"mimeType"`
		Text     *string `json:"text"`
		Blob     string  `json:"blob"` // base64
	} `json:"resource"`
}

// Result is what a tool answered.
type Result struct {
	// Type is "complete", or another word of the protocol, "input_required",
	// when there is no answer yet.
	Type       string          `json:"resultType"`
	Content    []Content       `json:"content"`
	Structured json.RawMessage `json:"structuredContent"` // nil where there is none
	IsError    bool            `json:"isError"`
}

// RPCError is an error of the protocol, not of the tool.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the message and the code.
func (e *RPCError) Error() string {
	return e.Message + " (" + strconv.Itoa(e.Code) + ")"
}

// Call starts the program, calls one tool, reads the answer and waits for the
// program to end. Arguments is a JSON object without newlines. What the program
// prints to its standard error goes to stderr, and so do lines of its standard
// output that are not messages. Cancelling ctx kills it. The error is a
// [*RPCError] where the program answered with one.
func (p *Program) Call(ctx context.Context, tool string, arguments json.RawMessage, stderr io.Writer) (*Result, error) {
	return ask[Result](ctx, p, "tools/call", named(tool, arguments), stderr)
}

// Resource is what reading a resource gave.
type Resource struct {
	Type     string     `json:"resultType"` // as that of [Result]
	Contents []Contents `json:"contents"`
}

// Contents is one part of a resource.
type Contents struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType"`
	Text     *string `json:"text"`
	Blob     string  `json:"blob"` // base64
}

// Read is [Program.Call] for reading a resource.
func (p *Program) Read(ctx context.Context, uri string, stderr io.Writer) (*Resource, error) {
	return ask[Resource](ctx, p, "resources/read", appendText([]byte(`{"uri":`), uri), stderr)
}

// Prompt is what getting a prompt gave.
type Prompt struct {
	Type        string    `json:"resultType"` // as that of [Result]
	Description string    `json:"description"`
	Messages    []Message `json:"messages"`
}

// Message is one message of a prompt.
type Message struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
}

// Prompt is [Program.Call] for getting a prompt. The values of arguments are
// strings.
func (p *Program) Prompt(ctx context.Context, name string, arguments json.RawMessage, stderr io.Writer) (*Prompt, error) {
	return ask[Prompt](ctx, p, "prompts/get", named(name, arguments), stderr)
}

// named are params with a name and arguments, without the closing brace.
func named(name string, arguments json.RawMessage) []byte {
	b := appendText([]byte(`{"name":`), name)
	return append(append(b, `,"arguments":`...), arguments...)
}

// ask sends one request and reads its result.
func ask[R any](ctx context.Context, p *Program, method string, params []byte, stderr io.Writer) (*R, error) {
	result, err := p.exchange(ctx, request(method, params), stderr)
	if err != nil {
		return nil, err
	}
	r := new(R)
	if err := json.Unmarshal(result, r); err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	return r, nil
}

// exchange starts the program, sends it a message, reads the answer and waits
// for the end of the program.
func (p *Program) exchange(ctx context.Context, message []byte, stderr io.Writer) (json.RawMessage, error) {
	cmd := p.Command(ctx)
	cmd.Stderr = stderr
	cmd.WaitDelay = 10 * time.Second // for what a child of its own keeps open
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("connect program: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("connect program: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start program: %w", err)
	}
	_, writeErr := in.Write(message)
	result, callErr := answer(out, stderr)
	_ = in.Close() // a program that has ended has closed it already
	// The program must not wait for its output to be read.
	go func() { _, _ = io.Copy(io.Discard, out) }()
	waitErr := cmd.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if callErr == nil {
		return result, nil
	}
	if rpc, ok := errors.AsType[*RPCError](callErr); ok {
		return nil, rpc
	}
	// There is no answer: the end of the program explains it best.
	if waitErr == nil {
		waitErr = writeErr
	}
	if waitErr == nil {
		waitErr = callErr
	}
	return nil, fmt.Errorf("the program ended without an answer: %w", waitErr)
}

// request is a request as 2026-07-28 has it (basic, _meta). params lack the
// closing brace.
func request(method string, params []byte) []byte {
	b := []byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":`)
	b = append(b, params...)
	b = append(b, `,"_meta":{"io.modelcontextprotocol/protocolVersion":"`+revision+`",`...)
	b = append(b, `"io.modelcontextprotocol/clientInfo":{"name":"mcpgen","version":"1"},`...)
	return append(b, `"io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n"...)
}

// answer reads until the answer to the one request. Other messages are notifications,
// which are ignored.
func answer(r io.Reader, stray io.Writer) (json.RawMessage, error) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if result, done, err := message(line, stray); done {
				return result, err
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// message reads one line of output; done is set when it was the answer.
func message(line []byte, stray io.Writer) (result json.RawMessage, done bool, err error) {
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   *RPCError       `json:"error"`
	}
	if err := json.Unmarshal(line, &m); err != nil || m.Version != "2.0" {
		fmt.Fprintf(stray, "%s\n", line)
		return nil, false, nil
	}
	switch {
	case m.Method != "":
		return nil, false, nil
	case m.Error != nil:
		return nil, true, m.Error // also without an id: it can only be about our request
	case m.Result != nil && string(m.ID) == "1":
		return m.Result, true, nil
	}
	return nil, false, nil
}
