package clients

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// The locations of files on each system.
func TestFile(t *testing.T) {
	none := map[string]string{}
	for _, c := range []struct {
		os, client string
		scope      Scope
		env        map[string]string
		want       string
	}{
		{"linux", "claude-desktop", User, none, "HOME/.config/Claude/claude_desktop_config.json"},
		{"darwin", "claude-desktop", User, none, "HOME/Library/Application Support/Claude/claude_desktop_config.json"},
		{"windows", "claude-desktop", User, none, "HOME/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"windows", "claude-desktop", User, map[string]string{"APPDATA": "/roaming"}, "/roaming/Claude/claude_desktop_config.json"},
		{"linux", "vscode", User, map[string]string{"XDG_CONFIG_HOME": "/xdg"}, "/xdg/Code/User/mcp.json"},
		{"linux", "vscode", User, map[string]string{"XDG_CONFIG_HOME": "relative"}, "HOME/.config/Code/User/mcp.json"},
		{"darwin", "vscode", Project, none, "DIR/.vscode/mcp.json"},
		{"linux", "codex", User, map[string]string{"CODEX_HOME": "/codex"}, "/codex/config.toml"},
		{"windows", "codex", User, none, "HOME/.codex/config.toml"},
		{"linux", "codex", Project, map[string]string{"CODEX_HOME": "/codex"}, "DIR/.codex/config.toml"},
		{"linux", "claude-code", User, none, "HOME/.claude.json"},
		{"linux", "claude-code", Local, map[string]string{"CLAUDE_CONFIG_DIR": "/claude"}, "/claude/.claude.json"},
		{"linux", "claude-code", Project, none, "DIR/.mcp.json"},
		{"linux", "cursor", User, none, "HOME/.cursor/mcp.json"},
		{"linux", "gemini", User, none, "HOME/.gemini/settings.json"},
		{"linux", "windsurf", User, none, "HOME/.codeium/windsurf/mcp_config.json"},
	} {
		if filepath.Separator != '/' && strings.HasPrefix(c.env["XDG_CONFIG_HOME"], "/") {
			continue // an absolute path has another form
		}
		s := &System{OS: c.os, Home: "HOME", Dir: "DIR", Lookup: func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }}
		if got := filepath.ToSlash(s.File(Find(c.client), c.scope)); got != c.want {
			t.Errorf("%s on %s: %s, want %s", c.client, c.os, got, c.want)
		}
	}
}

// The forms of entries, and servers that a client does not support.
func TestEntry(t *testing.T) {
	program := &Server{Command: "/bin/p", Args: []string{"a"}, Env: []Variable{{Name: "K", Value: "v"}, {Name: "S", Refer: true}}}
	remote := &Server{URL: "https://h/mcp", Header: []Variable{{Name: "Authorization", Value: "Bearer ${T}"}, {Name: "X", Value: "1"}}}
	for client, want := range map[string][2]string{
		"claude-code":    {`{"type":"stdio","command":"/bin/p","args":["a"],"env":{"K":"v","S":"${S}"}}`, `{"type":"http","url":"https://h/mcp","headers":{"Authorization":"Bearer ${T}","X":"1"}}`},
		"claude-desktop": {"", ""},
		"codex":          {`{"command":"/bin/p","args":["a"],"env":{"K":"v"},"env_vars":["S"]}`, `{"url":"https://h/mcp","bearer_token_env_var":"T","http_headers":{"X":"1"}}`},
		"cursor":         {`{"command":"/bin/p","args":["a"],"env":{"K":"v","S":"${env:S}"}}`, `{"url":"https://h/mcp","headers":{"Authorization":"Bearer ${env:T}","X":"1"}}`},
		"gemini":         {`{"command":"/bin/p","args":["a"],"env":{"K":"v","S":"${S}"}}`, `{"httpUrl":"https://h/mcp","headers":{"Authorization":"Bearer ${T}","X":"1"}}`},
		"vscode":         {`{"type":"stdio","command":"/bin/p","args":["a"],"env":{"K":"v","S":"${env:S}"}}`, `{"type":"http","url":"https://h/mcp","headers":{"Authorization":"Bearer ${env:T}","X":"1"}}`},
		"windsurf":       {`{"command":"/bin/p","args":["a"],"env":{"K":"v","S":"${env:S}"}}`, `{"serverUrl":"https://h/mcp","headers":{"Authorization":"Bearer ${env:T}","X":"1"}}`},
	} {
		for i, s := range []*Server{program, remote} {
			entry, err := Find(client).Entry(s)
			if _, ok := errors.AsType[*EntryError](err); ok != (want[i] == "") {
				t.Errorf("%s: %v", client, err)
			}
			if err == nil && entry.JSON(false) != want[i] {
				t.Errorf("%s: %s, want %s", client, entry.JSON(false), want[i])
			}
		}
	}
	half := &Server{URL: "https://h/mcp", Header: []Variable{{Name: "X", Value: "a${T}b"}}}
	if _, err := Find("codex").Entry(half); err == nil {
		t.Error("Codex has a variable in the middle of a header field")
	}
	if got := Find("cursor").Expand("a${env:A}b${env:B}${env:", func(name string) (string, bool) { return "<" + name + ">", true }); got != "a<A>b<B>${env:" {
		t.Errorf("expanded: %s", got)
	}
}
