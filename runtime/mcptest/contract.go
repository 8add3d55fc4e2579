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
	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// UpdateEnv is the environment variable that makes [Contract] write its file, if it is neither ""
// nor "0".
const UpdateEnv = "MCPTEST_UPDATE"

// Contract compares what the server publishes with a file, and fails the test with the difference:
// name, titles and instructions of the server, and its tools, resources, resource templates,
// prompts and skills, as a client of the newest revision receives them. The server's version is
// omitted, since every release changes it.
//
// The failure classifies each change as breaking for clients, compatible or wording, like mcpgen
// diff, which reads these files; mcpgen -contract writes the same files for a single package. The
// order of features and the line breaks of the file do not matter.
//
// Contract rewrites the file if the environment variable [UpdateEnv] is set, or the test program
// defines a flag -update and it is set:
//
//	MCPTEST_UPDATE=1 go test -run TestContract
//
// Commit it to version control, so that reviewers see changes of the contract.
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

// changes returns the changes of a contract, one per line.
func changes(before, after *contract.Contract) string {
	d := contract.Compare(before, after)
	if len(d.Changes) == 0 {
		return "\tonly the form differs, such as the order of members: clients see no difference\n"
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

// contractOf returns the contract of a server.
func contractOf(t testing.TB, server *mcp.Server) *contract.Contract {
	t.Helper()
	c := New(t, server, Options{})
	defer c.Close()
	about := c.Server()
	text, err := marshal(about.ServerInfo)
	if err != nil {
		t.Fatalf("mcptest: write contract: %v", err)
	}
	all, err := contract.New(text)
	if err != nil {
		t.Fatalf("mcptest: write contract: %v", err)
	}
	skills := map[string]bool{} // by URI; resources/list contains their SKILL.md too
	for _, one := range skillsOf(c, about.Capabilities["extensions"]) {
		if err := all.Add(contract.Skill, one); err != nil {
			t.Fatalf("mcptest: write contract: %v", err)
		}
		skills[uriOf(one)] = true
	}
	add := func(capability string, kind contract.Kind, method protocol.Method, member string) {
		if about.Capabilities[capability] == nil {
			return
		}
		for _, listing := range listings(c, method.String(), member) {
			if kind == contract.Resource && skills[uriOf(listing)] {
				continue
			}
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
		if f.Kind == mcp.KindTool {
			all.Alias(f.Name, f.Aliases...)
			all.ArgumentAliases(f.Name, f.ArgumentAliases...)
		}
		all.Task(f.Name, f.Task)
	}
	return all
}

// skillsOf returns the entries of the skills of a server that declares the extension.
func skillsOf(c *Client, extensions json.RawMessage) []json.RawMessage {
	var declared map[string]json.RawMessage
	if extensions == nil || json.Unmarshal(extensions, &declared) != nil || declared[skill.Extension] == nil {
		return nil
	}
	return listings(c, "skills/list", "skills")
}

// uriOf returns the URI of an entry.
func uriOf(listing json.RawMessage) string {
	var entry struct {
		URI string `json:"uri"`
	}
	_ = json.Unmarshal(listing, &entry) // an entry without a URI is refused elsewhere
	return entry.URI
}

// listings returns the unmodified items on all pages of a list.
func listings(c *Client, method, member string) (all []json.RawMessage) {
	c.t.Helper()
	seen := map[string]bool{}
	params := map[string]any{}
	for {
		var page map[string]json.RawMessage
		c.must(method, params, &page)
		var items []json.RawMessage
		c.read(page[member], &items, "the result of "+method)
		all = append(all, items...)
		if page["nextCursor"] == nil {
			return all
		}
		var cursor string
		c.read(page["nextCursor"], &cursor, "the cursor of "+method)
		if seen[cursor] {
			c.t.Fatalf("mcptest: %s goes round in a circle: the cursor %q has come twice", method, cursor)
		}
		seen[cursor] = true
		params["cursor"] = cursor
	}
}
