package mcptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// UpdateEnv is the environment variable that has [Contract] write its file: any
// value but "" and "0" does.
const UpdateEnv = "MCPTEST_UPDATE"

// Contract compares what the server publishes with a file, and fails the test with
// the difference: name, titles and instructions of the server, and its tools,
// resources, resource templates and prompts as a client of the newest revision
// gets them. The version of the server is left out, since it changes by itself.
//
// The file is written anew where the environment variable [UpdateEnv] says so, or
// the test program has a flag -update of its own that is set:
//
//	MCPTEST_UPDATE=1 go test -run TestContract
//
// It belongs into version control, where a change of the contract can be seen by
// whoever reviews it.
func Contract(t testing.TB, server *mcp.Server, file string) {
	t.Helper()
	got := contractOf(t, server)
	if updating() {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatalf("mcptest: write contract: %v", err)
		}
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatalf("mcptest: write contract: %v", err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("mcptest: there is no contract %s yet; write it with %s=1 go test", file, UpdateEnv)
	}
	if err != nil {
		t.Fatalf("mcptest: read contract: %v", err)
	}
	text := strings.ReplaceAll(string(want), "\r\n", "\n")
	if text != string(got) {
		t.Errorf("mcptest: the contract is not that of %s (- file, + server); if that is meant, %s=1 go test\n%s",
			file, UpdateEnv, lineDiff(text, string(got)))
	}
}

func updating() bool {
	if v := os.Getenv(UpdateEnv); v != "" && v != "0" {
		return true
	}
	f := flag.Lookup("update")
	if f == nil {
		return false
	}
	g, ok := f.Value.(flag.Getter)
	if !ok {
		return false
	}
	on, _ := g.Get().(bool)
	return on
}

// contractServer is the identity of a server in a contract.
type contractServer struct {
	Name         string `json:"name"`
	Title        string `json:"title,omitempty"`
	Description  string `json:"description,omitempty"`
	Instructions string `json:"instructions,omitempty"`
	Website      string `json:"websiteUrl,omitempty"`
	Icons        []Icon `json:"icons,omitempty"`
}

// contractOf returns the contract of a server. Features stand there byte for byte
// as they are listed, but for the blanks.
func contractOf(t testing.TB, server *mcp.Server) []byte {
	t.Helper()
	c := New(t, server, Options{})
	defer c.Close()
	about := c.Server()
	identity := about.Implementation
	contract := struct {
		Server    contractServer    `json:"server"`
		Tools     []json.RawMessage `json:"tools,omitempty"`
		Resources []json.RawMessage `json:"resources,omitempty"`
		Templates []json.RawMessage `json:"resourceTemplates,omitempty"`
		Prompts   []json.RawMessage `json:"prompts,omitempty"`
	}{Server: contractServer{
		Name: identity.Name, Title: identity.Title, Description: identity.Description,
		Instructions: about.Instructions, Website: identity.Website, Icons: identity.Icons,
	}}
	if about.Capabilities["tools"] != nil {
		contract.Tools = list[json.RawMessage](c, protocol.ToolsList, "tools")
	}
	if about.Capabilities["resources"] != nil {
		contract.Resources = list[json.RawMessage](c, protocol.ResourcesList, "resources")
		contract.Templates = list[json.RawMessage](c, protocol.ResourcesTemplatesList, "resourceTemplates")
	}
	if about.Capabilities["prompts"] != nil {
		contract.Prompts = list[json.RawMessage](c, protocol.PromptsList, "prompts")
	}
	text, err := marshal(contract)
	if err != nil {
		t.Fatalf("mcptest: write contract: %v", err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		t.Fatalf("mcptest: write contract: %v", err)
	}
	b.WriteByte('\n')
	return b.Bytes()
}
