package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"
)

// Escapes: a backslash, both halves of a character, and one.
var (
	escaped = regexp.MustCompile(`\\\\`)
	paired  = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	lone    = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// wellFormed checks what a schema cannot: that a text is UTF-8, one JSON value, and has
// no object with duplicate names (RFC 8259, section 4).
func wellFormed(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("not UTF-8")
	}
	if !json.Valid(text) {
		return errors.New("not JSON")
	}
	if lone.Match(paired.ReplaceAll(escaped.ReplaceAll(text, nil), nil)) {
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

// shortened cuts the filling of large messages in tests: the same letter or digit many
// times, which does not affect validation.
func shortened(text []byte) []byte {
	const keep = 1000
	if len(text) < 64<<10 {
		return text
	}
	short := make([]byte, 0, 64<<10)
	run := 0
	for i, c := range text {
		if i > 0 && c == text[i-1] && (c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			run++
		} else {
			run = 0
		}
		if run < keep {
			short = append(short, c)
		}
	}
	return short
}
