package mcpauth

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// maxDepth limits the nesting of arrays and objects in a token or a document.
	maxDepth = 16
	// maxDate is the end of the year 9999.
	maxDate = 253402300799
)

var errObject = errors.New("it is not one JSON object of valid text without duplicate members")

// readObject reads the JSON object of a token or a document. encoding/json alone takes the last of
// several members with one name, although another program may take the first, and replaces each
// half of a surrogate pair by the same character, so that two subjects would become equal.
func readObject(text []byte) (map[string]any, error) {
	if !utf8.Valid(text) || hasLoneSurrogate(text) {
		return nil, errObject
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := readValue(d, maxDepth)
	object, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil, errObject
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errObject
	}
	return object, nil
}

// hasLoneSurrogate reports whether a JSON text, valid or not, contains an escaped half of a
// surrogate pair without the other half.
func hasLoneSurrogate(text []byte) bool {
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 || at+1 == len(text) {
			return false
		}
		first, ok := escapedUnit(text[at:])
		if text = text[at+2:]; !ok || !utf16.IsSurrogate(first) {
			continue
		}
		text = text[4:]
		second, _ := escapedUnit(text)
		if utf16.DecodeRune(first, second) == utf8.RuneError {
			return true
		}
		text = text[6:]
	}
}

// escapedUnit returns the UTF-16 code unit of the escape at the beginning of a text.
func escapedUnit(text []byte) (unit rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}

func readValue(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if depth == 0 {
		return nil, errObject
	}
	if delim == '[' {
		list := []any{}
		for d.More() {
			v, err := readValue(d, depth-1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	object := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := t.(string)
		if _, twice := object[name]; twice {
			return nil, errObject
		}
		if object[name], err = readValue(d, depth-1); err != nil {
			return nil, err
		}
	}
	_, err = d.Token()
	return object, err
}

// text returns a string member, or "" if it is absent. ok is false if the member has another type.
func text(object map[string]any, name string) (value string, ok bool) {
	v, there := object[name]
	if !there {
		return "", true
	}
	value, ok = v.(string)
	return value, ok
}

// texts returns a member that is a string or a list of strings. ok is false if it is something
// else.
func texts(object map[string]any, name string) (values []string, ok bool) {
	switch v := object[name].(type) {
	case nil:
		_, there := object[name]
		return nil, !there
	case string:
		return []string{v}, true
	case []any:
		for _, element := range v {
			s, ok := element.(string)
			if !ok {
				return nil, false
			}
			values = append(values, s)
		}
		return values, true
	}
	return nil, false
}

// date returns a NumericDate member (RFC 7519, section 2), in seconds since 1970. ok is false if
// the member is something else, negative or after the year 9999.
func date(object map[string]any, name string) (at time.Time, there, ok bool) {
	v, there := object[name]
	if !there {
		return at, false, true
	}
	n, ok := v.(json.Number)
	if !ok {
		return at, true, false
	}
	seconds, err := strconv.ParseFloat(n.String(), 64)
	if err != nil || seconds < 0 || seconds > maxDate || math.Signbit(seconds) {
		return at, true, false
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*1e9)), true, true
}
