package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The programs with the clients of the TypeScript SDK. The first one supports only the revision
// links.
const (
	sdk1 = "sdk1.mjs" // @modelcontextprotocol/sdk
	sdk2 = "sdk2.mjs" // @modelcontextprotocol/client
)

// everyScript runs a test once for each program and way.
func everyScript(t *testing.T, test func(*testing.T, string, way)) {
	t.Helper()
	node(t)
	for _, sdk := range []string{sdk1, sdk2} {
		for _, w := range ways() {
			if sdk == sdk1 && w.revision != links || w.transport == sse && w.revision != links && w.revision != revisions[0] {
				continue
			}
			t.Run(strings.TrimSuffix(sdk, ".mjs")+"/"+w.String(), func(t *testing.T) {
				t.Parallel()
				test(t, sdk, w)
			})
		}
	}
}

// plan contains the steps of a program; main.mjs describes them.
type plan struct {
	Walk      string     `json:"walk"`
	Revision  string     `json:"revision"`
	Transport string     `json:"transport"`
	Command   string     `json:"command"`
	URL       string     `json:"url"`
	PID       int        `json:"pid"`
	Calls     []toolCall `json:"calls"`
	Errors    []toolCall `json:"errors"`
}

type toolCall struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}

// follow runs a plan in a program with a new server, which gets the flags over HTTP, and returns
// the facts.
func follow(t *testing.T, sdk, server string, w way, p plan, flags ...string) *facts {
	t.Helper()
	p.Transport, p.Revision, p.Command = w.transport, w.revision, server
	if w.transport != stdio {
		s := serve(t, server, w.transport, flags...)
		p.URL, p.PID = s.url, s.pid
	}
	argument, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	command := exec.CommandContext(ctx, node(t), filepath.Join(clients, sdk), string(argument))
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v\n%s", sdk, err, &stderr)
	}
	f := &facts{t: t, sdk: sdk, way: w, unseen: map[string]json.RawMessage{}}
	if err := json.Unmarshal(out, &f.unseen); err != nil {
		t.Fatalf("%s: %v\n%s", sdk, err, out)
	}
	return f
}

// facts are the findings of a program, by name.
type facts struct {
	t      *testing.T
	sdk    string
	way    way
	unseen map[string]json.RawMessage
}

// take returns a fact, and marks it as checked.
func (f *facts) take(name string) json.RawMessage {
	f.t.Helper()
	fact, ok := f.unseen[name]
	if !ok {
		f.t.Errorf("%s: there is no such fact", name)
		return json.RawMessage("null")
	}
	delete(f.unseen, name)
	return fact
}

// into reads a fact.
func (f *facts) into(name string, v any) {
	f.t.Helper()
	fact := f.take(name)
	decoder := json.NewDecoder(bytes.NewReader(fact))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		f.t.Errorf("%s: %v: %s", name, err, fact)
	}
}

// same checks a fact.
func (f *facts) same(name string, want any) {
	f.t.Helper()
	fact := f.take(name)
	var got any
	if err := json.Unmarshal(fact, &got); err != nil {
		f.t.Errorf("%s: %v", name, err)
	} else if want = roundTrip(f.t, want); !reflect.DeepEqual(got, want) {
		f.t.Errorf("%s: %s, want %s", name, fact, marshal(f.t, want))
	}
}

// contains checks a fact that is a text.
func (f *facts) contains(name, want string) {
	f.t.Helper()
	var got string
	f.into(name, &got)
	if !strings.Contains(got, want) {
		f.t.Errorf("%s: %q, want %q in it", name, got, want)
	}
}

// failed checks a fact that is a protocol error, as the SDK reports it.
func (f *facts) failed(name string, code int, text string) {
	f.t.Helper()
	var got struct {
		Error string
		Code  any
	}
	f.into(name, &got)
	if f.sdk == sdk2 && code == -32002 {
		code = -32602 // it does not distinguish them
	}
	if got.Code != float64(code) || !strings.Contains(got.Error, text) {
		f.t.Errorf("%s: %+v, want %d %s", name, got, code, text)
	}
}

// abandoned checks a fact that is the error of a call that the client cancelled.
func (f *facts) abandoned(name string) {
	f.t.Helper()
	if f.sdk == sdk1 {
		f.same(name, map[string]any{"error": "MCP error -32001: had enough", "code": -32001})
	} else {
		f.same(name, map[string]any{"error": "had enough", "code": "REQUEST_TIMEOUT"})
	}
}

// hello checks the server's description that the client receives first. further are the
// capabilities in addition to the features'.
func (f *facts) hello(server map[string]any, instructions string, further ...string) {
	f.t.Helper()
	capabilities := []string{"completions", "logging", "prompts", "resources", "tools"}
	if f.way.revision == revisions[0] {
		capabilities = capabilities[1:]
	}
	capabilities = slices.Sorted(slices.Values(append(capabilities, further...)))
	if f.way.revision < forms {
		delete(server, "title")
	}
	if f.way.revision < links {
		delete(server, "websiteUrl")
	}
	want := map[string]any{"revision": f.way.revision, "server": server, "capabilities": capabilities}
	if instructions != "" {
		want["instructions"] = instructions
	}
	if f.sdk == sdk1 && f.way.transport != http {
		want["revision"] = nil // not available there
	}
	f.same("hello", want)
}

// answered checks that all HTTP statuses are successful ones.
func (f *facts) answered() {
	f.t.Helper()
	var got []string
	f.into("wire", &got)
	fine := map[string]bool{}
	switch f.way.transport {
	case http:
		fine["POST 200"], fine["POST 202"] = true, true
		for _, kind := range []string{"GET 200", "DELETE 204", "GET 204"} { // the last one is for a client that reconnects although nothing is left
			fine[kind] = f.way.revision != modern
		}
	case sse:
		fine["GET 200"], fine["POST 202"] = true, true
	}
	for _, kind := range got {
		if !fine[kind] {
			f.t.Errorf("answered with %s", kind)
		}
	}
}

// end checks that the connection was closed cleanly, and that all facts have been checked.
func (f *facts) end(server string) {
	f.t.Helper()
	var end *struct {
		Code           int
		Signal, Stderr string
	}
	f.into("end", &end)
	if f.way.transport != stdio {
		if end != nil {
			f.t.Errorf("the end was %+v", end)
		}
	} else if end == nil || end.Code != 0 || end.Signal != "" {
		f.t.Errorf("the program ended with %+v", end)
	} else {
		checkStderr(f.t, server, end.Stderr)
	}
	for name, fact := range f.unseen {
		f.t.Errorf("the test did not check %s: %s", name, fact)
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
