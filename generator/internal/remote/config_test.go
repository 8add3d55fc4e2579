package remote

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, ".mcp.json"), `{"mcpServers":{
		"program":{"command":"${BIN}/x","args":["-n","${N:-3}","$${BIN}"],"env":{"B":"2","A":"${BIN}"}},
		"remote":{"type":"http","url":"https://${HOST:-example.com}/mcp","headers":{"X-Key":"${KEY}"}},
		"shadowed":{"command":"far"},"wrong":{"url":"ftp://x"},"number":7}}`)
	write(filepath.Join(below, "mcp.json"), `{"mcpServers":{"shadowed":{"command":"near"}},"other":1}`)
	variables := map[string]string{"BIN": "/bin", "KEY": "k", "N": ""}
	lookup := func(name string) (string, bool) {
		v, ok := variables[name]
		return v, ok
	}
	e, err := Find(below, "program", lookup)
	if err != nil || !slices.Equal(e.Command, []string{"/bin/x", "-n", "3", "$/bin"}) || !slices.Equal(e.Env, []string{"A=/bin", "B=2"}) {
		t.Errorf("program: %+v, %v", e, err)
	}
	e, err = Find(below, "remote", lookup)
	if err != nil || e.URL != "https://example.com/mcp" || e.Header.Get("X-Key") != "k" {
		t.Errorf("remote: %+v, %v", e, err)
	}
	if e, err = Find(below, "shadowed", lookup); err != nil || e.Command[0] != "near" {
		t.Errorf("shadowed: %+v, %v", e, err)
	}
	delete(variables, "KEY")
	for name, want := range map[string]string{
		"remote": "the variable KEY, which is not set", "wrong": "not one of a server: ftp://x", "number": "is not valid",
		"programm": "there is no server @programm",
	} {
		if _, err := Find(below, name, lookup); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	write(filepath.Join(below, "mcp.json"), `{`)
	if _, err := Find(below, "program", lookup); err == nil || !strings.Contains(err.Error(), "mcp.json") {
		t.Errorf("broken file: %v", err)
	}
}

func TestIsServer(t *testing.T) {
	for operand, want := range map[string]bool{
		"http://x": true, "HTTPS://x/mcp": true, "ws://x": true, "wss://x": true, "tcp://x:1": true, "unix:///x": true, "@x": true,
		".": false, "./http": false, "example.com/http": false, "ftp://x": false, "http:/x": false, "httpx://y": false, "": false,
	} {
		if got := IsServer(operand); got != want {
			t.Errorf("%q: %v", operand, got)
		}
	}
}
