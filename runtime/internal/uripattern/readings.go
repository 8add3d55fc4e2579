package uripattern

import (
	"slices"
	"strings"
)

// Readings are the ways to read a URI: a client, a proxy, a file system and a handler may
// each undo another part of its encoding.
type Readings struct {
	encoded []string // percent-encoded in one way (RFC 3986, section 6.2.2)
	decoded []string // percent-encoding undone, once or more often
	flat    []string // decoded, and one path: see flatURI
}

// maxEncodings is how often a URI may be percent-encoded.
const maxEncodings = 8

// Strict returns the readings for patterns that allow, each of which must match. It returns
// nil for a URI that is percent-encoded more than maxEncodings times.
func Strict(uri string) *Readings { return read(uri, false) }

// Lenient returns the readings for patterns that deny, one of which suffices. They include
// those of careless code: without the query, the fragment or the host of a file, and
// without regard to the case of letters. It returns nil where Strict does.
func Lenient(uri string) *Readings { return read(uri, true) }

func read(uri string, lenient bool) *Readings {
	s := &Readings{}
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
			if lenient {
				next = addLenient(next, decoded)
				s.flat = add(s.flat, flatWithEncodedSlashes(uri)...)
			}
		}
		now = next
		for _, uri := range now {
			s.decoded = add(s.decoded, uri, resolveURI(uri))
			s.flat = add(s.flat, flatURI(uri))
			if lenient {
				s.flat = add(s.flat, strings.TrimSuffix(flatURI(uri), "/"))
			}
		}
		if changed {
			continue
		}
		if lenient {
			for _, list := range [][]string{s.encoded, s.decoded, s.flat} {
				for i := range list {
					list[i] = FoldCase(list[i])
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

// addLenient adds what careless code would take a URI for: without its query,
// its fragment, or the host of a file.
func addLenient(to []string, uri string) []string {
	for _, cut := range []string{"", "#", "?"} {
		short := uri
		if cut != "" {
			short, _, _ = strings.Cut(uri, cut)
		}
		to = add(to, short, withoutHost(short))
	}
	return to
}

// HasDotSegments reports whether a text has a segment . or .., however it is encoded.
func HasDotSegments(text string) bool {
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
