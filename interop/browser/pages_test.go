package browser

import (
	"bufio"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// programs is the directory of built.
var programs string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "looks")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// built builds the command, and programs that serve over HTTP, once.
var built = sync.OnceValue(func() error {
	for module, paths := range map[string][]string{"../..": {"./cmd/mcpgen"}, "../../examples": {"./hello", "./bookstore/cmd/bookstore"}} {
		build := exec.Command("go", append([]string{"build", "-o", programs + string(filepath.Separator)}, paths...)...)
		build.Dir, build.Env = module, append(os.Environ(), "GOWORK=off")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", paths, err, out)
		}
	}
	return nil
})

// program returns the path of a program of built.
func program(t *testing.T, name string) string {
	t.Helper()
	if err := built(); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(programs, name)
}

// referencePage writes the page of mcpgen docs -html for a package, and returns its URL.
func referencePage(t *testing.T, dir, pattern string) string {
	t.Helper()
	page := filepath.Join(t.TempDir(), "page.html")
	docs := exec.Command(program(t, "mcpgen"), "docs", "-html", "-o", page, pattern)
	docs.Dir, docs.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := docs.CombinedOutput(); err != nil {
		t.Fatalf("mcpgen docs: %v\n%s", err, out)
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(page)}).String()
}

// visible returns the names of the features that a page shows.
const visible = `[...document.querySelectorAll("section.feature")].filter(e => e.checkVisibility()).map(e => e.querySelector("h4").textContent)`

// search types a text into the search, and returns the names of the features that remain visible.
func (p *tab) search(text string) []string {
	p.t.Helper()
	p.press("/", "/")
	p.is(`document.activeElement.id === "search"`)
	p.do("Input.insertText", map[string]any{"text": text}, nil)
	return p.texts(visible)
}

func TestReferencePage(t *testing.T) {
	d := control(t)
	page := referencePage(t, "../../examples", "./bookstore")
	for _, l := range views {
		p := d.show(page, l)
		p.fits("docs-" + l.String())
		p.screenshot("docs-" + l.String())
		const size = `parseFloat(getComputedStyle(document.querySelector("%s")).fontSize)`
		p.is(fmt.Sprintf(size+" > 1.3 * "+size, "#tool-search_books code", "main p"))
		p.is(fmt.Sprintf(`document.querySelector("nav details").open === %t`, l.width > 1000))
		p.is(`[...document.querySelectorAll("a[href^='#']")].every(a => document.getElementById(a.hash.slice(1)))`)
		p.is(`document.querySelector("main a[rel]").href === "https://github.com/mcpgen/mcpgen"`)
		// A tool lists its own errors.
		p.is(`document.getElementById("tool-get_book").closest("section").textContent.includes("ErrNotFound")`)
		p.is(`!document.getElementById("tool-get_book").closest("section").textContent.includes("ErrOutOfStock")`)
		p.eval(`document.getElementById("tool-search_books").scrollIntoView(), []`, &[]string{})
		p.screenshot("docs-tool-" + l.String())
	}
}

// The search works with the keyboard and without accents, and does not break links.
func TestReferenceSearch(t *testing.T) {
	d := control(t)
	p := d.show(referencePage(t, "../../examples", "./bookstore"), views[0])
	all := p.texts(visible)
	if got := p.search("RESERVÉ copies"); len(got) == 0 || len(got) == len(all) || !strings.Contains(strings.Join(got, " "), "reserve_copies") {
		t.Errorf("found %q of %d", got, len(all))
	}
	p.screenshot("docs-search")
	p.is(`document.getElementById("found").textContent === document.querySelectorAll("section.feature:not([hidden])").length + " of " + document.querySelectorAll("section.feature").length`)
	p.is(`[...document.querySelectorAll("nav li")].filter(e => e.checkVisibility()).length === document.querySelectorAll("section.feature:not([hidden])").length`)
	p.is(`[...document.querySelectorAll("main section, nav .part")].filter(e => e.checkVisibility()).every(e => e.matches(".feature") || e.querySelector(".feature:not([hidden]),li:not([hidden])"))`)
	p.press("Enter", "\r")
	p.is(`location.hash === "#tool-reserve_copies" && document.activeElement.hash === location.hash`)
	// A link to a hidden feature ends the search.
	p.eval(`new Promise(done => { addEventListener("hashchange", () => done([])); location.hash = "#prompt-discuss_book"; })`, &[]string{})
	if got := p.texts(visible); len(got) != len(all) {
		t.Errorf("%d of %d features are there after the link", len(got), len(all))
	}
	if got := p.search("nothing has such a word"); len(got) != 0 {
		t.Errorf("found %q", got)
	}
	p.press("Escape", "")
	if got := p.texts(visible); len(got) != len(all) {
		t.Errorf("%d of %d features are there after Escape", len(got), len(all))
	}
}

// Texts of authors are escaped, also in the search, and many tools are as usable as few.
func TestReferenceOfOthers(t *testing.T) {
	dir := t.TempDir()
	var source strings.Builder
	source.WriteString("//mcp:server title=\"</title><script>document.title = 1</script>\"\npackage many\n")
	for i := range 300 {
		fmt.Fprintf(&source, "\n// Tool%03d <script>window.ran = true</script><img src=x onerror=\"window.ran = true\"> ist für Größe %d.\n//\n//mcp:tool group=\"<b>%d\"\n"+
			"//mcp:arg a \"' onmouseover='window.ran = true\" default=\"</section>\"\nfunc Tool%03d(a string) string { return a }\n", i, i, i/100, i)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/many\n\ngo 1.26\n", "many.go": source.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := control(t)
	for _, l := range views[1:3] {
		p := d.show(referencePage(t, dir, "."), l)
		p.fits("many-" + l.String())
		p.screenshot("many-" + l.String())
		p.is(`document.querySelectorAll("section.feature").length === 300 && document.querySelectorAll("nav li").length === 300`)
		if got := p.search("grosse <script> größe 7"); len(got) != 0 {
			t.Errorf("found %q: ß is not ss", got)
		}
		p.press("Escape", "")
		if got := p.search("GRÖßE 299"); len(got) != 1 || got[0] != "tool299" {
			t.Errorf("found %q", got)
		}
		p.is(`window.ran === undefined && document.title.includes("<script>")`)
		p.is(`document.scripts.length === 1 && !document.querySelector("img,b,[onmouseover],[onerror]")`)
	}
}

// serve starts a program of built until the end of the test, and returns its endpoint.
func serve(t *testing.T, name string, flags ...string) string {
	t.Helper()
	serving := exec.Command(program(t, name), append([]string{"-http", "0"}, flags...)...)
	errors, err := serving.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serving.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serving.Process.Kill()
		_ = serving.Wait() // it was killed
	})
	line, err := bufio.NewReader(errors).ReadString('\n')
	_, endpoint, found := strings.Cut(strings.TrimSpace(line), " at ")
	if err != nil || !found {
		t.Fatalf("%q: %v", line, err)
	}
	return endpoint
}

// A person who opens the endpoint of a program, or its root, sees how to add it to a client.
func TestEndpointPage(t *testing.T) {
	d := control(t)
	endpoint := serve(t, "hello")
	for name, address := range map[string]string{"mcp": endpoint, "root": strings.TrimSuffix(endpoint, "mcp")} {
		for _, l := range views {
			p := d.show(address, l)
			p.fits(name + "-" + l.String())
			p.screenshot(name + "-" + l.String())
			p.is(fmt.Sprintf("document.body.innerText.includes(%q)", "claude mcp add --transport http hello "+endpoint))
			p.is(`[...document.querySelectorAll("li")].some(e => e.textContent === "greet")`)
			p.is(`!document.querySelector("script")`)
		}
	}
}
