package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package a

import (
	"container/list"
	"maps"
	"slices"
	"sync"
)

type table struct {
	mu      sync.Mutex
	byKey   map[string]*item
	counts  map[string]int
	order   list.List
	queue   []int
	waiting chan struct{}
	copied  map[string]int
	helped  map[string]int
	aliased []string
	fixed   map[string]int // no statement grows it
	read    []int
	inner   struct{ names set }
	nested  map[string]map[string]bool
	bag     bag[string]
	sorted  []int
}

type item struct{ parts []string }

type set map[string]struct{}

func (s set) add(k string) { s[k] = struct{}{} }

type bag[T any] struct{ all []T }

func (b *bag[T]) put(v T) { b.all = append(b.all, v) }

type message struct{ members []string } // lives as long as a call

func (m *message) add(s string) { m.members = append(m.members, s) }

var cache sync.Map

var open = struct{ by map[int]int }{by: map[int]int{}}

func put(m map[string]int, k string) { m[k] = 1 }

func (t *table) grow(k string) {
	t.byKey[k] = new(item)
	t.counts[k]++
	t.order.PushBack(k)
	t.queue = append(t.queue, 1)
	t.waiting <- struct{}{}
	maps.Copy(t.copied, t.fixed)
	put(t.helped, k)
	s := t.aliased
	s = append(s, k)
	t.aliased = s
	t.inner.names.add(k)
	if t.nested[k] == nil {
		t.nested[k] = map[string]bool{}
	}
	t.nested[k][k] = true
	t.bag.put(k)
	t.sorted = slices.Insert(t.sorted, 0, 1)
	i := t.byKey[k]
	i.parts = append(i.parts, k)
	cache.Store(k, 1)
	open.by[1] = 1
	t.read = []int{len(t.fixed)}
	local := append([]int(nil), t.read...)
	_ = local
	new(message).add(k)
}
`

// Each way to grow is found once, in types that outlive a call, and in no others.
func TestScan(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module " + strings.TrimSuffix(project, "/") + "\n\ngo 1.26\n", "a/a.go": source,
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(*testing.T) { t := new(table); t.fixed[\"\"] = 1 }\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	places, err := scan(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range places {
		names = append(names, strings.TrimPrefix(p.name, "a."))
		if !strings.HasPrefix(p.at, "a/a.go:") {
			t.Errorf("%s is at %s", p.name, p.at)
		}
	}
	want := []string{
		"bag.all", "cache", "item.parts", "open.by", "table.aliased", "table.byKey", "table.copied", "table.counts", "table.helped",
		"table.inner.names", "table.nested", "table.order", "table.queue", "table.sorted", "table.waiting",
	}
	if !slices.Equal(names, want) {
		t.Errorf("found %q, want %q", names, want)
	}
}

// Places without a line, lines without a place, and lines without content are reported.
func TestCompare(t *testing.T) {
	found := map[string]place{}
	for _, name := range []string{"a.new", "a.row", "a.wrongRow", "a.bound", "a.twice", "a.kind", "a.empty", "b/c.x", "b/d.y", "e.message"} {
		found[name] = place{name: name, at: "a.go:1"}
	}
	lines := []line{
		{1, "a.row", "row session"}, {2, "a.wrongRow", "row nothing"}, {3, "a.bound", "bound Limits.Calls"}, {4, "a.twice", "program"},
		{5, "a.twice", "program what it registers"}, {6, "a.kind", "small"}, {7, "a.empty", "bound "}, {8, "b.*", "program tests"},
		{9, "a.gone", "bound x"}, {10, "e.message", "message a decoder"}, {11, "f.*", "program tests"},
	}
	want := []string{"f:2:", "f:4:", "f:5:", "f:6:", "f:7:", "f:9:", "f:11:", "a.go:1: a.new"}
	got := compare("f", found, lines, "\n| session of HTTP | 1 |")
	if len(got) != len(want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for i, prefix := range want {
		if !strings.HasPrefix(got[i], prefix) {
			t.Errorf("%q, want %q", got[i], prefix)
		}
	}
}
