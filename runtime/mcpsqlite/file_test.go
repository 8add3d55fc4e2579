package mcpsqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpsqlite"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

func open(t *testing.T, path string) *mcpsqlite.Store {
	t.Helper()
	s, err := mcpsqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func record(id string) *mcptask.Record {
	return &mcptask.Record{
		Key: mcptask.Key{ID: id}, Server: "books", Tool: "stocktaking", Ready: true,
		Created: time.Now(), Expires: time.Now().Add(time.Hour), Sealed: []byte("sealed"),
	}
}

// Two processes share a file: each finds and claims the other's tasks.
func TestSharedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.db")
	a, b := open(t, path), open(t, path)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	claimed := make(chan *mcptask.Record, 1)
	go func() {
		r, err := b.Claim(ctx, mcptask.Claim{Owner: "b", Lease: time.Minute, Server: "books", Tools: []string{"stocktaking"}})
		if err != nil {
			t.Error(err)
		}
		claimed <- r
	}()
	r := record("a")
	if err := a.Create(ctx, r, mcptask.Quota{Total: 1}, 0); err != nil {
		t.Fatal(err)
	}
	if err := b.Create(ctx, record("b"), mcptask.Quota{Total: 1}, 0); err != mcptask.ErrTooMany {
		t.Errorf("one more: %v", err)
	}
	if got := <-claimed; got == nil || got.Attempt != 1 || got.Owner != "b" {
		t.Errorf("claimed: %+v", got)
	}
	if err := a.Update(ctx, r); err != mcptask.ErrConflict {
		t.Errorf("an old version: %v", err)
	}
	ka, _ := a.StateKeys(ctx)
	kb, _ := b.StateKeys(ctx)
	if len(ka) != 1 || len(ka[0]) != 32 || !bytes.Equal(ka[0], kb[0]) {
		t.Error("the keys differ")
	}
}

// Tasks and keys survive the process.
func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.db")
	s := open(t, path)
	if err := s.Create(t.Context(), record("a"), mcptask.Quota{}, 0); err != nil {
		t.Fatal(err)
	}
	before, _ := s.StateKeys(t.Context())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	if r, err := s.Get(t.Context(), mcptask.Key{ID: "a"}); err != nil || !r.Ready || string(r.Sealed) != "sealed" {
		t.Errorf("%+v, %v", r, err)
	}
	if after, _ := s.StateKeys(t.Context()); !bytes.Equal(before[0], after[0]) {
		t.Error("another key")
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, name := range []string{path, path + ".key"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// A file of a newer program, a broken key file, and a folder are refused.
func TestRefusedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.db")
	open(t, path).Close()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	if _, err := mcpsqlite.Open(path); err == nil || !strings.Contains(err.Error(), "version 99 of the schema") {
		t.Errorf("a newer file: %v", err)
	}
	if _, err := mcpsqlite.Open(t.TempDir()); err == nil {
		t.Error("a folder is opened")
	}
	other := filepath.Join(t.TempDir(), "tasks.db")
	if err := os.WriteFile(other+".key", []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := mcpsqlite.Open(other); err == nil || !strings.Contains(err.Error(), "has 5 bytes") {
		t.Errorf("a short key: %v", err)
	}
}

// The files of a stolen database contain no argument, answer or result of a task.
func TestStolen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.db")
	store := open(t, path)
	s := mcp.NewServer(mcp.ServerInfo{Name: "books", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)), mcptask.WithStore(store))
	s.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: "work"}, func(ctx context.Context, a json.RawMessage) (*mcp.ToolResult, error) {
		text, err := mcp.Once(ctx, "secret step", func() (string, error) { return "secret value", nil })
		return mcp.TextResult("secret result " + text + string(a)), err
	}), mcptask.Support{}))
	conn, wait := s.Connect(mcp.CallerContext(t.Context(), mcp.Principal{ID: "secret principal"}, nil))
	ask := func(method, params string) string {
		t.Helper()
		text := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}},` + params + `}}` + "\n"
		if err := conn.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		reply, err := conn.Read()
		if err != nil {
			t.Fatal(err)
		}
		return string(reply)
	}
	created := ask("tools/call", `"name":"work","arguments":{"a":"secret argument"}`)
	_, id, _ := strings.Cut(created, `"taskId":"`)
	id = id[:26]
	for !strings.Contains(ask("tasks/get", `"taskId":"`+id+`"`), "secret result secret value") {
		time.Sleep(20 * time.Millisecond)
	}
	for _, name := range []string{path, path + "-wal"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("secret")) {
			t.Errorf("%s has a secret", name)
		}
	}
	conn.Close()
	_ = wait()
	if err := mcptask.Shutdown(t.Context(), s); err != nil {
		t.Error(err)
	}
}
