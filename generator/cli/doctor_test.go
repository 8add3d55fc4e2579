package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

func TestClean(t *testing.T) {
	d := newDiscreet("https://example.com/mcp?key=hunter2hunter2")
	d.homes, d.names = []string{"/srv/people/ada", "/home/ada"}, []string{"ada", "ben"}
	d.addProxies("https://ada:pw@go.example/s3cret/,https://mirror.example|direct,off")
	for text, want := range map[string]string{
		"Get \"https://ada:xxxxx@go.example/s3cret/golang.org/x/@v/list\": 403": "Get \"[GOPROXY]/golang.org/x/@v/list\": 403",
		"https://mirror.example/golang.org/x/@v/list: 403":                      "[GOPROXY]/golang.org/x/@v/list: 403",
		"":                                      "",
		"/home/ada":                             "~",
		"/home/ada/shop.go:1:2: x":              "~/shop.go:1:2: x",
		"GOPATH=/home/ada/go, \"/home/ada/x\"":  "GOPATH=~/go, \"~/x\"",
		"in /home/ada.":                         "in ~.",
		"/home/ada-2/x /home/adam /home/ada.go": "/home/ada-2/x /home/adam /home/ada.go",
		"/mnt/home/ada/x":                       "/mnt/home/USER/x",
		"file:///home/ada/x":                    "file:///home/USER/x",
		"/srv/people/ada/ada/ben/x":             "~/USER/USER/x",
		"/srv/ada, /srv/ben: denied":            "/srv/USER, /srv/USER: denied",
		"ada is a word":                         "ada is a word",
		"github.com/ada/shop":                   "github.com/USER/shop",
		"Get \"https://ada:pw@proxy.example/x/@v/list\": refused": "Get \"https://proxy.example/x/@v/list\": refused",
		"http://127.0.0.1:1/mcp?token=abc refused":                "http://127.0.0.1:1/mcp?... refused",
		"http://127.0.0.1:1/mcp#token=abc":                        "http://127.0.0.1:1/mcp?...",
		"the key hunter2hunter2 is wrong":                         "the key [credential] is wrong",
	} {
		if got := d.clean(text); got != want {
			t.Errorf("of %q it leaves %q, want %q", text, got, want)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USER", "grace")
	known := newDiscreet("")
	if got := known.clean(filepath.Join(home, "x") + " /srv/grace/x"); got != "~/x /srv/USER/x" {
		t.Errorf("of the user's own it leaves %q", got)
	}
}

func TestOlder(t *testing.T) {
	ordered := []string{"v0.0.0-20260101000000-aaaaaaaaaaaa", "v0.0.0-20261128000000-000000000000", "v0.9.9", "v0.10.0", "v1.0.0-rc.1", "v1.0.0", "v1.0.1-0.20261128000000-aaaaaaaaaaaa", "v1.0.1", "v2.0.0"}
	for i, a := range ordered {
		for j, b := range ordered {
			if older(a, b) != (i < j) {
				t.Errorf("older(%s, %s) = %t", a, b, older(a, b))
			}
		}
	}
}

// testDoctor returns a doctor for this command as version v1.2.0.
func testDoctor(t *testing.T, dir, url string) *doctor {
	t.Helper()
	c := &command{ctx: t.Context(), dir: dir, invoked: "mcpgen", out: io.Discard, err: io.Discard, progress: newProgress(new(bytes.Buffer), false)}
	t.Cleanup(c.removeTemporary)
	return &doctor{c: c, dir: dir, own: "v1.2.0", url: url, discreet: newDiscreet(url)}
}

func TestDoctorModule(t *testing.T) {
	goEnvironment(t) // skips without a go command
	const require = "\n\nrequire github.com/mcpgen/mcpgen "
	for mod, want := range map[string]finding{
		require + "v1.2.0":  {OK: true, Text: "example.com/shop, with go 1.26.0 and mcpgen v1.2.0"},
		require + "v1.1.9":  {Text: "example.com/shop, with go 1.26.0 and mcpgen v1.1.9", Hint: "go.mod is older than this mcpgen: go get github.com/mcpgen/mcpgen@v1.2.0, and generate again"},
		require + "v1.10.0": {Text: "example.com/shop, with go 1.26.0 and mcpgen v1.10.0", Hint: "this mcpgen is older than go.mod: use go tool mcpgen, or go install github.com/mcpgen/mcpgen/cmd/mcpgen@v1.10.0"},
		require + "v1.1.0\n\nreplace github.com/mcpgen/mcpgen => example.com/fork v1.3.0": {Text: "example.com/shop, with go 1.26.0 and mcpgen replaced by example.com/fork v1.3.0", Hint: "this mcpgen is older than go.mod: use go tool mcpgen, or go install github.com/mcpgen/mcpgen/cmd/mcpgen@v1.3.0"},
		require + "v1.1.0\n\nreplace github.com/mcpgen/mcpgen => ../mcpgen":               {OK: true, Text: "example.com/shop, with go 1.26.0 and mcpgen replaced by ../mcpgen"},
		"": {Text: "example.com/shop, with go 1.26.0, does not require mcpgen", Hint: "go get -tool github.com/mcpgen/mcpgen/cmd/mcpgen"},
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/shop\n\ngo 1.26.0"+mod+"\n")
		got := *testDoctor(t, dir, "").module(t.Context())[0]
		if got.OK != want.OK || got.Text != want.Text || got.Hint != want.Hint {
			t.Errorf("%q:\n%+v, want\n%+v", mod, got, want)
		}
	}
}

func TestDoctorWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/shop\n")
	d := testDoctor(t, dir, "")
	d.pattern = "./..."
	all, ok := d.look()
	said := map[string]string{}
	for _, f := range all {
		said[f.Part] = f.Text
	}
	if ok || said["go"] != "there is no go command in PATH" || said["module"] == "" || said["check"] == "" || said["clients"] == "" {
		t.Errorf("it says %q", said)
	}
}

func TestDoctorEndpoint(t *testing.T) {
	plain := httptest.NewServer(mcphttp.NewHandler(mcp.NewServer(mcp.ServerInfo{Name: "shop"})))
	defer plain.Close()
	guarded := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer guarded.Close()
	missing := httptest.NewServer(http.NotFoundHandler())
	defer missing.Close()
	for _, test := range []struct {
		url, want string
		ok        bool
	}{
		{plain.URL + "/mcp", plain.URL + "/mcp answers in revision 2026-07-28, with 0 tools", true},
		{guarded.URL + "/mcp", guarded.URL + "/mcp answers, and requires credentials", true},
		{missing.URL + "/other", "404", false},
	} {
		if f := testDoctor(t, t.TempDir(), test.url).endpoint(t.Context())[0]; f.OK != test.ok || !strings.Contains(f.Text, test.want) {
			t.Errorf("%s: %+v, want %q", test.url, f, test.want)
		}
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
