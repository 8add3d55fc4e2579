package mcpskill_test

import (
	"context"
	"io/fs"
	"testing"
	"unsafe"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
)

// opened counts how often files are opened.
type opened struct {
	fs.FS
	count map[string]int
}

func (o opened) Open(name string) (fs.File, error) {
	f, err := o.FS.Open(name)
	if err == nil {
		if info, failed := f.Stat(); failed == nil && !info.IsDir() {
			o.count[name]++
		}
	}
	return f, err
}

// Each file is read once, at registration, also if it belongs to several skills; and results of
// reads share its bytes.
func TestFilesAreReadOnce(t *testing.T) {
	o := opened{files("a/SKILL.md", text("a"), "a/x.md", "x", "a/b/SKILL.md", text("b"), "a/b/y.bin", "\xff"), map[string]int{}}
	features := mcpskill.Tree(&mcpskill.TreeInfo{URI: "skill://acme/", Blocks: []mcpskill.Block{block("a", "a"), block("a/b", "b")}}, o)
	bytes := map[string]*byte{} // the first byte of each result
	c := connect(t, server(features, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			reply, err := next(ctx, req)
			if r, ok := reply.(*mcp.ResourceResult); ok {
				at := unsafe.StringData(r.Contents[0].Text)
				if blob := r.Contents[0].Blob; blob != nil {
					at = &blob[0]
				}
				if before := bytes[req.Name]; before != nil && before != at {
					t.Errorf("%s is copied for a read", req.Name)
				}
				bytes[req.Name] = at
			}
			return reply, err
		}
	})))
	for range 3 {
		list, _ := call(t, c, "skills/list", nil)
		for _, e := range list.Skills {
			verify(t, c, e.Resources)
		}
		walk(t, c, "skill://acme", map[string]bool{})
	}
	for name, n := range o.count {
		if n != 1 {
			t.Errorf("%s is opened %d times", name, n)
		}
	}
	if len(o.count) != 4 || len(bytes) != 4 {
		t.Errorf("opened %v, read %v", o.count, bytes)
	}
}
