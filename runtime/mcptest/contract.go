package mcptest

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/contract"
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
// The failure says of each change whether it is breaking for clients, compatible
// or a matter of wording, as mcpgen diff does, which reads these files; they are
// those that mcpgen -contract writes for a single package. Features may stand in
// another order in the file, and it may be broken into lines in another way.
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
	published := contractOf(t, server)
	got := published.Marshal()
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
	before, err := contract.Read(want)
	if err != nil {
		t.Fatalf("mcptest: read contract %s: %v; write it anew with %s=1 go test", file, err, UpdateEnv)
	}
	if text := string(before.Marshal()); text != string(got) {
		t.Errorf("mcptest: the contract is not that of %s; if that is meant, %s=1 go test\n%s\n- file, + server\n%s",
			file, UpdateEnv, changes(before, published), lineDiff(text, string(got)))
	}
}

// changes are the changes of a contract, a line each.
func changes(before, after *contract.Contract) string {
	d := contract.Compare(before, after)
	if len(d.Changes) == 0 {
		return "\tonly spelling differs, such as the order of members: no client can tell\n"
	}
	var b strings.Builder
	for i := range d.Changes {
		fmt.Fprintf(&b, "\t%s (%v)\n", &d.Changes[i], d.Changes[i].Class)
	}
	return b.String()
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

// contractOf returns the contract of a server.
func contractOf(t testing.TB, server *mcp.Server) *contract.Contract {
	t.Helper()
	c := New(t, server, Options{})
	defer c.Close()
	about := c.Server()
	identity := about.Implementation
	text, err := marshal(contractServer{
		Name: identity.Name, Title: identity.Title, Description: identity.Description,
		Instructions: about.Instructions, Website: identity.Website, Icons: identity.Icons,
	})
	if err != nil {
		t.Fatalf("mcptest: write contract: %v", err)
	}
	all, err := contract.New(text)
	if err != nil {
		t.Fatalf("mcptest: write contract: %v", err)
	}
	add := func(capability string, kind contract.Kind, method protocol.Method, member string) {
		if about.Capabilities[capability] == nil {
			return
		}
		for _, listing := range list[json.RawMessage](c, method, member) {
			if err := all.Add(kind, listing); err != nil {
				t.Fatalf("mcptest: write contract: %v", err)
			}
		}
	}
	add("tools", contract.Tool, protocol.ToolsList, "tools")
	add("resources", contract.Resource, protocol.ResourcesList, "resources")
	add("resources", contract.Template, protocol.ResourcesTemplatesList, "resourceTemplates")
	add("prompts", contract.Prompt, protocol.PromptsList, "prompts")
	for _, f := range server.Features() {
		if f.Kind == mcp.KindTool && len(f.Aliases) > 0 {
			all.Alias(f.Name, f.Aliases...)
		}
	}
	return all
}
