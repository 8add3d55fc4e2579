package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	install "github.com/mcpgen/mcpgen/internal/clients"
	"github.com/mcpgen/mcpgen/internal/clients/clientfiles"
)

// edited is a file before and after an entry was installed.
type edited struct {
	name, holds   string
	before, after string
	entry         install.Fields
}

// editedFiles installs an entry into every editable file, for each client and scope.
func editedFiles(t *testing.T, isTOML bool) (all []edited) {
	t.Helper()
	servers := []*install.Server{
		{Command: `C:\Program Files\notes.exe`, Args: []string{"-db", "a \"b\"", "\u00e4\x7f\u2028"}, Env: []install.Variable{{Name: "A", Value: "b\n"}}},
		{URL: "https://example.com/mcp", Header: []install.Variable{{Name: "X-A", Value: "1"}}},
	}
	for _, c := range install.All {
		if c.TOML != isTOML {
			continue
		}
		texts, container := clientfiles.JSON, "mcpServers"
		if isTOML {
			texts, container = clientfiles.TOML, "mcp_servers"
		}
		for _, scope := range c.Scopes() {
			if c.Own != nil && scope != install.Project {
				continue
			}
			for i, server := range servers {
				entry, err := c.Entry(server)
				if err != nil {
					continue // Claude Desktop does not support URLs in its file
				}
				for name, text := range texts {
					if i > 0 && name == "large" {
						continue
					}
					text = strings.ReplaceAll(text, container, c.Holds)
					all = append(all, edited{
						name: c.Name + "/" + string(scope) + "/" + name, holds: c.Holds, before: text, entry: entry,
						after: installedText(t, &install.Target{Client: c, Scope: scope, Name: "n.x"}, text, entry),
					})
				}
			}
		}
	}
	return all
}

// installedText returns a file's content after the installation.
func installedText(t *testing.T, target *install.Target, text string, entry install.Fields) string {
	t.Helper()
	dir := t.TempDir()
	s := &install.System{
		OS: runtime.GOOS, Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "work"),
		Lookup: func(string) (string, bool) { return "", false }, Record: filepath.Join(dir, "installed.json"),
	}
	path := s.File(target.Client, target.Scope)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Install(t.Context(), target, entry, install.Change{}); err != nil {
		t.Fatal(target.Client.Name, err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(after)
}

// check compares the results of another parser: the entry exists, and everything else is unchanged.
func (e *edited) check(t *testing.T, before, after map[string]any) {
	t.Helper()
	holds, _ := after[e.holds].(map[string]any)
	var want map[string]any
	if err := json.Unmarshal([]byte(e.entry.JSON(false)), &want); err != nil {
		t.Fatal(err)
	}
	if got := holds["n.x"]; !reflect.DeepEqual(got, want) {
		t.Errorf("%s: entry %v, want %v", e.name, got, want)
	}
	delete(holds, "n.x")
	if _, had := before[e.holds]; !had && len(holds) == 0 {
		delete(after, e.holds)
	}
	// Compared as text, since a NaN of TOML is not equal to itself.
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%s: %.300v, was %.300v", e.name, after, before)
	}
}

// The parser of VS Code reads the edited JSON files, and finds everything else unchanged.
func TestClientFilesJSON(t *testing.T) {
	path := node(t)
	parser := realClient(t, "jsonc-parser")
	all := editedFiles(t, false)
	var texts []string
	for i := range all {
		texts = append(texts, all[i].before, all[i].after)
	}
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "parse.mjs")
	cmd.Dir, cmd.Stdin, cmd.Stderr = parser, bytes.NewReader(input), os.Stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var results []struct {
		Value  map[string]any
		Errors []string
	}
	if err := json.Unmarshal(output, &results); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		before, after := results[2*i], results[2*i+1]
		// For that parser, a file without any value was an error before.
		if len(after.Errors) > 0 || len(before.Errors) > 0 && before.Value != nil {
			t.Errorf("%s: %v, before %v\n%s", all[i].name, after.Errors, before.Errors, all[i].after)
			continue
		}
		all[i].check(t, before.Value, after.Value)
	}
	t.Logf("%d files", len(all))
}

// Another TOML parser reads the edited files, and finds everything else unchanged.
func TestClientFilesTOML(t *testing.T) {
	all := editedFiles(t, true)
	for i := range all {
		e := &all[i]
		var before, after map[string]any
		// The library does not support a byte order mark.
		if _, err := toml.Decode(strings.TrimPrefix(e.before, "\ufeff"), &before); err != nil {
			t.Errorf("%s: before: %v", e.name, err)
		}
		if _, err := toml.Decode(strings.TrimPrefix(e.after, "\ufeff"), &after); err != nil {
			t.Errorf("%s: %v\n%s", e.name, err, e.after)
		}
		e.check(t, before, maps.Clone(after))
	}
	t.Logf("%d files", len(all))
}
