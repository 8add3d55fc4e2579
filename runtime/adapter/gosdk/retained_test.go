//go:build !race

package gosdk

import (
	"bufio"
	"context"
	encoding "encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// retained is data that a client can make a server with a mount retain.
type retained struct {
	kind   string
	each   int    // maximum bytes of one
	client string // limit of one client
	all    string // limit of all clients
	number int    // number of clients or items in the test
	fill   func(k *keeper) error
}

// kept is the table in docs/write/adapters.md. The bytes include data that the SDK retains itself.
var kept = []retained{
	{"session with a call", 16 << 10, "the SDK", "the SDK", 60, func(k *keeper) error {
		return k.open().call("echo", "1")
	}},
	{"its subscriptions, by short URIs", 256 << 10, "`Subscriptions`, `SubscriptionBytes`", "`Memory`", 3, func(k *keeper) error {
		return k.open().subscribe(1024, 24)
	}},
	{"its subscriptions, by long URIs", 768 << 10, "`Subscriptions`, `SubscriptionBytes`", "`Memory`", 6, func(k *keeper) error {
		return k.open().subscribe(64, 4000)
	}},
	{"`subscriptions/listen`, by short URIs", 640 << 10, "`ListensPerClient`", "`Listens`, `Memory`", 6, func(k *keeper) error {
		return k.connect().listen(1024, 24)
	}},
	{"`subscriptions/listen`, by long URIs", 2 << 20, "`ListensPerClient`", "`Listens`, `Memory`", 6, func(k *keeper) error {
		return k.connect().listen(64, 4000)
	}},
	{"call that runs, with a message of 50 KB", 384 << 10, "`CallsPerClient`", "`Calls`, `Memory`", 40, func(k *keeper) error {
		c := k.connect()
		c.send("tools/call", `"name":"stay","arguments":{"a":"`+strings.Repeat("a", 50_000)+`"},`+modernMeta)
		select {
		case <-k.called:
			return nil
		case err := <-c.failed():
			return err
		}
	}},
}

// keeper is a server with clients that retain almost nothing themselves.
type keeper struct {
	t      *testing.T
	server *sdk.Server
	called chan struct{}
}

func newKeeper(t *testing.T, memory int) *keeper {
	k := &keeper{t: t, server: newServer(), called: make(chan struct{})}
	stay := tool("stay", func(ctx context.Context, _ encoding.RawMessage) (string, error) {
		k.called <- struct{}{}
		<-ctx.Done()
		return "", ctx.Err()
	})
	unmount, err := Mount(k.server, registering(append(everything(), echo("echo"), stay)...), mcp.WithLogger(slog.New(slog.DiscardHandler)),
		mcp.WithLimits(mcp.Limits{Memory: memory}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unmount)
	return k
}

// thin is a client that reads line by line and retains nothing.
type thin struct {
	t   *testing.T
	w   io.Writer
	r   *bufio.Reader
	ids int
}

func (k *keeper) connect() *thin {
	in, w := io.Pipe()
	r, out := io.Pipe()
	session, err := k.server.Connect(context.Background(), &sdk.IOTransport{Reader: in, Writer: out}, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() {
		_ = w.Close()
		_ = r.Close()
		_ = session.Wait()
	})
	return &thin{t: k.t, w: w, r: bufio.NewReaderSize(r, 512)}
}

// open opens a session in a revision with sessions.
func (k *keeper) open() *thin {
	c := k.connect()
	if err := c.ask("initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"thin","version":"1"}`); err != nil {
		k.t.Fatal(err)
	}
	if _, err := io.WriteString(c.w, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		k.t.Fatal(err)
	}
	return c
}

func (c *thin) send(method, params string) {
	c.ids++
	if _, err := fmt.Fprintf(c.w, `{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s}}`+"\n", c.ids, method, params); err != nil {
		c.t.Fatal(err)
	}
}

// ask sends a request, and returns the error in the next message, of which it reads only the
// beginning.
func (c *thin) ask(method, params string) error {
	c.send(method, params)
	return c.next()
}

func (c *thin) next() error {
	line, more, err := c.r.ReadLine()
	text := string(line)
	for more && err == nil {
		_, more, err = c.r.ReadLine()
	}
	if err == nil && (strings.Contains(text, `"error":{`) || strings.Contains(text, `"isError":true`)) {
		err = fmt.Errorf("%.200s", text)
	}
	return err
}

// failed returns the channel of the next error.
func (c *thin) failed() <-chan error {
	failed := make(chan error, 1)
	go func() { failed <- c.next() }()
	return failed
}

func (c *thin) call(tool, argument string) error {
	return c.ask("tools/call", `"name":"`+tool+`","arguments":{"a":`+argument+`}`)
}

// uri returns a URI of the template x:///by/{id}.
func uri(i, size int) string { return fmt.Sprintf("x:///by/%0*d", size-len("x:///by/"), i) }

func (c *thin) subscribe(number, size int) error {
	for i := range number {
		if err := c.ask("resources/subscribe", `"uri":"`+uri(i, size)+`"`); err != nil {
			if i > 0 && strings.Contains(err.Error(), "too many subscriptions") {
				return nil // limited by bytes
			}
			return err
		}
	}
	return nil
}

func (c *thin) listen(number, size int) error {
	uris := make([]string, number)
	for i := range uris {
		uris[i] = uri(i, size)
	}
	text, err := encoding.Marshal(uris)
	if err != nil {
		return err
	}
	return c.ask("subscriptions/listen", `"notifications":{"resourceSubscriptions":`+string(text)+`},`+modernMeta)
}

// keptHeap returns the heap bytes that survive a collection and are not in a pool.
func keptHeap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestRetained makes a server with a mount retain as many items of each kind as clients can cause,
// with the maximum sizes, and measures the bytes of each. docs/write/adapters.md contains the
// table.
func TestRetained(t *testing.T) {
	page, err := os.ReadFile("../../../docs/write/adapters.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range kept {
		t.Run(r.kind, func(t *testing.T) {
			if row := fmt.Sprintf("\n| %s | %d KiB | %s | %s |\n", r.kind, r.each>>10, r.client, r.all); !strings.Contains(string(page), row) {
				t.Errorf("docs/write/adapters.md has no row%s", row)
			}
			k := newKeeper(t, 0)
			fill := func() {
				t.Helper()
				if err := r.fill(k); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // pools and tables
				fill()
			}
			before := keptHeap()
			for range r.number {
				fill()
			}
			each := (keptHeap() - before) / int64(r.number)
			if each > int64(r.each) || 8*each < int64(r.each) {
				t.Errorf("each takes %d bytes, and %d are documented", each, r.each)
			}
			t.Logf("%d bytes each", each)
		})
	}
}

// TestRetainedInMemory makes a mount with little memory retain everything that it accepts from all
// clients, and checks that both libraries together retain at most six times that memory: the SDK
// has no limit of its own.
func TestRetainedInMemory(t *testing.T) {
	const memory = 2 << 20
	for _, r := range kept {
		if !strings.Contains(r.all, "`Memory`") {
			continue
		}
		t.Run(r.kind, func(t *testing.T) {
			k := newKeeper(t, memory)
			before := keptHeap()
			number := 0
			for ; number < 1000; number++ {
				if err := r.fill(k); err != nil {
					t.Logf("refused: %.120s", err)
					break
				}
			}
			grown := keptHeap() - before
			t.Logf("%d are kept, %d KiB are live", number, grown>>10)
			if number == 1000 {
				t.Error("none is refused")
			}
			if grown > 6*memory {
				t.Errorf("%d are kept, and %d KiB are live", number, grown>>10)
			}
		})
	}
}
