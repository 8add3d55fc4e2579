// Package mask hides what may be a credential in what is shown of a server: in arguments, URLs, variables
// and header fields. It errs on the side of hiding. Names stay, and so do references to variables of the
// environment, such as ${TOKEN}.
package mask

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Sign replaces a hidden value.
const Sign = "***"

// patterns are compiled when they are first used: the programs that have install mostly serve.
type patterns struct {
	once                                                                                     sync.Once
	reference, known, scheme, schemeName, address, assigned, login, whole, word, uuid, camel *regexp.Regexp
}

var compiled patterns

func expression() *patterns {
	p := &compiled
	p.once.Do(func() {
		compile := regexp.MustCompile
		p.reference = compile(`^(?i:(?:bearer|basic|token) )?\$\{(?:env:)?[A-Za-z_][A-Za-z0-9_]*\}$`)
		// Words of a form that only credentials have.
		p.known = compile(`(^|[^A-Za-z0-9_-])((?:sk-|rk_live_|sk_live_|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|eyJ|hf_|ya29\.)[A-Za-z0-9._~+/=-]*|-----BEGIN[\s\S]*)`)
		// An Authorization field, or what follows its name.
		p.scheme = compile(`(?i)\b((?:bearer|basic|digest|dpop)[ \t]+)([^\s"',;]+)`)
		p.schemeName = compile(`^(?i:bearer|basic|digest|dpop)$`)
		p.address = compile("[A-Za-z][A-Za-z0-9+.-]*://[^\\s\"'<>`]+")
		// A name with a value: a=b, a: b, "a": "b". The value has no spaces unless it is quoted.
		p.assigned = compile(`([A-Za-z0-9_.-]+)("?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&"'{}]+)`)
		// user:password@ without the scheme of a URL.
		p.login = compile(`([^\s/@:"'=,;]+:[^\s@"'/\\][^\s@"']*)@`)
		// An assignment that is all of a text.
		p.whole = compile(`^([A-Za-z0-9_.-]+)=([\s\S]+)$`)
		p.camel = compile(`([a-z0-9])([A-Z])`)
		p.word = compile(`[A-Za-z0-9_+=.~-]+`)
		p.uuid = compile(`(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}`)
	})
	return p
}

// IsReference reports whether a value is nothing but a reference to a variable, which may have the scheme
// of an Authorization field before it. One with a default value is not.
func IsReference(value string) bool { return expression().reference.MatchString(value) }

// secretParts are parts of names whose values are credentials; secretWords have to be whole words of them.
var (
	secretParts = []string{
		"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "APIKEY", "API_KEY", "PRIVATEKEY", "PRIVATE_KEY", "ACCESSKEY", "ACCESS_KEY",
		"AUTHORIZATION", "COOKIE", "SIGNATURE",
	}
	secretWords = []string{"KEY", "PASS", "PWD", "AUTH", "PAT", "JWT", "BEARER"}
)

// secretName reports whether a variable, field or flag with that name contains a credential.
func secretName(name string) bool {
	name = expression().camel.ReplaceAllString(name, "${1}_${2}") // AccountKey
	upper := strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToUpper(name))
	return slices.ContainsFunc(secretParts, func(part string) bool { return strings.Contains(upper, part) }) ||
		slices.ContainsFunc(strings.Split(upper, "_"), func(word string) bool { return slices.Contains(secretWords, word) })
}

// Looks reports whether a variable or header field is likely to be a credential, by its name or by the form of
// its value.
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

// set collects what is hidden.
type set struct{ hidden []string }

// hide returns the sign for a value, unless there is nothing to hide.
func (s *set) hide(value string) string {
	if value == "" || value == Sign || IsReference(value) {
		return value
	}
	s.hidden = append(s.hidden, value)
	return Sign
}

// Arguments returns arguments of a program as they can be shown, and what is hidden of them.
func Arguments(args []string) (shown, hidden []string) {
	var s set
	flag := ""
	for _, arg := range args {
		name, value, given := strings.Cut(arg, "=")
		isFlag := strings.HasPrefix(arg, "-") && len(arg) > 1
		switch {
		case isFlag && len(arg) > 2 && arg[1] != '-' && secretName(flag): // a credential may begin with a dash
			arg = s.hide(arg)
		case isFlag && given:
			arg = name + "=" + s.value(strings.TrimLeft(name, "-"), value)
		case isFlag:
			arg = s.text(arg)
		case flag != "":
			arg = s.value(flag, arg)
		default:
			arg = s.text(arg)
		}
		if flag = ""; isFlag && !given {
			flag = strings.TrimLeft(name, "-")
		}
		shown = append(shown, arg)
	}
	return shown, s.hidden
}

// value is the value of a flag.
func (s *set) value(flag, value string) string {
	switch flag {
	case "H", "header", "headers":
		if i := strings.IndexAny(value, ":="); i >= 0 {
			space := len(value[i+1:]) - len(strings.TrimLeft(value[i+1:], " "))
			return value[:i+1+space] + s.hide(value[i+1+space:])
		}
		return s.hide(value)
	case "e", "env":
		if name, secret, given := strings.Cut(value, "="); given {
			return name + "=" + s.hide(secret)
		}
		return s.text(value)
	case "u", "user":
		if name, secret, given := strings.Cut(value, ":"); given {
			return name + ":" + s.hide(secret)
		}
		return s.text(value)
	}
	if secretName(flag) {
		return s.hide(value)
	}
	return s.text(value)
}

// text hides what is in a text of any form.
func (s *set) text(text string) string {
	if IsReference(text) {
		return text
	}
	if m := expression().whole.FindStringSubmatch(text); m != nil && secretName(m[1]) {
		return m[1] + "=" + s.hide(m[2])
	}
	text = expression().address.ReplaceAllStringFunc(text, s.url)
	text = s.replace(expression().scheme, text, 2)
	text = s.replace(expression().known, text, 2)
	text = s.assigned(text)
	text = s.replace(expression().login, text, 1)
	if strings.ContainsAny(text, `/\`) {
		return text // names of directories may look random
	}
	return s.random(text)
}

// assigned hides the values that follow names of credentials.
func (s *set) assigned(text string) string {
	return expression().assigned.ReplaceAllStringFunc(text, func(found string) string {
		m := expression().assigned.FindStringSubmatch(found)
		if !secretName(m[1]) || strings.HasPrefix(m[3], "//") || expression().schemeName.MatchString(m[3]) { // key://, Authorization: Bearer
			return found
		}
		quote := ""
		if c := m[3][0]; c == '"' || c == '\'' {
			quote = m[3][:1]
		}
		return m[1] + m[2] + quote + s.hide(strings.Trim(m[3], quote)) + quote
	})
}

// replace hides a group of each match.
func (s *set) replace(pattern *regexp.Regexp, text string, group int) string {
	var b strings.Builder
	end := 0
	for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[end:m[2*group]] + s.hide(text[m[2*group]:m[2*group+1]]))
		end = m[2*group+1]
	}
	return b.String() + text[end:]
}

// random hides words that look random.
func (s *set) random(text string) string {
	return expression().word.ReplaceAllStringFunc(text, func(w string) string {
		if looksRandom(w) {
			return s.hide(w)
		}
		return w
	})
}

// shortestRandom is the length of the shortest run of letters and digits that looks random.
const shortestRandom = 20

// looksRandom reports whether a word has a long run of letters and digits, as names do not.
func looksRandom(w string) bool {
	run, letters, digits := 0, 0, 0
	for _, c := range []byte(w) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		default:
			run, letters, digits = 0, 0, 0
			continue
		}
		if run++; run >= shortestRandom && digits >= 3 && letters > 0 {
			return true
		}
	}
	return expression().uuid.MatchString(w)
}

// URL returns a URL as it can be shown, and what is hidden of it: user information, the values of the query,
// the fragment, and what in the path looks random or follows the name of a credential. It need not be valid.
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
	// A password may have a slash that is not escaped.
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

// badPort reports whether there is something else than a port behind the colon of a host.
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

// Parts returns a value and those parts of it that are credentials by themselves: "Bearer TOKEN", "a=VALUE; b=VALUE".
func Parts(value string) []string {
	s := set{hidden: []string{value}}
	s.text(value)
	for _, w := range strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ';' || r == ',' }) {
		if _, after, ok := strings.Cut(w, "="); ok {
			s.hide(after)
		}
		if !expression().schemeName.MatchString(w) {
			s.hide(w)
		}
	}
	return s.hidden
}

// shortest is the length of the shortest value that is looked for in other texts: shorter ones occur anywhere.
const shortest = 4

// Text hides values in a text of another program, such as an error that repeats them, and what is in the URLs
// of the text.
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
	return expression().address.ReplaceAllStringFunc(text, new(set).url)
}
