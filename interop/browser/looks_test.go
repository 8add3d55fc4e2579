package browser

import (
	"bytes"
	_ "embed"
	"image"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed looks.js
var looksJS string

// views are the windows in which pages are shown.
var views = []look{{width: 1200, height: 1000}, {width: 1200, height: 1000, dark: true}, {width: 400, height: 900}, {width: 400, height: 900, dark: true}}

// texts returns a list of strings from an expression in the page.
func (p *tab) texts(expression string) (list []string) {
	p.t.Helper()
	p.eval(expression, &list)
	return list
}

// picture opens a picture of the README.
func picture(t *testing.T, d *devtools, name string, l look) *tab {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "docs", "start", "pictures", name))
	if err != nil {
		t.Fatal(err)
	}
	p := d.show("file://"+filepath.ToSlash(path), l)
	p.texts("[" + looksJS + "].map(String)")
	for _, text := range p.texts("faintInPicture()") {
		t.Errorf("%s: low contrast: %s", name, text)
	}
	for _, text := range p.texts("outside()") {
		t.Errorf("%s: a text leaves its place: %s", name, text)
	}
	p.is(`document.querySelector("title").textContent.length > 40`)
	p.is(`!document.querySelector("script,image,foreignObject,a")`)
	return p
}

// The picture of a tool contains the same texts in both themes, with different colours.
func TestPictureOfTool(t *testing.T) {
	d := control(t)
	var texts [2]string
	var corner [2]any
	for i, name := range []string{"tool-light", "tool-dark"} {
		p := picture(t, d, name+".svg", look{width: 960, height: 540, dark: i == 1})
		p.eval(`[...document.querySelectorAll("text")].map(e => e.textContent).join("\n")`, &texts[i])
		corner[i] = p.screenshot(name).At(100, 8)
	}
	if texts[0] != texts[1] || corner[0] == corner[1] {
		t.Errorf("the themes: corners %v; texts\n%s\n\n%s", corner, texts[0], texts[1])
	}
	for _, part := range []string{"//mcp:tool", "Search books", "read-only", `"title" or "year", required`, `{"title":"The Sea Lady","year":1902}`} {
		if !strings.Contains(texts[0], part) {
			t.Errorf("%q is not in the picture:\n%s", part, texts[0])
		}
	}
}

// The recording begins with a prompt, and ends with all answers. With reduced motion the end is
// visible at once.
func TestRecording(t *testing.T) {
	d := control(t)
	still := picture(t, d, "terminal.svg", look{width: 800, height: 800, still: true})
	still.is(`document.getAnimations().length === 0`)
	last := still.screenshot("terminal-still")
	moving := picture(t, d, "terminal.svg", look{width: 800, height: 800})
	moving.is(`document.getAnimations().length > 100`)
	at := func(name, time string) image.Image {
		moving.is(`document.getAnimations().every(a => { a.pause(); a.currentTime = ` + time + `; return true; })`)
		return moving.screenshot(name)
	}
	const shown = `[...document.querySelectorAll(".o,.c tspan")].filter(e => getComputedStyle(e).fillOpacity === "1").map(e => e.textContent.trim())`
	first := at("terminal-first", "600")
	if texts := strings.Join(moving.texts(shown), "|"); texts != "$" {
		t.Errorf("the first frame shows %q", texts)
	}
	end := at("terminal-last", "600000")
	texts := strings.Join(moving.texts(shown), "\n")
	for _, part := range []string{"wrote shop.go", `"year": 1870`, `did you mean "year"?`, "must be at most 255, got 500", "added shop to Cursor", "answers"} {
		if !strings.Contains(texts, part) {
			t.Errorf("%q is not in the last frame:\n%s", part, texts)
		}
	}
	if !bytes.Equal(pixelsOf(end), pixelsOf(last)) || bytes.Equal(pixelsOf(first), pixelsOf(last)) {
		t.Error("the end of the recording is not the picture for less motion")
	}
}

// fits checks rules for every page: no faint text, and no horizontal scrolling.
func (p *tab) fits(name string) {
	p.t.Helper()
	p.texts("[" + looksJS + "].map(String)")
	for _, text := range p.texts("faint()") {
		p.t.Errorf("%s: low contrast: %s", name, text)
	}
	var wide []string
	p.eval(`document.documentElement.scrollWidth > innerWidth ? [...document.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.outerHTML.slice(0, 80)) : []`, &wide)
	for _, element := range wide {
		p.t.Errorf("%s scrolls sideways: %s", name, element)
	}
}
