// Package visible finds characters that are invisible to people but not to a model, a terminal or a
// compiler, and escapes them.
package visible

import (
	"unicode"
	"unicode/utf8"
)

// hidden contains characters that are invisible or change how others are shown, and that no
// language needs in its text: controls of text direction, tags, fillers, line separators, and all
// characters that Unicode calls ignorable. It excludes joiners and variation selectors; see
// [Hidden].
var hidden = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00AD, 0x00AD, 1}, // soft hyphen
		{0x034F, 0x034F, 1}, // combining grapheme joiner
		{0x061C, 0x061C, 1}, // Arabic letter mark
		{0x115F, 0x1160, 1}, // Hangul fillers
		{0x17B4, 0x17B5, 1}, // Khmer inherent vowels
		{0x180B, 0x180F, 1}, // Mongolian variation selectors, vowel separator
		{0x200B, 0x200B, 1}, // zero width space
		{0x200E, 0x200F, 1}, // direction marks
		{0x2028, 0x202E, 1}, // separators of lines and paragraphs, directions
		{0x2060, 0x206F, 1}, // word joiner, invisible operators, isolates
		{0x2800, 0x2800, 1}, // empty Braille pattern
		{0x3164, 0x3164, 1}, // Hangul filler
		{0xFE00, 0xFE0D, 1}, // variation selectors
		{0xFEFF, 0xFEFF, 1}, // byte order mark
		{0xFFA0, 0xFFA0, 1}, // half-width Hangul filler
		{0xFFF0, 0xFFFC, 1}, // unassigned, annotations, object replacement
		{0xFFFE, 0xFFFF, 1}, // noncharacters
	},
	R32: []unicode.Range32{
		{0x13430, 0x13455, 1}, // controls of Egyptian hieroglyphs
		{0x16FE4, 0x16FE4, 1}, // Khitan filler
		{0x1BCA0, 0x1BCA3, 1}, // controls of shorthand
		{0x1D159, 0x1D159, 1}, // null notehead
		{0x1D173, 0x1D17A, 1}, // controls of musical notation
		{0xE0000, 0xE0FFF, 1}, // tags, variation selectors
	},
}

const (
	nonJoiner  = 0x200C
	joiner     = 0x200D
	textStyle  = 0xFE0E
	emojiStyle = 0xFE0F
)

// Hidden returns the first hidden character of a text: a control character other than a line feed
// and a tab, an invisible character, a joiner that joins neither letters of a script with joiners
// nor emoji, and a variation selector that does not follow a symbol. For text that is not UTF-8 it
// returns [utf8.RuneError] at the first invalid byte.
func Hidden(s string) (rune, bool) {
	var before rune
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			if _, size = utf8.DecodeRuneInString(s[i:]); size == 1 {
				return r, true
			}
		}
		after, _ := utf8.DecodeRuneInString(s[i+size:])
		if isHidden(r, before, after) {
			return r, true
		}
		before = r
	}
	return 0, false
}

// isHidden reports whether a character is invisible between two others; 0 means the beginning of a
// text.
func isHidden(r, before, after rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x7F:
		return false
	case r < 0xA0:
		return true
	case r == nonJoiner:
		return !isJoining(before) || !isJoining(after)
	case r == joiner:
		letters := isJoining(before) && isJoining(after)
		return !letters && !(isEmoji(after) && (isEmoji(before) || before == emojiStyle))
	case r == textStyle || r == emojiStyle:
		return !isSymbol(before)
	}
	return unicode.Is(hidden, r)
}

func isJoining(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M) && unicode.In(r,
		unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Mongolian, unicode.Nko, unicode.Phags_Pa, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala,
		unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Thaana, unicode.Hanifi_Rohingya, unicode.Adlam)
}

// isEmoji reports whether a character may be part of an emoji with joiners.
func isEmoji(r rune) bool {
	return r >= 0x2190 && r < 0x2C00 && unicode.Is(unicode.S, r) || r >= 0x1F000 && r < 0x1FB00
}

// isSymbol reports whether a variation selector may follow a character.
func isSymbol(r rune) bool {
	switch {
	case r < 0x80:
		return '0' <= r && r <= '9' || r == '#' || r == '*'
	case r == 0x203C, r == 0x2049, r == 0x2139, r == 0x3030, r == 0x303D: // ‼ ⁉ ℹ 〰 〽
		return true
	}
	return r != utf8.RuneError && unicode.Is(unicode.S, r)
}
