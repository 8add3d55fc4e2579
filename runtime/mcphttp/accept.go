package mcphttp

import (
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
)

// acceptable reports whether a client accepts JSON, and whether it accepts event streams (RFC 9110,
// section 12.5.1). Without an Accept field it accepts everything. If several ranges cover a type,
// the most specific one counts. q=0 excludes a type. Parameters other than q and malformed ranges
// are ignored.
func acceptable(h http.Header) (jsonOK, streamOK bool) {
	if lines := h["Accept"]; len(lines) == 1 && lines[0] == httpfield.JSON+", "+httpfield.EventStream {
		return true, true // the value that nearly all clients send
	}
	var asJSON, asStream preference
	everything := true
	for _, line := range h["Accept"] {
		for line != "" {
			var element string
			element, line = cutOff(line, ',')
			mediaRange, q := weigh(element)
			if mediaRange == "" {
				continue
			}
			everything = false
			asJSON.consider(mediaSpecificity(mediaRange, httpfield.JSON), q)
			asStream.consider(mediaSpecificity(mediaRange, httpfield.EventStream), q)
		}
	}
	if everything {
		return true, true
	}
	return asJSON.q > 0, asStream.q > 0
}

// mediaSpecificity returns how closely a media range covers a type; 0 means that it does not.
func mediaSpecificity(mediaRange, mediaType string) int {
	major, _, _ := strings.Cut(mediaType, "/")
	rangeMajor, rangeMinor, _ := strings.Cut(mediaRange, "/")
	switch {
	case strings.EqualFold(mediaRange, mediaType):
		return 3
	case rangeMinor == "*" && strings.EqualFold(rangeMajor, major):
		return 2
	case mediaRange == "*/*":
		return 1
	}
	return 0
}

// preference is the weight of the range that covers a choice most closely.
type preference struct {
	specificity int
	q           int // thousandths
}

// consider takes an element into account. Of two equally close ones, the greater weight counts.
func (p *preference) consider(specificity, q int) {
	if specificity > p.specificity {
		*p = preference{specificity, q}
	} else if specificity > 0 && specificity == p.specificity {
		p.q = max(p.q, q)
	}
}

// cutOff cuts a list at the first separator outside of quoted strings (RFC 9110, section 5.6).
func cutOff(list string, separator byte) (first, rest string) {
	quoted := false
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == separator && !quoted:
			return list[:i], list[i+1:]
		}
	}
	return list, ""
}

// weigh returns the value of an element without its parameters, and its weight in thousandths (RFC
// 9110, section 12.4.2). If the weight is malformed, the value is "".
func weigh(element string) (name string, q int) {
	name, parameters, _ := strings.Cut(element, ";")
	q = 1000
	for parameters != "" {
		var p string
		p, parameters = cutOff(parameters, ';')
		key, value, _ := strings.Cut(p, "=")
		if !strings.EqualFold(httpfield.Trim(key), "q") {
			continue
		}
		var ok bool
		if q, ok = parseWeight(httpfield.Trim(value)); !ok {
			return "", 0
		}
		break // later parameters belong to the weight, not to the range
	}
	return httpfield.Trim(name), q
}

// parseWeight parses 0 to 1 with up to three decimals.
func parseWeight(s string) (q int, ok bool) {
	whole, decimals, _ := strings.Cut(s, ".")
	if whole != "0" && whole != "1" || len(decimals) > 3 {
		return 0, false
	}
	q = int(whole[0]-'0') * 1000
	for i, unit := 0, 100; i < len(decimals); i, unit = i+1, unit/10 {
		if decimals[i] < '0' || decimals[i] > '9' {
			return 0, false
		}
		q += int(decimals[i]-'0') * unit
	}
	return q, q <= 1000
}
