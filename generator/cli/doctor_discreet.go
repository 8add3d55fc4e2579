package cli

import (
	"cmp"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/remote"
)

// discreet removes private parts of texts: the home directory, the name of the user, and the user
// names, passwords and parameters of URLs.
type discreet struct {
	homes   []string // the longest first
	names   []string
	proxies []string // of GOPROXY
	secrets *remote.Secrets
}

// newDiscreet removes the names of the user of this process, and the parameters of a URL.
func newDiscreet(address string) discreet {
	d := discreet{secrets: new(remote.Secrets)}
	d.secrets.Add(address, nil, "")
	home, _ := os.UserHomeDir() // without one there is nothing to replace
	d.addHome(home)
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		d.addName(os.Getenv(name))
	}
	if u, err := user.Current(); err == nil {
		d.addHome(u.HomeDir)
		d.addName(u.Username)
	}
	slices.SortFunc(d.homes, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return d
}

func (d *discreet) addHome(home string) {
	all := []string{home}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		all = append(all, real)
	}
	for _, home := range all {
		for _, form := range []string{filepath.Clean(home), filepath.ToSlash(filepath.Clean(home))} {
			if filepath.IsAbs(home) && filepath.Dir(form) != form && !slices.Contains(d.homes, form) {
				d.homes = append(d.homes, form)
			}
		}
	}
}

// addName adds the name of a user, without its domain on Windows. The name root identifies no one.
func (d *discreet) addName(name string) {
	name = name[strings.LastIndexByte(name, '\\')+1:]
	if name != "" && name != "root" && !slices.Contains(d.names, name) {
		d.names = append(d.names, name)
	}
}

// addProxies adds the URLs of GOPROXY, whose paths may be credentials. Messages of the go command
// contain them.
func (d *discreet) addProxies(list string) {
	for _, entry := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == '|' }) {
		u, err := url.Parse(strings.TrimSpace(entry))
		if err != nil || u.Scheme == "" {
			continue
		}
		u.User = nil
		d.proxies = append(d.proxies, strings.TrimSuffix(u.String(), "/"))
	}
}

// absoluteURL matches URLs, which may contain user, password and parameters.
var absoluteURL = regexp.MustCompile(`([a-z][a-z0-9+.-]*://)([^\s/@"']*@)?([^\s?#"']*)([?#][^\s"']*)?`)

// clean returns a text without its private parts.
func (d *discreet) clean(text string) string {
	text = d.secrets.Remove(text)
	text = absoluteURL.ReplaceAllStringFunc(text, func(found string) string {
		m := absoluteURL.FindStringSubmatch(found)
		if m[4] != "" {
			m[4] = "?..."
		}
		return m[1] + m[3] + m[4]
	})
	for _, proxy := range d.proxies {
		text = strings.ReplaceAll(text, proxy, "[GOPROXY]")
	}
	for _, home := range d.homes {
		text = replaceElements(text, home, "~", false)
	}
	for _, name := range d.names {
		text = replaceElements(text, name, "USER", true)
	}
	return text
}

// replaceElements replaces whole elements of paths: absolute paths, or elements within a path.
func replaceElements(text, old, with string, within bool) string {
	if runtime.GOOS == "windows" {
		old = "(?i)" + regexp.QuoteMeta(old)
	} else {
		old = regexp.QuoteMeta(old)
	}
	before := `(^|[^\pL\pN._/\\-])`
	if within {
		before = `([/\\~])`
	}
	// The character that ends one match may begin the next: adjacent elements need a second turn.
	element := regexp.MustCompile(before + `(?:` + old + `)([^\pL\pN._-]|\.(?:[^\pL\pN]|$)|$)`)
	for range 2 {
		text = element.ReplaceAllString(text, "${1}"+with+"${2}")
	}
	return text
}
