//go:build cost

package mcpskill_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
)

// The largest tree, 512 files of 16 MiB together, takes at most 100 ms of CPU time at the start,
// and a list of it 1 ms afterwards.
func TestLargestTree(t *testing.T) {
	fsys := fstest.MapFS{"big/SKILL.md": {Data: []byte(text("big"))}}
	rest := 16<<20 - len(text("big"))
	for i := range 511 {
		size := rest / (511 - i)
		rest -= size
		fsys[fmt.Sprintf("big/references/part-%d/file-%d.md", i%7, i)] = &fstest.MapFile{Data: bytes.Repeat([]byte{'x'}, size)}
	}
	info := &mcpskill.TreeInfo{URI: "skill://acme/", Blocks: []mcpskill.Block{block("big", "big")}}
	start, list := time.Hour, time.Hour // the minimum of several
	for range 5 {
		before := testbed.CPUTime()
		s := server(mcpskill.Tree(info, fsys))
		start = min(start, testbed.CPUTime()-before)
		list = min(list, listTime(t, s))
	}
	t.Logf("start %v, list %v", start, list)
	if start > 100*time.Millisecond {
		t.Errorf("the start took %v of CPU time", start)
	}
	if list > time.Millisecond {
		t.Errorf("a list took %v of CPU time", list)
	}
}

// listTime returns the CPU time of one list, beside the reader of its reply.
func listTime(t *testing.T, s *mcp.Server) time.Duration {
	t.Helper()
	const n = 50
	client, end := jsonrpc.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), end) }()
	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n")
	before := testbed.CPUTime()
	for range n {
		if err := client.Write(request); err != nil {
			t.Fatal(err)
		}
		if reply, err := client.Read(); err != nil || !bytes.Contains(reply, []byte(`"skills":[{`)) {
			t.Fatalf("%v: %.300s", err, reply)
		}
	}
	took := (testbed.CPUTime() - before) / n
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	<-served
	return took
}
