package visible

import (
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape replaces the characters that [Hidden] finds by \u and four hexadecimal digits, which is
// equivalent in JSON text, and a byte that is not UTF-8 by \x and two digits. It keeps a carriage
// return before a line feed.
func Escape(s string) string {
	return string(appendEscaped(nil, []byte(s)))
}

func appendEscaped(to, text []byte) []byte {
	var before rune
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		after, _ := utf8.DecodeRune(text[size:])
		switch {
		case r == utf8.RuneError && size == 1:
			to = fmt.Appendf(to, `\x%02x`, text[0])
		case r == '\r' && after == '\n' || !isHidden(r, before, after):
			to = append(to, text[:size]...)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			to = fmt.Appendf(to, `\u%04x\u%04x`, high, low)
		default:
			to = fmt.Appendf(to, `\u%04x`, r)
		}
		before, text = r, text[size:]
	}
	return to
}

// Writer returns a writer that escapes text for a terminal. Each write is a separate text: it must
// not end within a character. The writer is safe for concurrent use if to is.
func Writer(to io.Writer) io.Writer { return escaper{to} }

type escaper struct{ to io.Writer }

func (e escaper) Write(p []byte) (int, error) {
	if _, err := e.to.Write(appendEscaped(nil, p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
