package uripattern

import (
	"slices"
	"strings"
)

// Readings are the ways to read a URI: a client, a proxy, a file system and a handler may each
// decode another part of it.
type Readings struct {
	encoded []string // percent-encoded in one way (RFC 3986, section 6.2.2)
	decoded []string // percent-decoded, once or several times
	flat    []string // decoded, and one path: see flatURI
}

// maxEncodings limits the times that a URI may be percent-encoded.
const maxEncodings = 8

// Strict returns the readings for patterns that allow, each of which must match. It returns nil for
// a URI that is percent-encoded more than maxEncodings times.
func Strict(uri string) *Readings { return read(uri, false) }

// Lenient returns the readings for patterns that deny, where one match suffices. They include the
// readings of careless code: without the query, the fragment or the host of a file, and without
// regard to the case of letters. It returns nil in the same cases as Strict.
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

// add appends the texts that the slice does not contain yet.
func add(to []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(to, s) {
			to = append(to, s)
		}
	}
	return to
}

// addLenient adds the readings of careless code: without the query, the fragment, or the host of a
// file.
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

// HasDotSegments reports whether a text contains a segment . or .., however it is encoded.
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
