package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The Inspector's names of protocol eras.
const (
	legacyEra = "legacy" // revision links
	modernEra = "modern"
	autoEra   = "auto" // the newest
)

// The exit codes of the Inspector.
const (
	inspectorDone   = 0
	inspectorError  = 1
	inspectorFailed = 5 // the tool has returned an error
)

// inspection is one run of the Inspector.
type inspection struct {
	name  string
	args  []string
	code  int
	want  string // part of its output, or of its error
	basic bool   // useful over every transport
	era   string // the only one in which it is valid
}

var inspections = []inspection{
	{name: "initialize", args: []string{"--method", "initialize"}, want: `"serverInfo":{"name":"bookstore","title":"Bookstore"`},
	// The rules of model providers for the schemas of tools.
	{name: "tools", args: []string{"--method", "tools/list", "--strict"}, want: `"name":"search_books"`, basic: true},
	{name: "call", args: []string{"--method", "tools/call", "--tool-name", "get_book", "--tool-arg", "id=2701"},
		want: `"structuredContent":{"id":2701,`, basic: true},
	{name: "call that fails", args: []string{"--method", "tools/call", "--tool-name", "get_book", "--tool-arg", "id=999999"},
		code: inspectorFailed, want: `"text":"no such book"`},
	{name: "many calls", args: []string{"--method", "tools/call", "--tool-name", "get_book", "--tool-arg", "id=2701", "--load", "--load-requests", "100"},
		want: `"ok":100,"toolErrors":0,"errors":0,`},
	{name: "resources", args: []string{"--method", "resources/list"}, want: `"uri":"books://schema"`},
	{name: "templates", args: []string{"--method", "resources/templates/list"}, want: `"uriTemplate":"books://{id}/cover"`},
	{name: "resource", args: []string{"--method", "resources/read", "--uri", "books://2701"}, want: "Herman Melville", basic: true},
	{name: "resource that is not there", args: []string{"--method", "resources/read", "--uri", "books://1"},
		code: inspectorError, want: "resource not found: books://1"},
	{name: "prompts", args: []string{"--method", "prompts/list"}, want: `"name":"recommend_books"`},
	{name: "prompt", args: []string{"--method", "prompts/get", "--prompt-name", "recommend_books", "--prompt-args", "subject=whales", "count=2"},
		want: "Recommend me 2 books about whales", basic: true},
	{name: "log level", args: []string{"--method", "logging/setLevel", "--log-level", "debug"}, want: `{"result":{}}`, era: legacyEra},
}

func TestInspector(t *testing.T) {
	node(t)
	for _, way := range []struct {
		transport, era string
		basic          bool
	}{
		{stdio, legacyEra, false},
		{stdio, modernEra, true},
		{http, legacyEra, false},
		{http, modernEra, false},
		{sse, legacyEra, true},
	} {
		t.Run(way.transport+"/"+way.era, func(t *testing.T) {
			t.Parallel()
			target := bookstore
			if way.transport != stdio {
				target = serve(t, bookstore, way.transport).url
			}
			for _, i := range inspections {
				if (way.basic && !i.basic) || (i.era != "" && i.era != way.era) {
					continue
				}
				t.Run(i.name, func(t *testing.T) {
					t.Parallel()
					inspect(t, target, way.era, i)
				})
			}
		})
	}
}

// The hand-written features pass, too.
func TestInspectorTalker(t *testing.T) {
	t.Parallel()
	inspect(t, talker, legacyEra, inspection{args: []string{"--method", "tools/list", "--strict"}, want: `"name":"feast"`})
	inspect(t, talker, modernEra, inspection{
		args: []string{"--method", "tools/call", "--tool-name", "route", "--tool-arg", "region=Zürich"}, want: `{\"region\":\"Zürich\"} by header [], []`,
	})
}

// By default, the Inspector negotiates the newest revision.
func TestInspectorFindsRevision(t *testing.T) {
	for era, revision := range map[string]string{legacyEra: links, modernEra: modern, autoEra: modern} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			i := inspection{args: []string{"--method", "initialize"}, want: `"protocolVersion":"` + revision + `"`}
			inspect(t, talker, era, i)
			inspect(t, serve(t, talker, http).url, era, i)
		})
	}
}

// inspect runs the Inspector, which must not report problems of the server.
func inspect(t *testing.T, target, era string, i inspection) {
	t.Helper()
	command := filepath.Join(clients, "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	run := exec.CommandContext(ctx, node(t), append([]string{command, "--cli", target, "--protocol-era", era, "--format", "json"}, i.args...)...)
	// It stores files in the home directory.
	home := t.TempDir()
	run.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home)
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	err := run.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Errorf("%q: %v", i.args, err)
		return
	} else if code := run.ProcessState.ExitCode(); code != i.code {
		t.Errorf("%q: %v, want exit status %d\n%s%s", i.args, exit, i.code, &stdout, &stderr)
	}
	complaint := readComplaint(t, target, stderr.String())
	if got := stdout.String() + complaint; !strings.Contains(got, i.want) {
		t.Errorf("%q: %s, want %s in it", i.args, got, i.want)
	}
	if (complaint != "") != (i.code != inspectorDone) {
		t.Errorf("%q: exit status %d with the complaint %q", i.args, i.code, complaint)
	}
}

// readComplaint returns the error that the Inspector has written, and checks that the rest is
// output of the server.
func readComplaint(t *testing.T, target, stderr string) (complaint string) {
	t.Helper()
	var said strings.Builder
	for line := range strings.Lines(stderr) {
		var e struct {
			Error struct{ Code, Message string }
		}
		if json.Unmarshal([]byte(line), &e) == nil && e.Error.Message != "" {
			complaint = e.Error.Message
		} else {
			said.WriteString(line)
		}
	}
	if !strings.HasPrefix(target, "http://") {
		checkStderr(t, target, said.String())
	} else if said.Len() > 0 {
		t.Errorf("said %q", &said)
	}
	return complaint
}
