package mcpskill_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

var quiet = mcp.WithLogger(slog.New(slog.DiscardHandler))

// text is the SKILL.md of a skill with that name.
func text(name string) string {
	return "---\nname: " + name + "\ndescription: Does " + name + ".\n---\n# " + name + "\n"
}

// front is its frontmatter.
func front(name string) json.RawMessage {
	return json.RawMessage(`{"name":"` + name + `","description":"Does ` + name + `."}`)
}

// files makes a file system of pairs of a path and a content.
func files(pairs ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return m
}

// refunds is a skill with files in directories.
func refunds() mcp.Feature {
	return mcpskill.New(mcpskill.Info{URI: "skill://acme/refunds", Frontmatter: front("refunds")}, files(
		"SKILL.md", text("refunds"), "notes.md", "# Notes\n", "templates/mail.md", "Dear X\n",
		"templates/de/mail.md", "Hallo\n", "data/table.bin", "\x00\x01\xff", "scripts/run me.py", "print(1)\n",
	))
}

// block is the block of a SKILL.md, as the generator writes it.
func block(path, name string) mcpskill.Block {
	b, _ := skill.Block([]byte(text(name)))
	return mcpskill.Block{Path: path, Frontmatter: string(front(name)), Hash: skill.Hash(b)}
}

// server returns a server with features.
func server(features []mcp.Feature, options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "test", Version: "1"}, append([]mcp.Option{quiet}, options...)...)
	for _, f := range features {
		s.Register(f)
	}
	return s
}

type resource struct {
	URI, Name, Description, MIMEType, Digest string
	Size                                     int
}

type entry struct {
	URI         string
	Frontmatter json.RawMessage
	Resources   json.RawMessage
}

type result struct {
	ResultType, NextCursor, CacheScope string

	TTL       *int `json:"ttlMs"`
	Skills    []entry
	Skill     entry
	Resources []resource
}

// call sends a request and returns its result, or the code of its error.
func call(t testing.TB, c *mcptest.Client, method string, params any) (r result, code int) {
	t.Helper()
	raw, err := c.Request(method, params)
	if err != nil {
		e, ok := errors.AsType[*jsonrpc.Error](err)
		if !ok {
			t.Fatal(err)
		}
		return r, e.Code
	}
	checkShape(t, method, raw)
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return r, 0
}

// connect returns a client of the newest revision.
func connect(t testing.TB, s *mcp.Server) *mcptest.Client {
	return mcptest.New(t, s, mcptest.Options{})
}
