package mcp

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/runtime/internal/glob"
)

// uriGlob is a pattern of URIs, for each way to spell one. Of patterns that deny
// all letters are folded.
type uriGlob struct {
	text    string       // as it was given
	encoded glob.Pattern // normal, as RFC 3986 has it
	decoded glob.Pattern
	flat    glob.Pattern // a path without a host, slashes or dots to speak of
}

// star stands for a star in a text that is being changed. URIs do not have it.
const star = "\x00"

func newURIGlob(text string, fold bool) *uriGlob {
	return makeURIGlob(text, strings.Split(lowerHost(text), "*"), fold)
}

// literalURI is a pattern without stars.
func literalURI(uri string) *uriGlob {
	return makeURIGlob(uri, []string{lowerHost(uri)}, true)
}

func makeURIGlob(text string, parts []string, fold bool) *uriGlob {
	g := &uriGlob{text: text}
	for _, part := range parts {
		g.encoded = append(g.encoded, normalURI(part))
		g.decoded = append(g.decoded, decodeURI(part))
	}
	g.flat = strings.Split(flatURI(strings.Join(g.decoded, star)), star)
	if fold {
		for _, list := range []glob.Pattern{g.encoded, g.decoded, g.flat} {
			for i := range list {
				list[i] = foldCase(list[i])
			}
		}
	}
	return g
}

// spellings are the ways to read a URI.
type spellings struct {
	encoded, decoded, flat []string
}

// maxEncodings is how often a URI may be percent-encoded.
const maxEncodings = 8

// spell finds them: for patterns that allow, all of which must fit, or, wide, for
// those that deny, one of which suffices. It returns nil where there is no end of
// them.
func spell(uri string, wide bool) *spellings {
	s := &spellings{}
	uri = lowerHost(uri)
	s.encoded = add(s.encoded, normalURI(uri), resolveURI(normalURI(uri)))
	now := []string{uri}
	for range maxEncodings {
		var next []string
		changed := false
		for _, uri := range now {
			decoded := decodeURI(uri)
			changed = changed || decoded != uri
			next = add(next, decoded)
			if wide {
				next = widen(next, decoded)
				s.flat = add(s.flat, heldSlashes(uri)...)
			}
		}
		now = next
		for _, uri := range now {
			s.decoded = add(s.decoded, uri, resolveURI(uri))
			s.flat = add(s.flat, flatURI(uri))
			if wide {
				s.flat = add(s.flat, strings.TrimSuffix(flatURI(uri), "/"))
			}
		}
		if changed {
			continue
		}
		if wide {
			for _, list := range [][]string{s.encoded, s.decoded, s.flat} {
				for i := range list {
					list[i] = foldCase(list[i])
				}
			}
		}
		return s
	}
	return nil
}

// add appends what is not there yet.
func add(to []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(to, s) {
			to = append(to, s)
		}
	}
	return to
}

// widen adds what only somebody careless would take a URI for: without its query,
// its fragment, or the host of a file.
func widen(to []string, uri string) []string {
	for _, cut := range []string{"", "#", "?"} {
		short := uri
		if cut != "" {
			short, _, _ = strings.Cut(uri, cut)
		}
		to = add(to, short, withoutHost(short))
	}
	return to
}

// denies reports whether the pattern fits any of the spellings. Where they are not
// known, it does.
func (g *uriGlob) denies(s *spellings) bool {
	return s == nil || slices.ContainsFunc(s.encoded, g.encoded.Match) ||
		slices.ContainsFunc(s.decoded, g.decoded.Match) || slices.ContainsFunc(s.flat, g.flat.Match)
}

// allowed reports whether each spelling fits one of the patterns.
func allowed(patterns []*uriGlob, s *spellings) bool {
	if s == nil || len(patterns) == 0 {
		return false
	}
	some := func(match func(g *uriGlob) bool) bool { return slices.ContainsFunc(patterns, match) }
	if some(func(g *uriGlob) bool { return len(g.encoded) == 1 && g.encoded[0] == s.encoded[0] }) {
		return true // it is the very one
	}
	for _, text := range s.encoded {
		if !some(func(g *uriGlob) bool { return g.encoded.Match(text) }) {
			return false
		}
	}
	for _, text := range s.decoded {
		if !some(func(g *uriGlob) bool { return g.decoded.Match(text) }) {
			return false
		}
	}
	for _, text := range s.flat {
		if !some(func(g *uriGlob) bool { return g.flat.Match(text) }) {
			return false
		}
	}
	return true
}

// covers reports whether the pattern fits every URI of a template, or is its
// text.
func (g *uriGlob) covers(template string) bool {
	if g.text == template {
		return true
	}
	var b strings.Builder
	for rest := template; ; {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			break
		}
		b.WriteString(star) // no text of the pattern, so a star must take it
		_, rest, _ = strings.Cut(after, "}")
	}
	text := lowerHost(b.String())
	return g.decoded.Match(foldCase(decodeURI(text))) || g.flat.Match(foldCase(flatURI(decodeURI(text))))
}

// meets reports whether the pattern may fit a URI with that prefix.
func (g *uriGlob) meets(prefix string) bool {
	prefix = normalURI(lowerHost(prefix))
	begin := g.encoded[0]
	return strings.HasPrefix(prefix, begin) || strings.HasPrefix(begin, prefix)
}

// foldCase makes texts alike that differ in the case of their letters.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

// lowerHost writes the scheme in small letters, and the host where it is one of a
// network (RFC 3986, section 6.2.2.1).
func lowerHost(uri string) string {
	scheme, rest, ok := strings.Cut(uri, ":")
	if !ok {
		return uri
	}
	scheme = strings.ToLower(scheme)
	switch scheme {
	case "http", "https", "ws", "wss", "ftp", "file":
		if authority, found := strings.CutPrefix(rest, "//"); found {
			end := strings.IndexAny(authority, "/?#")
			if end < 0 {
				end = len(authority)
			}
			rest = "//" + strings.ToLower(authority[:end]) + authority[end:]
		}
	}
	return scheme + ":" + rest
}

// normalURI writes what need not be percent-encoded as it is, and everything else
// percent-encoded, in capitals (RFC 3986, section 6.2.2.2).
func normalURI(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c, escaped := s[i], false
		if c == '%' && isTriplet(s[i:]) {
			c, escaped = unhex(s[i+1])<<4|unhex(s[i+2]), true
			i += 2
		}
		if isUnreserved(c) || !escaped && strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// decodeURI undoes percent-encoding once.
func decodeURI(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && isTriplet(s[i:]) {
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
		}
		b.WriteByte(c)
	}
	return b.String()
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return (c | 0x20) - 'a' + 10
}

func isUnreserved(c byte) bool {
	letter := 'a' <= c|0x20 && c|0x20 <= 'z'
	return letter || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// resolveURI removes the dot segments of the path (RFC 3986, section 5.2.4).
func resolveURI(uri string) string {
	start := strings.Index(uri, ":") + 1
	if strings.HasPrefix(uri[start:], "//") {
		start += 2
		if i := strings.IndexAny(uri[start:], "/?#"); i >= 0 {
			start += i
		} else {
			start = len(uri)
		}
	}
	end := len(uri)
	if i := strings.IndexAny(uri[start:], "?#"); i >= 0 {
		end = start + i
	}
	segments := strings.Split(uri[start:end], "/")
	out := segments[:0:0]
	for i, s := range segments {
		last := i == len(segments)-1
		switch {
		case s == "..":
			if len(out) > 1 || len(out) == 1 && out[0] != "" {
				out = out[:len(out)-1]
			}
		case s != ".":
			out = append(out, s)
			continue
		}
		if last {
			out = append(out, "")
		}
	}
	return uri[:start] + strings.Join(out, "/") + uri[end:]
}

// flatURI is a URI as one path from its scheme on, with slashes of both kinds,
// doubled ones and dot segments cleaned up. The host localhost of a file is none.
func flatURI(uri string) string {
	scheme, rest, _ := strings.Cut(uri, ":")
	rest = strings.ReplaceAll(rest, `\`, "/")
	if scheme == "file" {
		if after, ok := strings.CutPrefix(rest, "//localhost/"); ok {
			rest = after
		}
	}
	clean := strings.TrimPrefix(path.Clean("/"+rest), "/")
	if clean != "" && (strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, "/.") || strings.HasSuffix(rest, "/..")) {
		clean += "/"
	}
	return scheme + ":" + clean
}

// heldSlashes are the flat forms of a URI in which encoded slashes are part of a
// segment, as they are of the value of {x} in a template.
func heldSlashes(uri string) []string {
	held := encodedSlash.ReplaceAllLiteralString(uri, "\x01")
	if held == uri {
		return nil
	}
	flat := flatURI(decodeURI(held))
	return []string{flat, strings.TrimSuffix(flat, "/")}
}

var encodedSlash = regexp.MustCompile(`(?i)%2f`)

// withoutHost is the URI of a file without the host.
func withoutHost(uri string) string {
	rest, ok := strings.CutPrefix(uri, "file://")
	if !ok {
		return uri
	}
	_, rest, _ = strings.Cut(rest, "/")
	return "file:///" + rest
}

// dotSegments reports whether a text has a segment . or .., however it is
// written.
func dotSegments(text string) bool {
	for range maxEncodings {
		for _, s := range strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '\\' || r == ':' }) {
			if s == "." || s == ".." {
				return true
			}
		}
		text = decodeURI(text)
	}
	return false
}
