package interop

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// sdkServer is a program in the directory servers, or in clients/servers, for tests of mcpgen's
// client.
type sdkServer struct {
	name   string
	script string // runs on Node.js; "" for a program in Go
	ways   []ourWay
}

// ourWay is a transport of a server, with the revisions that it supports.
type ourWay struct {
	name      string
	path      string // of the URL; "" means stdio
	newest    string // the negotiated revision
	revisions []string
	lacks     lack
}

// lack is a missing feature of a server. The tests check that it is missing.
type lack uint

const (
	cancelling     lack = 1 << iota // the handler of a cancelled request is not notified
	updates                         // resources/updated is not sent for a listen, or not as part of it
	lists                           // the same for list_changed
	asRevision                      // it asks in a way that the revision does not define
	inOrder                         // the order of notifications is undefined
	losingSessions                  // a session is not bound to the process: any id is accepted
	rootsRequest                    // roots/list is not sent
)

const (
	newest = "2026-07-28"
	legacy = "2025-11-25"
)

var (
	everyRevision = []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}
	onlyModern    = []string{"2026-07-28"}
)

// sdkServers are the servers with the same features.
var sdkServers = []sdkServer{
	{name: "mcpgen", ways: []ourWay{
		{"stdio", "", newest, everyRevision, 0},
		{"HTTP", "/mcp", newest, everyRevision, 0},
		{"HTTP with SSE", "/sse", legacy, everyRevision[:2], 0},
	}},
	{name: "gosdk", ways: []ourWay{
		{"stdio", "", newest, everyRevision, 0},
		{"HTTP", "/mcp", legacy, everyRevision, 0},
		{"stateless HTTP", "/stateless", newest, onlyModern, cancelling},
		{"HTTP with SSE", "/sse", legacy, everyRevision[:2], 0},
	}},
	{name: "mcpgo", ways: []ourWay{
		{"stdio", "", newest, everyRevision, updates | lists | asRevision | inOrder},
		{"HTTP", "/mcp", newest, everyRevision, updates | asRevision | inOrder | losingSessions},
		{"HTTP with SSE", "/sse", legacy, everyRevision[:2], rootsRequest | asRevision},
	}},
	{name: "typescript1", script: "sdk1.mjs", ways: []ourWay{
		{"stdio", "", legacy, everyRevision, 0},
		{"HTTP", "/mcp", legacy, everyRevision, 0},
		{"HTTP with SSE", "/sse", legacy, everyRevision[:2], 0},
	}},
	{name: "typescript2", script: "sdk2.mjs", ways: []ourWay{
		{"stdio", "", newest, everyRevision, 0},
		{"HTTP", "/mcp", newest, everyRevision, 0},
	}},
}

// command returns the program of a server.
func (s *sdkServer) command(t *testing.T) mcpclient.Command {
	t.Helper()
	c := mcpclient.Command{Path: servers + s.name, Env: []string{"LEDGER=" + filepath.Join(t.TempDir(), "ledger")}}
	if s.script != "" {
		c.Path, c.Args = node(t), []string{filepath.Join(clients, "servers", s.script)}
	} else if runtime.GOOS == "windows" {
		c.Path += ".exe"
	}
	return c
}

// listening is a running server that listens on an address.
type listening struct {
	address string // host and port
	stop    func() // ends the program immediately
}

// listen starts a program that serves over HTTP at a loopback address: 127.0.0.1:0 means any port.
// The program is killed at the end of the test.
func listen(t *testing.T, c mcpclient.Command, address string) listening {
	t.Helper()
	c.Args = append(slices.Clip(c.Args), "-http", address)
	return launch(t, c)
}

// launch starts a program that prints its address to standard error.
func launch(t *testing.T, c mcpclient.Command) listening {
	t.Helper()
	stderr := &addressed{address: make(chan string, 1)}
	program := exec.Command(c.Path, c.Args...)
	program.Env = append(os.Environ(), c.Env...)
	program.Stderr = stderr
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceFunc(func() {
		_ = program.Process.Kill()
		_ = program.Wait() // the error is that it was killed
	})
	t.Cleanup(stop)
	select {
	case address := <-stderr.address:
		return listening{address, stop}
	case <-time.After(deadline):
		t.Fatalf("%s does not say where it serves", program)
		panic("unreachable")
	}
}

// addressed extracts the address from the standard error of a program.
type addressed struct {
	text    []byte
	found   bool
	address chan string // has room for one address
}

var servesAt = regexp.MustCompile(`serves at http://(\S+)\n`)

func (a *addressed) Write(b []byte) (int, error) {
	if a.found {
		return len(b), nil
	}
	a.text = append(a.text, b...)
	if m := servesAt.FindSubmatch(a.text); m != nil {
		a.address <- string(m[1])
		a.text, a.found = nil, true
	}
	return len(b), nil
}

// TestOurClient tests mcpgen's client with third-party servers, and with mcpgen's.
func TestOurClient(t *testing.T) {
	for _, server := range sdkServers {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			command := server.command(t)
			var at listening
			for _, w := range server.ways {
				if w.path != "" && at.address == "" {
					at = listen(t, command, "127.0.0.1:0")
				}
				for _, revision := range w.revisions {
					t.Run(w.name+"/"+cmp.Or(revision, "newest"), func(t *testing.T) {
						target := mcpclient.Target(command)
						if w.path != "" {
							target = mcphttpclient.Endpoint{URL: "http://" + at.address + w.path}
						}
						useClient(t, target, revision, &w)
					})
				}
			}
		})
	}
}
