// Package mask hides possible credentials in displayed parts of a server: arguments, URLs,
// variables and header fields. In doubt it hides. Names remain visible, and so do references to
// environment variables, such as ${TOKEN}.
package mask

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Sign replaces a hidden value.
const Sign = "***"

// IsReference reports whether a value is only a reference to a variable, possibly after the scheme
// of an Authorization field. A reference with a default value is not one.
func IsReference(value string) bool { return isReference(value) }

// secretParts are parts of names whose values are credentials; secretWords must be whole words in
// them.
var (
	secretParts = []string{
		"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "APIKEY", "API_KEY", "PRIVATEKEY", "PRIVATE_KEY", "ACCESSKEY", "ACCESS_KEY",
		"AUTHORIZATION", "COOKIE", "SIGNATURE",
	}
	secretWords = []string{"KEY", "PASS", "PWD", "AUTH", "PAT", "JWT", "BEARER", "CRED", "CREDS", "PIN", "OTP", "PSK", "SAS"}
)

// secretName reports whether a variable, field or flag with a name contains a credential.
func secretName(name string) bool {
	upper := strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToUpper(splitCamel(name)))
	return slices.ContainsFunc(secretParts, func(part string) bool { return strings.Contains(upper, part) }) ||
		slices.ContainsFunc(strings.Split(upper, "_"), func(word string) bool { return slices.Contains(secretWords, word) })
}

// Looks reports whether a variable or header field is likely to be a credential, by its name or by
// the form of its value.
func Looks(name, value string) bool {
	if value == "" || IsReference(value) {
		return false
	}
	if secretName(name) {
		return true
	}
	var s set
	s.text(value)
	return len(s.hidden) > 0
}

// set collects the hidden values.
type set struct {
	hidden []string
	strict bool // for Command
	depth  int  // nesting of command lines
}

// hide returns the sign for a value, unless the value is empty.
func (s *set) hide(value string) string {
	if value == "" || value == Sign || IsReference(value) {
		return value
	}
	s.hidden = append(s.hidden, value)
	return Sign
}

// text masks any text.
func (s *set) text(text string) string {
	if IsReference(text) {
		return text
	}
	if isBase64(text) && looksEncoded(text) {
		return s.hide(text)
	}
	if name, value, ok := assigned(text); ok && secretName(name) {
		return name + "=" + s.hide(value)
	}
	if s.depth < 3 && strings.ContainsAny(text, " \t\n") && hasFlag(text) && !strings.HasPrefix(text, "-----BEGIN") {
		return s.line(text)
	}
	text = s.listed(text)
	text = s.addresses(text)
	text = s.replace(text, authorization)
	text = s.replace(text, known)
	text = s.assigned(text)
	text = s.replace(text, login)
	if strings.ContainsAny(text, `/\`) {
		return text // names of directories may look random
	}
	if looksChosen(text) {
		return s.hide(text)
	}
	return s.random(text)
}

// assigned hides the values that follow names of credentials.
func (s *set) assigned(text string) string { return rewrite(text, assignment, s.assignment) }

func (s *set) assignment(text string, m match) string {
	name, value := text[m.start:span(text, m.start, isNameByte)], text[m.from:m.to]
	if !secretName(name) || strings.HasPrefix(value, "//") || isSchemeName(value) { // key://, Authorization: Bearer
		return text[m.start:m.end]
	}
	quote := ""
	if c := value[0]; c == '"' || c == '\'' {
		quote = value[:1]
	}
	return text[m.start:m.from] + quote + s.hide(strings.Trim(value, quote)) + quote
}

// replace hides the value of each match.
func (s *set) replace(text string, find finder) string { return rewrite(text, find, s.match) }

func (s *set) match(text string, m match) string {
	return text[m.start:m.from] + s.hide(text[m.from:m.to]) + text[m.to:m.end]
}

// addresses masks the URLs in a text.
func (s *set) addresses(text string) string {
	return rewrite(text, address, func(text string, m match) string { return s.url(text[m.start:m.end]) })
}

// random hides words that look random.
func (s *set) random(text string) string {
	return rewrite(text, word, func(text string, m match) string {
		w := text[m.start:m.end]
		if looksRandom(w) {
			return s.hide(w)
		}
		return w
	})
}

// The minimum lengths of runs of letters and digits that look random: any run, and runs with
// capital and small letters.
const shortestRandom, shortestMixed = 20, 16

// looksRandom reports whether a word contains a long run of letters and digits, unlike names.
func looksRandom(w string) bool {
	var run kinds
	for _, c := range []byte(w) {
		if run.add(c); run.others > 0 {
			run = kinds{}
			continue
		}
		if n := run.digits + run.small + run.capital; run.digits >= 3 && (n >= shortestRandom && n > run.digits || n >= shortestMixed && run.small > 1 && run.capital > 1) {
			return true
		}
	}
	return hasUUID(w)
}

// looksEncoded reports whether a text in base64 characters is something other than a path.
func looksEncoded(text string) bool {
	k := kindsOf(text)
	return k.digits > 0 && k.small > 2 && k.capital > 2 && strings.Count(text, "/") < 5 && !strings.Contains(text, "//")
}

// looksChosen reports whether a text satisfies rules for passwords.
func looksChosen(text string) bool {
	k := kindsOf(text)
	return len(text) >= 8 && k.digits > 0 && k.small > 0 && k.capital > 0 && strings.ContainsAny(text, "!#$%^&*") && !strings.ContainsAny(text, " \t\n{}()[]<>\"'=,;:|") && !strings.Contains(text, "@^")
}

// kinds counts characters.
type kinds struct{ digits, small, capital, others int }

func kindsOf(text string) (k kinds) {
	for _, c := range []byte(text) {
		k.add(c)
	}
	return k
}

func (k *kinds) add(c byte) {
	switch {
	case c >= '0' && c <= '9':
		k.digits++
	case c >= 'a' && c <= 'z':
		k.small++
	case c >= 'A' && c <= 'Z':
		k.capital++
	default:
		k.others++
	}
}

// URL returns a URL for display, and the values that it hides: user information, the values of the
// query, the fragment, and parts of the path that look random or follow the name of a credential.
// The URL need not be valid.
func URL(text string) (shown string, hidden []string) {
	var s set
	shown = s.url(text)
	return shown, s.hidden
}

func (s *set) url(text string) string {
	before, rest, ok := strings.Cut(text, "://")
	if !ok {
		return s.text(text)
	}
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	host, path, hasPath := strings.Cut(rest, "/")
	// A password may contain an unescaped slash.
	if at := strings.LastIndexByte(rest, '@'); !strings.Contains(host, "@") && at >= 0 && badPort(host) {
		host, path, hasPath = strings.Cut(rest[at:], "/")
		host = rest[:at] + host
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		user := host[:at]
		if _, password, ok := strings.Cut(user, ":"); ok {
			s.hide(password)
		}
		host = s.hide(user) + host[at:]
	}
	out := before + "://" + host
	if hasPath {
		out += "/"
		for i, part := range strings.Split(path, "/") {
			if i > 0 {
				out += "/"
			}
			out += s.random(s.assigned(part))
		}
	}
	if hasQuery {
		out += "?" + s.query(query)
	}
	if hasFragment {
		out += "#" + s.hide(fragment)
	}
	return out
}

// badPort reports whether something other than a port follows the colon of a host.
func badPort(host string) bool {
	_, port, ok := strings.Cut(host, ":")
	return ok && strings.Trim(port, "0123456789") != "" && !strings.HasPrefix(host, "[")
}

func (s *set) query(query string) string {
	parts := strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' })
	for i, part := range parts {
		name, value, given := strings.Cut(part, "=")
		if !given {
			parts[i] = s.hide(part)
			continue
		}
		if plain, err := url.QueryUnescape(value); err == nil && plain != value {
			s.hide(plain)
		}
		parts[i] = name + "=" + s.hide(value)
	}
	return strings.Join(parts, "&")
}

// Parts returns a value and the parts of it that are credentials by themselves: "Bearer TOKEN",
// "a=VALUE; b=VALUE".
func Parts(value string) []string {
	s := set{hidden: []string{value}}
	s.text(value)
	for _, w := range strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ';' || r == ',' }) {
		if _, after, ok := strings.Cut(w, "="); ok {
			s.hide(after)
		}
		if !isSchemeName(w) {
			s.hide(w)
		}
	}
	return s.hidden
}

// shortest is the minimum length of a value to search for in other texts: shorter ones occur
// anywhere.
const shortest = 4

// Text masks values in another program's output, such as an error that repeats them, and
// credentials in URLs in the text.
func Text(text string, values []string) string {
	var forms []string
	for _, value := range values {
		if len(value) < shortest {
			continue
		}
		forms = append(forms, value)
		if quoted, err := json.Marshal(value); err == nil {
			forms = append(forms, string(quoted[1:len(quoted)-1]))
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, form := range forms {
		text = strings.ReplaceAll(text, form, Sign)
	}
	return new(set).addresses(text)
}
