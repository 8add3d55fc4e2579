package interop

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// bundleConfig has members of every kind that the manifest of a bundle checks.
const bundleConfig = `{
	"version": "1.0.0", "description": "Greets.", "author": {"name": "Ada", "email": "ada@example.com", "url": "https://example.com"}, "icon": "icon.png",
	"license": "Apache-2.0", "repository": {"type": "git", "url": "https://example.com/hello.git"},
	"server": {"mcp_config": {"args": [], "env": {"NAME": "${user_config.name}"}, "platform_overrides": {"win32": {"env": {"TEMP": "${HOME}"}}}}},
	"user_config": {"name": {"type": "string", "title": "Name", "description": "Who greets", "default": "Ada", "sensitive": true}}}`

// TestBundle: the command of the project of bundles finds nothing wrong with a bundle, and unpacks
// it into a server that starts and answers.
func TestBundle(t *testing.T) {
	platform := runtime.GOOS
	if platform == "linux" {
		platform += "/" + runtime.GOARCH
	}
	if !slices.Contains([]string{"darwin", "windows", "linux/amd64", "linux/arm64"}, platform) {
		t.Skip("there are no bundles for this machine")
	}
	t.Parallel()
	node := node(t)
	mcpgen, err := mcpgenPath()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"bundle.json": bundleConfig, "icon.png": "\x89PNG\r\n\x1a\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, unpacked := filepath.Join(dir, "hello.mcpb"), filepath.Join(dir, "hello")
	run := func(path string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), path, args...) // compiling may take minutes
		cmd.Dir, cmd.Env = filepath.Join("..", "examples"), append(os.Environ(), "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run(mcpgen, "bundle", "-platform", platform, "-config", filepath.Join(dir, "bundle.json"), "-o", file, "./hello")
	command, err := filepath.Abs(filepath.Join(clients, "node_modules", "@anthropic-ai", "mcpb", "dist", "cli", "cli.js"))
	if err != nil {
		t.Fatal(err)
	}
	run(node, command, "unpack", file, unpacked)
	if out := run(node, command, "validate", unpacked); !strings.Contains(out, "validation passes") {
		t.Errorf("validated:\n%s", out)
	}

	text, err := os.ReadFile(filepath.Join(unpacked, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Server struct {
			Config struct {
				Command string
			} `json:"mcp_config"`
		}
		Tools []struct{ Name string }
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	path := filepath.FromSlash(strings.Replace(manifest.Server.Config.Command, "${__dirname}", filepath.ToSlash(unpacked), 1))
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	client, err := mcpclient.Connect(ctx, mcpclient.Command{Path: path}, mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	result, err := client.Call(ctx, manifest.Tools[0].Name, map[string]any{"name": "Ada"})
	if answer, _ := json.Marshal(result); err != nil || !strings.Contains(string(answer), "Hello, Ada!") {
		t.Errorf("%v, %s", err, answer)
	}
}
