package clients

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/internal/clients/clientfiles"
)

var entry = Fields{
	{"type", "stdio"},
	{"command", `C:\Program Files\go.exe`},
	{"args", []string{"-C", "/home/ä \"x\"", "tool", "<mcpgen>"}},
	{"env", Fields{{"KEY", "a=b\n\x7f\u2028"}, {"dotted.key", ""}}},
	{"on", true},
}

// changed is the same entry with another value.
var changed = Fields{{"command", "other"}}

// forms are the formats that the tests below use.
var forms = []struct {
	format
	container     string
	texts, broken map[string]string
}{
	{jsonFormat{}, "mcpServers", clientfiles.JSON, clientfiles.BrokenJSON},
	{tomlFormat{}, "mcp_servers", clientfiles.TOML, clientfiles.BrokenTOML},
}

// Adding an entry and removing it restores the same bytes, adding it twice is the same as once, and
// replacing an entry changes nothing else.
func TestThereAndBack(t *testing.T) {
	for _, f := range forms {
		if len(f.texts) < 25 {
			t.Errorf("%T: %d texts", f.format, len(f.texts))
		}
		for name, text := range f.texts {
			if name == "large" { // covered by TestInstall
				continue
			}
			if err := thereAndBack(f.format, f.container, []byte(text)); err != nil {
				t.Errorf("%T, %s: %v", f.format, name, err)
			}
		}
	}
}

func thereAndBack(f format, container string, text []byte) error {
	before, err := f.emptiness(text, container)
	if err != nil {
		return err
	}
	one, err := f.set(text, container, "n", entry)
	if err != nil {
		return err
	}
	if n := lost(text, one); n > 0 {
		return fmt.Errorf("%d bytes are lost in\n%.500s", n, one)
	}
	two, err := f.set(one, container, "n", entry)
	if err != nil || !bytes.Equal(one, two) {
		return fmt.Errorf("twice: %w\n%.500q\n%.500q", err, one, two)
	}
	other, err := f.set(one, container, "n", changed)
	if err != nil {
		return fmt.Errorf("replace: %w", err)
	}
	if back, err := f.set(other, container, "n", entry); err != nil || !bytes.Equal(one, back) {
		return fmt.Errorf("replaced twice: %w\n%.500q\n%.500q", err, one, back)
	}
	for _, changed := range [][]byte{one, other} {
		back, err := f.remove(changed, container, "n", before)
		if err != nil || !bytes.Equal(back, text) {
			return fmt.Errorf("removed: %w\n%.500q\n%.500q\n%.500q", err, text, changed, back)
		}
		if _, err := f.remove(back, container, "n", before); !errors.Is(err, errMissing) {
			return fmt.Errorf("removed twice: %w", err)
		}
	}
	// Two entries, removed in both orders.
	both, err := f.set(one, container, "m", changed)
	if err != nil {
		return fmt.Errorf("a second entry: %w", err)
	}
	for _, names := range [][2]string{{"n", "m"}, {"m", "n"}} {
		back := both
		for _, name := range names {
			if back, err = f.remove(back, container, name, before); err != nil {
				return fmt.Errorf("remove %s of two: %w", name, err)
			}
		}
		if !bytes.Equal(back, text) {
			return fmt.Errorf("two removed, %v:\n%.500q\n%.500q", names, text, back)
		}
	}
	// The first text may contain an entry at any position.
	list, err := f.entries(both, container)
	if err != nil {
		return err
	}
	for i, e := range list {
		if i > 20 {
			break // removing each of many takes long
		}
		if e.Name == "n" && !equal(e.value, plain(entry)) {
			return fmt.Errorf("entry %v, want %v", e.value, plain(entry))
		}
		left, err := f.remove(both, container, e.Name, Before{})
		if serr := (*SyntaxError)(nil); errors.As(err, &serr) {
			continue // an entry form that cannot be changed
		}
		if err != nil {
			return fmt.Errorf("remove %q: %w", e.Name, err)
		}
		rest, err := f.entries(left, container)
		if err != nil || len(rest) != len(list)-1 {
			return fmt.Errorf("remove %q: %d of %d are left, %w", e.Name, len(rest), len(list), err)
		}
	}
	return nil
}

// lost counts the bytes of a text, other than white space, that another text does not contain in
// the same order.
func lost(text, in []byte) int {
	n := 0
	for _, c := range text {
		if isSpace(c) {
			continue
		}
		if i := bytes.IndexByte(in, c); i >= 0 {
			in = in[i+1:]
		} else {
			n++
		}
	}
	return n
}

// A file that cannot be parsed, or whose entry has another form, causes an error with its position.
func TestBroken(t *testing.T) {
	for _, f := range forms {
		for name, text := range f.broken {
			got, err := f.set([]byte(text), f.container, "n", entry)
			if wrong, ok := errors.AsType[*SyntaxError](err); !ok || wrong.Line < 1 || wrong.Column < 1 {
				t.Errorf("%T, %s: %q, %v", f.format, name, got, err)
			}
			if _, err := f.remove([]byte(text), f.container, "n", Before{}); err == nil {
				t.Errorf("%T, %s: removed", f.format, name)
			}
		}
	}
}

// Written entries look like hand-written ones.
func TestText(t *testing.T) {
	for _, c := range []struct {
		format
		container, text, want string
	}{
		{jsonFormat{}, "mcpServers", "", "{\n  \"mcpServers\": {\n    \"n\": {\n      \"command\": \"other\"\n    }\n  }\n}\n"},
		{jsonFormat{}, "mcpServers", "{\n\t\"a\": 1 // one\n}", "{\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"n\": {\n\t\t\t\"command\": \"other\"\n\t\t}\n\t}\n}"},
		{jsonFormat{}, "mcpServers", `{"mcpServers":{"x":{}},"z":1}`, `{"mcpServers":{"x":{},"n":{"command":"other"}},"z":1}`},
		{jsonFormat{}, "mcpServers", "{\r\n  \"mcpServers\": {\r\n    \"x\": {},\r\n  }\r\n}", "{\r\n  \"mcpServers\": {\r\n    \"x\": {},\r\n    \"n\": {\r\n      \"command\": \"other\"\r\n    },\r\n  }\r\n}"},
		{tomlFormat{}, "mcp_servers", "a = 1\n", "a = 1\n\n[mcp_servers.n]\ncommand = \"other\"\n"},
	} {
		got, err := c.set([]byte(c.text), c.container, "n", changed)
		if err != nil || string(got) != c.want {
			t.Errorf("%q: %v\n%s\nwant\n%s", c.text, err, got, c.want)
		}
	}
}

// No text loses a byte, and a parsable text remains parsable.
func FuzzJSON(f *testing.F) { fuzz(f, 0) }

func FuzzTOML(f *testing.F) { fuzz(f, 1) }

func fuzz(f *testing.F, form int) {
	c := forms[form]
	for _, texts := range []map[string]string{c.texts, c.broken} {
		for _, text := range texts {
			if len(text) < 10_000 {
				f.Add(text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := c.entries([]byte(text), c.container)
		if err != nil {
			return
		}
		for _, e := range list {
			if e.Name == "n" || e.Name == "m" {
				return
			}
		}
		err = thereAndBack(c.format, c.container, []byte(text))
		if serr := (*SyntaxError)(nil); errors.As(err, &serr) || errors.Is(err, errDamage) {
			return // refused, so nothing is lost
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// An entry of several tables is removed with the line ends that belong to it, also from a text
// whose last line has none.
func TestRemoveTables(t *testing.T) {
	for text, want := range map[string]string{
		"[m.n]\nx = 1\n[m.n.env]\ny = 2":                     "",
		"a = 1\n[m.n]\nx = 1\n[m.n.env]\ny = 2":              "a = 1",
		"a = 1\r\n\r\n[m.n]\r\nx = 1\r\n[m.n.env]\r\ny = 2":  "a = 1",
		"a = 1\n\n[m.n]\nx = 1\n\n[m.n.env]\ny = 2\n":        "a = 1\n",
		"[m.n]\nx = 1\n[o]\nz = 1\n[m.n.env]\ny = 2":         "[o]\nz = 1",
		"[m.n.env]\ny = 2\n[m.n.more]\nz = 1\n[m.o]\nx = 1":  "[m.o]\nx = 1",
		"[m.n.env]\ny = 2\n\n[m.o]\nx = 1\n[m.n.a]\nz = 1\n": "\n[m.o]\nx = 1\n",
	} {
		if got, err := (tomlFormat{}).remove([]byte(text), "m", "n", Before{}); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}
