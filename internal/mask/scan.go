package mask

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file finds the parts of a text. Its functions do what the expressions in its test do: a
// program with install would link package regexp for them alone.

// match is a part of a text, and the value in it.
type match struct {
	start, end int
	from, to   int // the value
}

// finder returns the first match at or after an index of the text.
type finder func(text string, at int) (m match, ok bool)

// rewrite replaces each match.
func rewrite(text string, find finder, by func(text string, m match) string) string {
	var b bytes.Buffer
	end := 0
	for m, ok := find(text, 0); ok; m, ok = find(text, end) {
		b.WriteString(text[end:m.start] + by(text, m))
		end = m.end
	}
	return b.String() + text[end:]
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isSpace(c byte) bool  { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

// among returns the test for letters, digits and the characters in others.
func among(others string) func(c byte) bool {
	return func(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte(others, c) >= 0 }
}

// except returns the test for characters that are neither space nor in others.
func except(others string) func(c byte) bool {
	return func(c byte) bool { return !isSpace(c) && strings.IndexByte(others, c) < 0 }
}

// span returns the end of the run of such characters that begins at an index.
func span(text string, at int, is func(c byte) bool) int {
	for at < len(text) && is(text[at]) {
		at++
	}
	return at
}

// consists reports whether a text is not empty and consists of such characters.
func consists(text string, is func(c byte) bool) bool {
	return text != "" && span(text, 0, is) == len(text)
}

// folded returns the length of the beginning of a text that is a word in any spelling, or 0.
func folded(text, word string) int {
	n := 0
	for i := range len(word) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || !strings.EqualFold(string(r), word[i:i+1]) {
			return 0
		}
		n += size
	}
	return n
}

var (
	schemes    = []string{"bearer", "basic", "digest", "dpop"}
	references = []string{"bearer ", "basic ", "token "}
)

// isReference reports whether a text is ${NAME} or ${env:NAME}, perhaps behind a scheme.
func isReference(text string) bool {
	for _, scheme := range references {
		if n := folded(text, scheme); n > 0 {
			text = text[n:]
			break
		}
	}
	name, ok := strings.CutPrefix(text, "${")
	if !ok {
		return false
	}
	name, ok = strings.CutSuffix(strings.TrimPrefix(name, "env:"), "}")
	return ok && consists(name, among("_")) && !isDigit(name[0])
}

// isSchemeName reports whether a text is a scheme of an Authorization field.
func isSchemeName(text string) bool {
	return slices.ContainsFunc(schemes, func(scheme string) bool { return strings.EqualFold(scheme, text) })
}

// knownPrefixes begin words that only credentials have.
var knownPrefixes = []string{
	"sk-", "pk_live_", "pk_test_", "rk_live_", "rk_test_", "sk_live_", "sk_test_", "gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_", "glpat-",
	"xapp-", "AKIA", "ASIA", "AIza", "eyJ", "hf_", "ya29.", "npm_", "pypi-", "whsec_", "lin_api_", "ntn_", "dop_v1_", "shpat_", "shpss_", "shpca_",
	"shppa_", "SG.", "AGE-SECRET-KEY-", "hvs.", "figd_", "tvly-", "pplx-", "gsk_", "nvapi-",
}

// known finds a word in a form that only credentials have. The match begins with the character
// before the word.
func known(text string, at int) (m match, ok bool) {
	for i := at; i < len(text); i++ {
		start := i
		if i > 0 {
			if start--; start < at || among("_-")(text[start]) {
				continue
			}
		}
		rest := text[i:]
		switch {
		case slices.ContainsFunc(knownPrefixes, func(prefix string) bool { return strings.HasPrefix(rest, prefix) }),
			strings.HasPrefix(rest, "xox") && len(rest) > 4 && 'a' <= rest[3] && rest[3] <= 'z' && rest[4] == '-':
			end := span(text, i, among("._~+/=-"))
			return match{start, end, i, end}, true
		case strings.HasPrefix(rest, "-----BEGIN"):
			return match{start, len(text), i, len(text)}, true
		}
	}
	return match{}, false
}

// authorization finds the value of an Authorization field behind its scheme.
func authorization(text string, at int) (m match, ok bool) {
	for i := at; i < len(text); i++ {
		if i > 0 && among("_")(text[i-1]) {
			continue
		}
		for _, scheme := range schemes {
			n := folded(text[i:], scheme)
			if n == 0 {
				continue
			}
			from := span(text, i+n, func(c byte) bool { return c == ' ' || c == '\t' })
			if end := span(text, from, except(`"',;`)); from > i+n && end > from {
				return match{i, end, from, end}, true
			}
		}
	}
	return match{}, false
}

// address finds a URL.
func address(text string, at int) (m match, ok bool) {
	for i := at; ; i++ {
		next := strings.Index(text[i:], "://")
		if next < 0 {
			return match{}, false
		}
		i += next
		start := i
		for start > at && among("+.-")(text[start-1]) {
			start--
		}
		start = span(text, start, func(c byte) bool { return !isLetter(c) && c != ':' })
		if start == i {
			continue
		}
		if end := span(text, i+3, except("\"'<>`")); end > i+3 {
			return match{start, end, start, end}, true
		}
	}
}

// assignment finds a name with a value: a=b, a: b, "a": "b". The value contains no spaces unless it
// is quoted.
func assignment(text string, at int) (m match, ok bool) {
	for i := at; i < len(text); i++ {
		end := span(text, i, isNameByte)
		if end == i {
			continue
		}
		from := end
		if from < len(text) && text[from] == '"' {
			from++
		}
		from = span(text, from, isSpace)
		if from < len(text) && (text[from] == '=' || text[from] == ':') {
			from = span(text, from+1, isSpace)
			if to := valueEnd(text, from); to > from {
				return match{i, to, from, to}, true
			}
		}
		i = end - 1
	}
	return match{}, false
}

var isNameByte = among("_.-")

// valueEnd returns the end of an assigned value, or its beginning if there is no value.
func valueEnd(text string, from int) int {
	if from < len(text) && (text[from] == '"' || text[from] == '\'') {
		return from + quotedLen(text[from:])
	}
	return span(text, from, except(`,;&"'{}`))
}

// quotedLen returns the length of the quoted text with which a text begins, or 0 if it has no end.
func quotedLen(text string) int {
	if end := strings.IndexByte(text[1:], text[0]); end >= 0 {
		return end + 2
	}
	return 0
}

// login finds user:password@ without the scheme of a URL.
func login(text string, at int) (m match, ok bool) {
	for i := at; i < len(text); {
		end := span(text, i, except(`@"'`))
		if end < len(text) && text[end] == '@' {
			for colon := i; colon < end; colon++ {
				start := colon
				colon = span(text, colon, except(`/@:"'=,;`))
				if colon > start && colon+1 < end && text[colon] == ':' && text[colon+1] != '/' && text[colon+1] != '\\' {
					return match{start, end + 1, start, end}, true
				}
			}
		}
		i = end + 1
	}
	return match{}, false
}

// assigned returns the parts of a text that is an assignment as a whole.
func assigned(text string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(text, "=")
	return name, value, ok && value != "" && consists(name, isNameByte)
}

// word finds a word.
func word(text string, at int) (m match, ok bool) {
	is := among("_+=.~-")
	at = span(text, at, func(c byte) bool { return !is(c) })
	end := span(text, at, is)
	return match{at, end, at, end}, end > at
}

// isBase64 reports whether a text has the form of a key of a cloud service, which may contain
// slashes.
func isBase64(text string) bool {
	n := span(text, 0, among("+/"))
	padding := text[n:]
	return padding == "" && n == 40 || n >= 22 && (padding == "=" || padding == "==")
}

// hasFlag reports whether a text contains the flag of a command line.
func hasFlag(text string) bool {
	for i := range len(text) {
		if text[i] != '-' || i > 0 && except(`"'`)(text[i-1]) {
			continue
		}
		rest := strings.TrimPrefix(text[i+1:], "-")
		if rest != "" && isLetter(rest[0]) {
			return true
		}
	}
	return false
}

// shellWord finds a word of a command line.
func shellWord(text string, at int) (m match, ok bool) {
	for ; at < len(text); at++ {
		end := at
		for end < len(text) && !isSpace(text[end]) {
			n := 1
			if text[end] == '"' || text[end] == '\'' {
				n = quotedLen(text[end:])
			}
			if n == 0 {
				break
			}
			end += n
		}
		if end > at {
			return match{at, end, at, end}, true
		}
	}
	return match{}, false
}

// quotedFlag finds a flag and its value in a JSON list. The value has no quotes.
func quotedFlag(text string, at int) (m match, ok bool) {
	for i := at; i < len(text); i++ {
		if !strings.HasPrefix(text[i:], `"-`) {
			continue
		}
		end := span(text, i+2, except(`"=`))
		if end == i+2 || end == len(text) || text[end] != '"' {
			continue
		}
		comma := span(text, end+1, isSpace)
		if comma == len(text) || text[comma] != ',' {
			continue
		}
		from := span(text, comma+1, isSpace)
		if from == len(text) || text[from] != '"' {
			continue
		}
		if n := quotedLen(text[from:]); n > 0 {
			return match{i, from + n, from + 1, from + n - 1}, true
		}
	}
	return match{}, false
}

// isPath reports whether a text begins like a path.
func isPath(text string) bool {
	for _, start := range []string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return text == "." || text == ".." || len(text) > 2 && isLetter(text[0]) && text[1] == ':' && (text[2] == '/' || text[2] == '\\')
}

var isFileByte = among("_.-")

var fileEndings = []string{
	"js", "cjs", "mjs", "ts", "cts", "mts", "py", "rb", "pl", "php", "lua", "sh", "ps1", "jar", "go", "wasm", "json", "yml", "yaml", "toml", "ini",
	"conf", "db", "sqlite", "sqlite3", "pem", "crt", "txt", "md", "csv",
}

// isFile reports whether a text is the name of a file of a known kind.
func isFile(text string) bool {
	dot := strings.LastIndexByte(text, '.')
	return dot > 0 && consists(text[:dot], isFileByte) && slices.Contains(fileEndings, text[dot+1:])
}

// isScoped reports whether a text is the name of a package with a scope.
func isScoped(text string) bool {
	scope, name, _ := strings.Cut(text, "/")
	scope, ok := strings.CutPrefix(scope, "@")
	return ok && consists(scope, isFileByte) && (isDigit(scope[0]) || 'a' <= scope[0] && scope[0] <= 'z') && consists(name, isFileByte)
}

// isWord reports whether a text may be the name of a flag or of a command: not pSECRET.
func isWord(text string) bool {
	is := func(c byte) bool { return isLetter(c) || strings.IndexByte("_.-", c) >= 0 }
	return consists(text, is) && isLetter(text[0]) && (len(text) == 1 || text[1] < 'A' || text[1] > 'Z')
}

// hasUUID reports whether a text contains a UUID.
func hasUUID(text string) bool {
	for i := 0; i+36 <= len(text); i++ {
		if isUUID(text[i : i+36]) {
			return true
		}
	}
	return false
}

func isUUID(text string) bool {
	for i := range len(text) {
		c := text[i]
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

// splitCamel writes AccountKey as Account_Key.
func splitCamel(name string) string {
	var b bytes.Buffer
	for i := range len(name) {
		if c := name[i]; i > 0 && 'A' <= c && c <= 'Z' && (isDigit(name[i-1]) || 'a' <= name[i-1] && name[i-1] <= 'z') {
			b.WriteByte('_')
		}
		b.WriteByte(name[i])
	}
	return b.String()
}
