package directive

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// problem is an error at an offset of a directive's arguments.
type problem struct {
	offset        int
	message, hint string
}

// word is one argument as it is written: key=raw, or raw alone.
type word struct {
	key    string // "" without =
	raw    string
	start  int // offset of the argument
	value  int // offset of raw
	equals bool
}

// scanArgs splits the arguments of a directive at white space that is not inside quotes. kind
// returns the kind of a key, as brackets count in JSON only and quotes inside a word in lists only.
// Arguments that cannot be read become problems; the words around them are returned.
func scanArgs(s string, kind func(key string) Kind) (words []word, problems []problem) {
	for i := 0; ; {
		i += len(s[i:]) - len(strings.TrimLeftFunc(s[i:], unicode.IsSpace))
		if i >= len(s) {
			return words, problems
		}
		w := word{start: i, value: i}
		k := KindString
		if n := keyLen(s[i:]); n > 0 && i+n < len(s) && s[i+n] == '=' {
			w.key, w.equals, w.value = s[i:i+n], true, i+n+1
			k = kind(w.key)
		}
		n, bad := scanValue(s[w.value:], k)
		end := w.value + n
		w.raw = s[w.value:end]
		i = end
		switch {
		case bad != nil:
			bad.offset += w.value
			problems = append(problems, *bad)
			continue
		case w.equals && w.raw == "":
			problems = append(problems, problem{w.start, w.key + " has no value", fmt.Sprintf("write %s=VALUE without spaces around =", w.key)})
			continue
		case strings.HasPrefix(w.raw, "=") && !w.equals:
			problems = append(problems, problem{w.start, "= without a key before it", "write key=value without spaces around ="})
			continue
		}
		words = append(words, w)
	}
}

// keyLen returns the length of the key at the beginning of s.
func keyLen(s string) int {
	for i, r := range s {
		if unicode.IsLetter(r) || r == '_' || i > 0 && (unicode.IsDigit(r) || r == '-' || r == '.') {
			continue
		}
		return i
	}
	return len(s)
}

// scanValue returns the length of the value at the beginning of s. With a problem, it returns the
// length of the text to skip.
func scanValue(s string, k Kind) (int, *problem) {
	if s == "" {
		return 0, nil
	}
	first, _ := utf8.DecodeRuneInString(s)
	switch {
	case first == '\'':
		return skipQuoted(s, "'"), &problem{0, "a string in single quotes", "quote strings as in Go, with \" or `"}
	case strings.ContainsRune("“”„«»‘’", first):
		return len(s), &problem{0, "a string in typographic quotes", "quote strings as in Go, with \" or `"}
	case k == KindJSON && (first == '[' || first == '{'):
		return scanBalanced(s)
	}
	i := 0
	for i < len(s) {
		if i == 0 || k == KindList && s[i-1] == ',' {
			n, bad := scanLiteral(s[i:])
			if bad != nil {
				bad.offset += i
				return len(s), bad
			}
			i += n
			if n > 0 && i < len(s) {
				if c, _ := utf8.DecodeRuneInString(s[i:]); !unicode.IsSpace(c) && (k != KindList || c != ',') {
					return i, &problem{i, "text directly after the closing quote", "put a space between arguments, or escape the quote inside the string"}
				}
			}
			if n > 0 {
				continue
			}
		}
		c, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(c) {
			break
		}
		i += size
	}
	return i, nil
}

// skipQuoted returns the length up to the closing quote, or of the whole text.
func skipQuoted(s, quote string) int {
	if i := strings.Index(s[1:], quote); i >= 0 {
		return 1 + i + len(quote)
	}
	return len(s)
}

// scanLiteral returns the length of the Go string literal at the beginning of s, or 0 if s does not
// begin with a quote.
func scanLiteral(s string) (int, *problem) {
	n := quotedLen(s)
	switch {
	case n == 0:
		return 0, nil
	case n < 0:
		return 0, &problem{0, "unclosed quote", fmt.Sprintf("close the string with %c; it cannot go on in the next line", s[0])}
	}
	if _, err := strconv.Unquote(s[:n]); err != nil {
		return 0, &problem{badEscape(s[:n]), "a string with an escape that Go does not have", "write \\\\ for a backslash, or quote the string with `"}
	}
	return n, nil
}

// quotedLen returns the length of "..." or `...` at the beginning of s, 0 if s does not begin with
// a quote, or -1 if the quote is not closed.
func quotedLen(s string) int {
	if s == "" {
		return 0
	}
	switch s[0] {
	case '`':
		if i := strings.IndexByte(s[1:], '`'); i >= 0 {
			return i + 2
		}
		return -1
	case '"':
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return -1
	}
	return 0
}

// badEscape returns the offset of the first invalid escape.
func badEscape(literal string) int {
	rest := literal[1 : len(literal)-1]
	for rest != "" {
		_, _, tail, err := strconv.UnquoteChar(rest, '"')
		if err != nil {
			return len(literal) - 1 - len(rest)
		}
		rest = tail
	}
	return 0
}

// scanBalanced returns the length of the JSON array or object at the beginning of s. Its syntax is
// checked later.
func scanBalanced(s string) (int, *problem) {
	var open []byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			n := quotedLen(s[i:])
			if n < 0 {
				return len(s), &problem{i, "unclosed quote", `close the string with "`}
			}
			i += n - 1
		case '[', '{':
			open = append(open, c+2) // the closing bracket, in ASCII
		case ']', '}':
			if c != open[len(open)-1] {
				return len(s), &problem{i, fmt.Sprintf("%c where %c is due", c, open[len(open)-1]), ""}
			}
			if open = open[:len(open)-1]; len(open) > 0 {
				continue
			}
			i++
			if c, _ := utf8.DecodeRuneInString(s[i:]); i < len(s) && !unicode.IsSpace(c) {
				return len(s), &problem{i, "text directly after the closing bracket", "put a space between arguments"}
			}
			return i, nil
		}
	}
	return len(s), &problem{0, fmt.Sprintf("unclosed %c", s[0]), "close it in the same line"}
}

// literalLen returns the length of the closed string literal at the beginning of s, or 0.
func literalLen(s string) int { return max(0, quotedLen(s)) }

// unquote returns the content of s if it is one Go string literal.
func unquote(s string) (string, bool) {
	if s == "" || literalLen(s) != len(s) {
		return "", false
	}
	v, err := strconv.Unquote(s)
	return v, err == nil
}
