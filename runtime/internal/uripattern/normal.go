package uripattern

import (
	"path"
	"strings"
	"unicode"
)

// FoldCase returns the same text for texts that differ only in the case of their letters.
func FoldCase(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

// lowerHost writes the scheme in lower case, and the host of a scheme that has network hosts (RFC
// 3986, section 6.2.2.1).
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

// normalURI decodes characters that need not be percent-encoded, and encodes all others, in
// capitals (RFC 3986, section 6.2.2.2).
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

// decodeURI decodes percent-encoding once.
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

// flatURI returns a URI as one path from its scheme on, with slashes of both kinds, without doubled
// slashes and dot segments, and without the host localhost of a file.
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

// flatWithEncodedSlashes returns the flat forms of a URI in which encoded slashes are part of a
// segment, as they are in the value of {x} in a template.
func flatWithEncodedSlashes(uri string) []string {
	kept := encodedSlash.Replace(uri)
	if kept == uri {
		return nil
	}
	flat := flatURI(decodeURI(kept))
	return []string{flat, strings.TrimSuffix(flat, "/")}
}

// encodedSlash is a Replacer and not a regular expression, so that a program without policies, such
// as a client, does not link package regexp.
var encodedSlash = strings.NewReplacer("%2f", "\x01", "%2F", "\x01")

// withoutHost returns the URI of a file without the host.
func withoutHost(uri string) string {
	rest, ok := strings.CutPrefix(uri, "file://")
	if !ok {
		return uri
	}
	_, rest, _ = strings.Cut(rest, "/")
	return "file:///" + rest
}
