package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// keyTarget is a target that is never connected to.
type keyTarget string

func (k keyTarget) Name() string { return string(k) }
func (k keyTarget) Key() string  { return "key of " + string(k) }
func (k keyTarget) Dial(context.Context, dial.Options) (dial.Conn, error) {
	panic("not connected to")
}
func (k keyTarget) AuthorizationContext() (context string, ok bool) { return "", false }

// plainTarget does not declare whose credentials it sends.
type plainTarget struct{ Target }

// authorizedTarget has credentials.
type authorizedTarget struct {
	keyTarget
	context string
	ok      bool
}

func (a authorizedTarget) AuthorizationContext() (string, bool) { return a.context, a.ok }

var discoverText = json.RawMessage(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)

// eachEraStore runs a test with each store.
func eachEraStore(t *testing.T, f func(t *testing.T, store EraStore)) {
	t.Run("process", func(t *testing.T) { f(t, newMemoryEras()) })
	t.Run("file", func(t *testing.T) { f(t, FileEras(filepath.Join(t.TempDir(), "new", "folder", "eras.json"))) })
}

func TestEras(t *testing.T) {
	eachEraStore(t, func(t *testing.T, store EraStore) {
		synctest.Test(t, func(t *testing.T) {
			old, modern := targetEra{store, keyTarget("old")}, targetEra{store, keyTarget("modern")}
			expect := func(e targetEra, version string, discover json.RawMessage) {
				t.Helper()
				r, d := e.get()
				got := ""
				if r != nil {
					got = r.Version
				}
				if got != version || string(d) != string(discover) {
					t.Errorf("%s: %q %s, want %q %s", e.target.Name(), got, d, version, discover)
				}
			}
			expect(old, "", nil)
			old.put(protocol.Latest, nil)
			modern.put(modernRevision, discoverText)
			expect(old, "2025-11-25", nil)
			expect(modern, "2026-07-28", discoverText)
			time.Sleep(24*time.Hour - time.Nanosecond)
			expect(old, "2025-11-25", nil)
			time.Sleep(time.Nanosecond)
			expect(old, "", nil)
			time.Sleep(1000 * time.Hour)
			expect(modern, "2026-07-28", discoverText)
			modern.drop()
			modern.drop()
			expect(modern, "", nil)
			old.put(protocol.Latest, nil)
			expect(old, "2025-11-25", nil)
		})
	})
}

// An Era that another program has written is used only if it is valid.
func TestErasOfOthers(t *testing.T) {
	now := time.Now()
	for name, e := range map[string]Era{
		"unknown revision":  {Revision: "2099-01-01", At: now, Discover: discoverText},
		"no revision":       {At: now},
		"from the future":   {Revision: "2025-11-25", At: now.Add(25 * time.Hour)},
		"without a time":    {Revision: "2025-11-25"},
		"without discover":  {Revision: "2026-07-28", At: now},
		"too long discover": {Revision: "2026-07-28", At: now, Discover: []byte(`"` + strings.Repeat("x", maxDiscover) + `"`)},
	} {
		eachEraStore(t, func(t *testing.T, store EraStore) {
			era := targetEra{store, keyTarget("server")}
			key, _ := era.key()
			store.Put(key, e)
			if r, _ := era.get(); r != nil {
				t.Errorf("%s: used as %s", name, r.Version)
			}
		})
	}
}

// The key depends on the server and on the credentials that it gets.
func TestEraKeys(t *testing.T) {
	keys := map[string]string{}
	for name, target := range map[string]Target{
		"plain":                       keyTarget("server"),
		"another":                     keyTarget("other"),
		"credentials":                 authorizedTarget{"server", "ann", true},
		"other credentials":           authorizedTarget{"server", "bob", true},
		"credentials of that name":    authorizedTarget{"server", "none", true},
		"credentials called unknown":  authorizedTarget{"server", "unknown", true},
		"credentials, other server":   authorizedTarget{"other", "ann", true},
		"an Authorizer without name":  authorizedTarget{"server", "", true},
		"no name, other server":       authorizedTarget{"other", "", true},
		"in memory":                   InMemory(mcp.NewServer(mcp.ServerInfo{Name: "test"})),
		"program":                     Command{Path: "server"},
		"program with everything":     Command{Path: "server", InheritEnv: true},
		"program of Prepare, no name": Command{Path: "other", Prepare: func(*exec.Cmd) {}},
		"dialer, no name":             Dialer("server", nil),
	} {
		key, named := targetEra{processEras, target}.key()
		if named == (name == "in memory" || strings.Contains(name, "without name") || strings.Contains(name, "no name") || strings.Contains(name, "everything")) {
			t.Errorf("%s: its context is known: %v", name, named)
		}
		if before, dup := keys[key]; dup || (key == "") != (name == "in memory") {
			t.Errorf("%s and %s have one key", name, before)
		}
		keys[key] = name
	}
	none, _ := targetEra{processEras, authorizedTarget{"server", "", false}}.key()
	if keys[none] != "plain" {
		t.Error("a target without an Authorizer has another key than one that cannot have any")
	}
	if unknown, named := (targetEra{processEras, plainTarget{keyTarget("server")}}).key(); named || keys[unknown] != "an Authorizer without name" {
		t.Error("a target that does not say whose credentials it sends is taken for one without any")
	}
	newServer := func() *mcp.Server { return mcp.NewServer(mcp.ServerInfo{Name: "test"}) }
	first, second := InMemory(newServer()), InMemory(newServer())
	if first.Key() == second.Key() {
		t.Error("two servers in memory have one key")
	}
	// An Era that is not stored leaves no trace, and does not harm others.
	store := newMemoryEras()
	era := targetEra{store, InMemory(mcp.NewServer(mcp.ServerInfo{Name: "test"}))}
	era.put(protocol.Latest, nil)
	if r, _ := era.get(); r != nil || len(store.kept.items) > 0 {
		t.Error("a server in memory is kept")
	}
	era.drop()
	// With unknown credentials, no reply of the server is stored.
	for _, target := range []Target{authorizedTarget{"server", "", true}, plainTarget{keyTarget("server")}, Dialer("server", nil), Command{InheritEnv: true}} {
		era := targetEra{store, target}
		era.put(modernRevision, discoverText)
		if len(store.kept.items) > 0 {
			t.Errorf("the result of server/discover is kept for %T", target)
		}
		era.put(protocol.Latest, discoverText)
		key, _ := era.key()
		if r, discover := era.get(); r != protocol.Latest || discover != nil || store.kept.items[key] == nil {
			t.Errorf("the revision is not kept for %T", target)
		}
		store.Put(key, Era{Revision: "2026-07-28", Discover: discoverText, At: time.Now()}) // by another program
		if r, discover := era.get(); r != nil || discover != nil {
			t.Errorf("%T gets what another program has kept", target)
		}
		era.drop()
	}
	era = targetEra{store, keyTarget("server")}
	era.put(modernRevision, make([]byte, maxDiscover+1))
	if len(store.kept.items) > 0 {
		t.Error("a long result of server/discover is kept")
	}
}

func TestErasAreBounded(t *testing.T) {
	for _, size := range []int{0, maxDiscover - 2} {
		discover := []byte(`"` + strings.Repeat("x", size) + `"`)
		memory := newMemoryEras()
		servers := map[string]fileEra{}
		path := filepath.Join(t.TempDir(), "eras.json")
		file := &fileEras{path: path}
		at, puts := time.Now(), maxEras+100
		if size > 0 {
			puts = 200 // 64 of these reach the limit of bytes
		}
		for i := range puts {
			e := Era{Revision: "2026-07-28", Discover: discover, At: at.Add(time.Duration(i) * time.Second)}
			memory.Put(fmt.Sprint(i), e)
			servers[fmt.Sprint(i)] = fileEra(e)
		}
		if n := len(memory.kept.items); n > maxEras || n*len(discover) > maxEraBytes || n < 60 {
			t.Errorf("%d eras with %d bytes each in memory", n, len(discover))
		}
		file.write(servers)
		info, err := os.Stat(path)
		if err != nil || info.Size() > maxEraBytes {
			t.Fatal(info.Size(), err)
		}
		if n := len(file.read()); n > maxEras || n < 60 {
			t.Errorf("%d eras with %d bytes each in the file", n, len(discover))
		}
		for _, store := range []EraStore{memory, file} {
			_, newest := store.Get(fmt.Sprint(puts - 1))
			_, oldest := store.Get("0")
			if !newest || oldest {
				t.Errorf("%T: the newest is kept: %v, the oldest: %v", store, newest, oldest)
			}
		}
	}
}

// A file with other content is ignored, and the next Put replaces it.
func TestEraFileIsReplaced(t *testing.T) {
	const key = "k"
	era := Era{Revision: "2025-11-25", At: time.Now()}
	for name, content := range map[string]string{
		"empty":          "",
		"cut off":        `{"format":"mcpgen eras 1","servers":{"k":{"revision":"2025-11-25","at":"2026-01-01T00:00:00Z"`,
		"not JSON":       "\x00\x01",
		"other JSON":     `{"servers":{"k":{"revision":"2025-11-25","at":"2026-01-01T00:00:00Z"}}}`,
		"another format": `{"format":"mcpgen eras 2","servers":{"k":{"revision":"2025-11-25","at":"2026-01-01T00:00:00Z"}}}`,
		"no time":        `{"format":"mcpgen eras 1","servers":{"k":{"revision":"2025-11-25","at":"yesterday"}}}`,
		"an array":       `[]`,
		"null":           `null`,
		"no servers":     `{"format":"mcpgen eras 1","servers":null}`,
		"too long":       `{"format":"mcpgen eras 1","servers":{"k":{"revision":"2025-11-25","at":"2026-01-01T00:00:00Z"}}}` + strings.Repeat(" ", maxEraBytes),
	} {
		path := filepath.Join(t.TempDir(), "eras.json")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		store := FileEras(path)
		if e, ok := store.Get(key); ok {
			t.Errorf("%s: %+v", name, e)
		}
		store.Put(key, era)
		if e, ok := FileEras(path).Get(key); !ok || e.Revision != era.Revision || !e.At.Equal(era.At) {
			t.Errorf("%s was not replaced: %+v", name, e)
		}
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
}

// TestEraFileIsLogged: the log contains a broken file once, and a missing file never.
func TestEraFileIsLogged(t *testing.T) {
	var out strings.Builder
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	path := filepath.Join(t.TempDir(), "eras.json")
	store := FileEras(path)
	store.Get("k")
	if out.Len() > 0 {
		t.Errorf("for a file that is missing: %s", &out)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	store.Get("k")
	store.Get("k")
	store.Put("k", Era{Revision: "2025-11-25", At: time.Now()})
	if text := out.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "eras.json") {
		t.Errorf("for a broken file: %s", text)
	}
	if _, ok := store.Get("k"); !ok {
		t.Error("the file was not replaced")
	}
}

// An unusable path costs a probe, and nothing else.
func TestEraFileErrors(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, filepath.Join(folder, "file", "eras.json"), "", "\x00"} {
		if path == "" {
			t.Chdir(filepath.Join(folder))
		}
		store := FileEras(path)
		store.Put("k", Era{Revision: "2025-11-25", At: time.Now()})
		store.Drop("k")
		if _, ok := store.Get("k"); ok {
			t.Errorf("%q keeps eras", path)
		}
	}
	left, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
}

// Clients of one store do not damage the file. One of two simultaneous writes may be lost.
func TestEraFileTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eras.json")
	var group sync.WaitGroup
	for i := range 8 {
		store := FileEras(path)
		group.Go(func() {
			for n := range 20 {
				key := fmt.Sprint(i, "-", n)
				store.Put(key, Era{Revision: "2026-07-28", Discover: discoverText, At: time.Now()})
				if e, ok := store.Get(key); ok && string(e.Discover) != string(discoverText) {
					t.Errorf("%+v", e)
				}
				if n%4 == 0 {
					store.Drop(key)
				}
			}
		})
	}
	group.Wait()
	if n := len((&fileEras{path: path}).read()); n == 0 {
		t.Error("nothing is left in the file")
	}
	left, _ := filepath.Glob(path + "*")
	if len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
}

// No key of a server remains after the server is gone.
func TestMemoryKeys(t *testing.T) {
	count := func() (n int) {
		memoryKeys.Range(func(_, _ any) bool { n++; return true })
		return n
	}
	before := count()
	for range 1000 {
		InMemory(mcp.NewServer(mcp.ServerInfo{Name: "test"}))
	}
	for i := 0; count() > before+500; i++ {
		if i == 100 {
			t.Fatalf("%d keys, %d before", count(), before)
		}
		runtime.GC()
	}
}
