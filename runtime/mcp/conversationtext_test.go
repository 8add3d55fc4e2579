package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/conversation"
)

// allCapabilities replaces the word "all" in an open line.
const allCapabilities = "elicitation.form elicitation.url sampling.tools sampling.context roots.listChanged"

// initializeMessage returns the initialize request of an open line: a revision, then capabilities
// such as "roots" or "elicitation.form", and "name=" or "title=" of the client.
func initializeMessage(words string) string {
	revision, rest, _ := strings.Cut(words, " ")
	client, capabilities := map[string]string{"name": "c", "version": "1"}, map[string]map[string]any{}
	for _, word := range strings.Fields(strings.ReplaceAll(" "+rest+" ", " all ", " "+allCapabilities+" ")) {
		if key, value, ok := strings.Cut(word, "="); ok {
			client[key] = value
			continue
		}
		name, part, ok := strings.Cut(word, ".")
		if capabilities[name] == nil {
			capabilities[name] = map[string]any{}
		}
		switch {
		case word == "roots.listChanged":
			capabilities[name][part] = true
		case ok:
			capabilities[name][part] = struct{}{}
		}
	}
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "open", "method": "initialize", "params": map[string]any{
		"protocolVersion": revision, "capabilities": capabilities, "clientInfo": client,
	}})
	if err != nil {
		panic(err)
	}
	return string(message)
}

// handshakes are the expected replies to open lines. They depend on the server and the revision
// only, so that one file contains them for all conversations.
type handshakes struct {
	archive *txtar.Archive
	changed bool
}

const handshakesFile = "../../testdata/handshakes.txtar"

func readHandshakes(t *testing.T) *handshakes {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.FromSlash(handshakesFile))
	if err != nil {
		t.Fatal(err)
	}
	return &handshakes{archive: archive}
}

// check compares the reply to an open line with the expected one. It returns the lines that are
// missing or unexpected, in the form of a conversation.
func (h *handshakes) check(section, words string, received []string) (rest []string) {
	kind, _, ok := strings.Cut(section, ":")
	if !ok {
		kind = "fixture"
	}
	revision, _, _ := strings.Cut(words, " ")
	name := kind + " " + revision
	if len(received) == 0 {
		return []string{"no reply to initialize"}
	}
	got := conversation.Format("<", received[0]) + "\n"
	for i := range h.archive.Files {
		f := &h.archive.Files[i]
		switch {
		case f.Name != name:
		case string(f.Data) == got:
			return received[1:]
		case *update:
			f.Data, h.changed = []byte(got), true
			return received[1:]
		default:
			return append([]string{fmt.Sprintf("%s (%s has %s)", received[0], handshakesFile, f.Data)}, received[1:]...)
		}
	}
	if *update {
		h.archive.Files = append(h.archive.Files, txtar.File{Name: name, Data: []byte(got)})
		h.changed = true
		return received[1:]
	}
	return append([]string{fmt.Sprintf("%s (%s has no section %q)", received[0], handshakesFile, name)}, received[1:]...)
}

func (h *handshakes) save(t *testing.T) {
	t.Helper()
	if h.changed {
		if err := os.WriteFile(filepath.FromSlash(handshakesFile), txtar.Format(h.archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
