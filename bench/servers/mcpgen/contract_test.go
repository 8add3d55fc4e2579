package mcpgen

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/mcpgen/mcpgen/bench/contract"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

var update = flag.Bool("update", false, "write the contract anew")

// TestContract compares the contract of this server with the contract of the other servers.
func TestContract(t *testing.T) {
	conn, wait := NewMCPServer(mcp.WithLimits(mcp.Limits{PageSize: 100})).Connect(t.Context())
	defer wait()
	defer conn.Close()
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	} {
		if err := conn.Write([]byte(message + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.Read(); err != nil {
		t.Fatal(err)
	}
	answer, err := conn.Read()
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Result struct {
			Tools json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("../../contract/tools.json", list.Result.Tools, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(list.Result.Tools) != contract.Text {
		t.Error("contract/tools.json is stale: run this test with -update")
	}
	if n := len(contract.Tools()); n != 50 {
		t.Errorf("there are %d tools, want 50", n)
	}
}
