package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"
)

// Escapes: a backslash, both halves of a surrogate pair, and one of them.
var (
	escaped = regexp.MustCompile(`\\\\`)
	paired  = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	lone    = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// wellFormed checks the rules that a schema cannot express: a text is UTF-8, is one JSON value, and
// contains no object with duplicate names (RFC 8259, section 4).
func wellFormed(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("not UTF-8")
	}
	if !json.Valid(text) {
		return errors.New("not JSON")
	}
	if bytes.Contains(text, []byte(`\u`)) && lone.Match(paired.ReplaceAll(escaped.ReplaceAll(text, nil), nil)) {
		return errors.New("half of a surrogate pair")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	type level struct {
		names map[string]bool // nil: an array
		value bool            // a value comes next, not a name
	}
	var levels []level
	for {
		token, err := d.Token()
		if err != nil {
			return nil // the end
		}
		top := len(levels) - 1
		if top >= 0 && levels[top].names != nil && token != json.Delim('}') {
			if !levels[top].value {
				name, _ := token.(string)
				if levels[top].names[name] {
					return fmt.Errorf("the name %q is twice in an object", name)
				}
				levels[top].names[name], levels[top].value = true, true
				continue
			}
			levels[top].value = false
		}
		switch token {
		case json.Delim('{'):
			levels = append(levels, level{names: map[string]bool{}})
		case json.Delim('['):
			levels = append(levels, level{})
		case json.Delim('}'), json.Delim(']'):
			levels = levels[:top]
		}
	}
}

// shortened cuts the padding of large messages in tests: long repetitions of the same few letters,
// digits and commas, which do not affect validation.
func shortened(text []byte) []byte {
	const (
		keep    = 1000
		longest = 8 // maximum period
	)
	if len(text) < 64<<10 {
		return text
	}
	plain := func(c byte) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == ','
	}
	special := func(r rune) bool { return r >= 0x80 || !plain(byte(r)) }
	short := make([]byte, 0, 64<<10)
	for i := 0; i < len(text); {
		// The number of bytes to omit here, for the smallest period that has begun.
		skip := 0
		for period := 1; period <= longest && skip == 0 && i >= keep && plain(text[i]); period++ {
			if text[i] != text[i-period] || bytes.ContainsFunc(text[i-period:i], special) ||
				!bytes.Equal(text[i-keep:i-period], text[i-keep+period:i]) {
				continue
			}
			end := i
			for end < len(text) && plain(text[end]) && text[end] == text[end-period] {
				end++
			}
			skip = (end - i) / period * period
		}
		if skip > 0 {
			i += skip
			continue
		}
		short = append(short, text[i])
		i++
	}
	return short
}

// longestNumber returns the length of the longest run of digits.
func longestNumber(text []byte) int {
	longest, run := 0, 0
	for _, c := range text {
		if c < '0' || c > '9' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
