package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Stale, missing and too large pictures are named, and only a run without -check writes.
func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pictures")
	drawn := map[string][]byte{"a.svg": []byte("one\ntwo\n"), "b.svg": []byte("b")}
	if err := store(dir, drawn, true); err == nil || !strings.Contains(err.Error(), "a.svg") || !strings.Contains(err.Error(), "b.svg") {
		t.Errorf("missing files: %v", err)
	}
	if err := errors.Join(store(dir, drawn, false), store(dir, drawn, true)); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"one\nthree\n": "a.svg is not what a new run draws (line 2 has\n\ttwo\nand now\n\tthree", "one\ntwo\n\n": "(it has 3 lines, and now 4)",
		strings.Repeat("x", maxPicture+1): "has 61441 bytes, at most 61440 are allowed",
	} {
		drawn["a.svg"] = []byte(text)
		if err := store(dir, drawn, true); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "b.svg") {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
	drawn["a.svg"] = make([]byte, maxPicture+1)
	if err := store(dir, drawn, false); err == nil {
		t.Error("a large picture was written")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a.svg")); err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("%.20q, %v", text, err)
	}
}

// The picture of a tool contains whole declarations, and arguments according to their types.
func TestShown(t *testing.T) {
	files := []txtar.File{{Name: "shop.go", Data: []byte("package shop\n\n// T is a type.\ntype T string\n\nconst (\n\tA T = \"a\"\n\tB T = \"b\"\n)\n\nvar x = 1\n\n// F is a function.\n//\n//mcp:tool\nfunc F(t T) {}\n")}}
	for names, want := range map[string]string{
		"F":     "// F is a function.\n//\n//mcp:tool\nfunc F(t T) {}",
		"T":     "// T is a type.\ntype T string\n\nconst (\n\tA T = \"a\"\n\tB T = \"b\"\n)",
		"G":     "error: does not declare all of G",
		"F G":   "error: does not declare all of F, G",
		"x B F": "error: does not declare all of x, B, F",
	} {
		got, err := declarations(files, strings.Fields(names))
		if err != nil {
			got = "error: " + strings.TrimPrefix(err.Error(), "shop.go ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", names, got, want)
		}
	}
	tool := &listing{Name: "f"}
	tool.InputSchema.Properties = []byte(`{"t":{"type":"string"},"n":{"type":"integer"}}`)
	for pairs, want := range map[string]string{
		"n=1 t=1": `{"n": 1, "t": "1"}`, `t="<`: `{"t": "\"<"}`, "x=1": "f has no argument x", "": "{}",
	} {
		got, err := tool.arguments(strings.Fields(pairs))
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", pairs, got, want)
		}
	}
	for text, want := range map[string]string{`[{"a": 1}, {"b" : [2, 3]}]`: "[\n  {\"a\":1},\n  {\"b\":[2,3]}\n]", "[]": "[]", "{}": "", "no": ""} {
		got, err := oneLineEach([]byte(text))
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

// An invalid tape is refused, with the line.
func TestTape(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "it has no title",
		"title a":                              "it has no command",
		"title a\n\n# b\nrun a":                "line 4: run: no such instruction",
		"title a\n$":                           "line 2: $: nothing behind it",
		"title a\ncolumns x":                   "line 2: columns: ",
		"title a\ncolumns 30":                  "a terminal has 40 to 120",
		"title a\npause 1":                     "line 2: pause: ",
		"title a\npause -1s":                   "a pause is at most 10s",
		"title a\npause 11s":                   "a pause is at most 10s",
		"title a\n! false\npause 1s\n-- f --":  "",
		"title a\n  $ true\n-- f --\nrun else": "",
	} {
		_, err := parseTape([]byte(text))
		if got := errorText(err); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// The screen equals a terminal's, and refuses unknown sequences.
func TestScreen(t *testing.T) {
	for text, want := range map[string]string{
		"a\r\nb\r\n": "a|b", "": "", "a": "a", "a\r\n\r\nb": "a||b", "a  \r\n": "a",
		"loading ...\r\x1b[Kdone\r\n": "done", "abc\rx\r\n": "xbc", "ab\x1b[Kc": "abc", "\x1b[1mab\x1b[0mc": "<a><b>c",
		"a\tb": "a       b", "12345678\tb": "12345678        b", strings.Repeat("x", 41): strings.Repeat("x", 40) + "|x",
		strings.Repeat("x", 40) + "\r\ny": strings.Repeat("x", 40) + "|y", "é…–": "é…–",
		"\x1b[31mred":             "error: control characters",
		"\x1b[2J":                 "error: control characters",
		"\a":                      "error: control characters",
		"\u0085":                  "error: control characters",
		"\xff":                    "error: UTF-8",
		"名":                       "error: width",
		strings.Repeat("a\n", 60): "error: more than 40 lines",
	} {
		lines, err := render(text, 40)
		var shown []string
		for _, l := range lines {
			var b strings.Builder
			for _, c := range l {
				if c.bold {
					b.WriteString("<" + string(c.char) + ">")
				} else {
					b.WriteRune(c.char)
				}
			}
			shown = append(shown, b.String())
		}
		got := strings.Join(shown, "|")
		if part, refused := strings.CutPrefix(want, "error: "); refused {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%.20q: %v, want an error with %q", text, err, part)
			}
		} else if err != nil || got != want {
			t.Errorf("%.20q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// A picture is XML with any texts, and the last frame contains every output.
func TestDrawnTexts(t *testing.T) {
	const hostile = `<script>"&'` + "\u00a0 ]]>  x"
	lines, err := render(hostile, 80)
	if err != nil {
		t.Fatal(err)
	}
	text := drawTerminal(&tape{title: hostile, columns: 80}, []frame{{step{command: hostile}, lines}})
	d := xml.NewDecoder(strings.NewReader(string(text)))
	var shown strings.Builder
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		switch token := token.(type) {
		case xml.CharData:
			shown.Write(token)
		case xml.StartElement:
			if token.Name.Local == "script" {
				t.Errorf("an element of a text:\n%s", text)
			}
		}
	}
	want := strings.ReplaceAll(hostile, "  ", "\u00a0\u00a0")
	if got := strings.Count(strings.ReplaceAll(shown.String(), "  ", "\u00a0\u00a0"), want); got != 3 {
		t.Errorf("the text is there %d times, want title, command and output:\n%s", got, text)
	}
}
