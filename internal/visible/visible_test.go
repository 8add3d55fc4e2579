package visible_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/visible"
)

func TestHidden(t *testing.T) {
	for _, text := range []string{
		"", "plain\ttext\nof two lines", "naïve – “quoted” …", "Ω ≈ 3 µs", "日本語の説明　です", "한국어", "עברית", "العربية",
		"می\u200cخواهم", "क्\u200dष", "नहीं", // joiners between letters that join
		"👩\u200d💻", "🏳\ufe0f\u200d🌈", "👩🏽\u200d🚀", "🙂\u200d↔\ufe0f", "⚠\ufe0f", "1\ufe0f\u20e3", "‼\ufe0f", "⁉\ufe0f", "ℹ\ufe0f", "〰\ufe0f", "〽\ufe0f", "☎\ufe0e", "©\ufe0f", "e\u0301",
		"narrow\u202fspace\u00a0here",
	} {
		if r, found := visible.Hidden(text); found {
			t.Errorf("%q: %U", text, r)
		}
	}
	for text, want := range map[string]rune{
		"a\u200bb": 0x200B, "a\u200cb": 0x200C, "a\u200db": 0x200D, "–\u200d–": 0x200D, "–\u200c–": 0x200C, "é\u200cé": 0x200C,
		"می\u200c\u200cخواهم": 0x200C, "👩\u200d\u200d💻": 0x200D, "👩\u200c💻": 0x200C, "می\u200c": 0x200C, "\u200dक": 0x200D, "👩\u200dx": 0x200D,
		"1\u200d2": 0x200D, "+\u200d+": 0x200D, "©\u200d©": 0x200D, "0\u200d\ufffd": 0x200D, "\ufffd\ufe0f": 0xFE0F, "a\ufe0f": 0xFE0F, "⚠\ufe0f\ufe0f": 0xFE0F, "⚠\ufe0e\ufe0f": 0xFE0F, "\ufe0f": 0xFE0F, "x\ufe00": 0xFE00, "葛\U000e0100": 0xE0100,
		"\u202eabc": 0x202E, "\u2066abc": 0x2066, "\u061c": 0x061C, "tag\U000e0041": 0xE0041, "soft\u00adhyphen": 0xAD, "\u180e": 0x180E,
		"\u3164": 0x3164, "\uffa0": 0xFFA0, "\u115f": 0x115F, "\u2800": 0x2800, "\u2028": 0x2028, "\u2029": 0x2029, "\ufeff": 0xFEFF, "\u034f": 0x34F,
		"\x00": 0, "\x1b[31m": 0x1B, "\r": '\r', "\x7f": 0x7F, "\u0085": 0x85, "\u009b": 0x9B, "\xff": '\uFFFD', "\U0001d173": 0x1D173,
		"\u2062": 0x2062, "\ufffe": 0xFFFE,
	} {
		r, found := visible.Hidden(text)
		if !found || r != want {
			t.Errorf("%q: %U, %t", text, r, found)
		}
	}
	if _, found := visible.Hidden("\uFFFD"); found {
		t.Error("the replacement character can be seen")
	}
}

// All characters that Unicode calls ignorable or format characters are hidden, alone and between
// letters, except the visible marks of Arabic and other scripts.
func TestHiddenKnowsUnicode(t *testing.T) {
	shown := map[rune]bool{}
	for _, r := range "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd" {
		shown[r] = true
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Zl, unicode.Zp) || shown[r] {
			continue
		}
		if _, found := visible.Hidden("a" + string(r) + "b"); !found {
			t.Errorf("%U is not hidden", r)
		}
	}
}

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"plain\n\ttext": "plain\n\ttext", "\x1b[31mred": `\u001b[31mred`, "a\u202eb": `a\u202eb`, "\U000e0041": `\udb40\udc41`, "\xff": `\xff`,
		"a\r\nb": "a\r\nb", "a\rb": `a\u000db`, "می\u200cخواهم": "می\u200cخواهم", "👩\u200d\u200d💻": `👩\u200d\u200d💻`, "x\u0085": `x\u0085`, `a\b`: `a\b`,
	} {
		if got := visible.Escape(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		var out bytes.Buffer
		if n, err := visible.Writer(&out).Write([]byte(text)); n != len(text) || err != nil || out.String() != want {
			t.Errorf("%q: wrote %q, %d, %v", text, out.String(), n, err)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriterFails(t *testing.T) {
	if n, err := visible.Writer(full{}).Write([]byte("text")); n != 0 || err != io.ErrShortWrite {
		t.Errorf("%d, %v", n, err)
	}
}

// Escaped JSON text has the same value, and contains no hidden characters.
func FuzzEscape(f *testing.F) {
	f.Add("plain")
	f.Add("a\u200d\u200d\x1b\U000e0041\r\n")
	f.Fuzz(func(t *testing.T, s string) {
		escaped := visible.Escape(s)
		if r, found := visible.Hidden(strings.ReplaceAll(escaped, "\r\n", "\n")); found {
			t.Errorf("%q: %U", escaped, r)
		}
		text, err := json.Marshal(strings.ToValidUTF8(s, "?"))
		if err != nil {
			t.Fatal(err)
		}
		var back string
		if err := json.Unmarshal([]byte(visible.Escape(string(text))), &back); err != nil || back != strings.ToValidUTF8(s, "?") {
			t.Errorf("%q: %q, %v", s, back, err)
		}
	})
}
