package cli

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/internal/visible"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
)

// skillServer returns the URL of a server with a skill. onRead is called before each reply to
// resources/read.
func skillServer(t *testing.T, onRead func()) string {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop"}, mcp.WithLogger(quiet), mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, r *mcp.Request) (mcp.Reply, error) {
			if r.Method == "resources/read" {
				onRead()
			}
			return next(ctx, r)
		}
	}))
	s.Register(mcpskill.New(mcpskill.Info{URI: "skill://shop/refunds", Frontmatter: json.RawMessage(`{"name":"refunds","description":"Give \u001b[2Jmoney back"}`)}, fstest.MapFS{
		"SKILL.md": {Data: []byte("---\nname: refunds\ndescription: \"Give \\e[2Jmoney back\"\n---\nBody.\n")}, "a.md": {Data: []byte("a")},
	}))
	handler := mcphttp.NewHandler(s)
	site := httptest.NewServer(handler)
	t.Cleanup(site.Close)
	return site.URL + "/mcp"
}

// A skill is written after a typed yes, and after nothing else; no file is read before.
func TestSkillExportAsks(t *testing.T) {
	for typed, want := range map[string]bool{"\n": false, "n\n": false, "what\n": false, "y\n": true, "YES\n": true} {
		reads := 0
		url, dir := skillServer(t, func() { reads++ }), t.TempDir()
		code, stdout, stderr := runWith(t, typed, dir, t.TempDir(), "skill", "export", url, "skills")
		if !strings.Contains(stdout, "a.md  1 bytes") || strings.Contains(stdout+stderr, "\x1b") || !strings.Contains(stderr, "Write them? [y/N]") {
			t.Errorf("%q: %s\n%s", typed, stdout, stderr)
		}
		_, err := os.Stat(filepath.Join(dir, "skills", "refunds", "SKILL.md"))
		if (code == exitDone) != want || (err == nil) != want || (reads > 0) != want {
			t.Errorf("%q: code %d, %d files read, %v\n%s", typed, code, reads, err, stderr)
		}
		if entries, err := os.ReadDir(dir); err != nil || !want && len(entries) > 0 {
			t.Errorf("%q: %v, %v", typed, entries, err)
		}
	}
}

// An interrupt while files are read leaves nothing.
func TestSkillExportInterrupted(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HTTP_PROXY", "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	var out, err lockedBuffer
	c := &command{
		ctx: ctx, dir: dir, invoked: "mcpgen", in: strings.NewReader(""), out: visible.Writer(&out), err: visible.Writer(&err), data: &out, log: &err,
		progress: newProgress(io.Discard, false),
	}
	if code := c.run([]string{"skill", "export", "-yes", skillServer(t, cancel), "a/b"}); code != exitFound {
		t.Errorf("code %d: %s", code, err.String())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}
