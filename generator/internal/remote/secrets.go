package remote

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// minSecret is the minimum length of a value that is removed. Shorter values occur in any text.
const minSecret = 4

// Secrets contains values that must not be printed. Its methods may be called by several
// goroutines.
type Secrets struct {
	mu    sync.Mutex
	texts []string // the longest first
}

// Add adds the credentials in the requests to a server: the values of header fields and cookies, a
// token, and the values in the query of a URL.
func (s *Secrets) Add(address string, header http.Header, bearer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(bearer)
	for _, values := range header {
		for _, value := range values {
			s.add(value)
			// "Bearer TOKEN", "a=VALUE; b=VALUE"
			for _, word := range strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ';' || r == ',' }) {
				s.add(word)
				if _, after, ok := strings.Cut(word, "="); ok {
					s.add(after)
				}
			}
		}
	}
	if u, err := url.Parse(address); err == nil {
		s.add(u.RawQuery)
		for _, values := range u.Query() {
			for _, value := range values {
				s.add(value)
				s.add(url.QueryEscape(value))
			}
		}
	}
}

// add adds a text as it is and as JSON writes it.
func (s *Secrets) add(text string) {
	schemes := []string{"bearer", "basic", "digest", "dpop"}
	if len(text) < minSecret || slices.Contains(schemes, strings.ToLower(text)) {
		return
	}
	forms := []string{text}
	if quoted, err := json.Marshal(text); err == nil {
		forms = append(forms, string(quoted[1:len(quoted)-1]))
	}
	for _, form := range forms {
		if !slices.Contains(s.texts, form) {
			s.texts = append(s.texts, form)
		}
	}
	slices.SortFunc(s.texts, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
}

// Remove replaces the values in a text.
func (s *Secrets) Remove(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range s.texts {
		text = strings.ReplaceAll(text, secret, "[credential]")
	}
	return text
}

// Writer returns a writer that removes the values from each text that is written.
func (s *Secrets) Writer(to io.Writer) io.Writer { return remover{s, to} }

type remover struct {
	secrets *Secrets
	to      io.Writer
}

func (r remover) Write(p []byte) (int, error) {
	if _, err := io.WriteString(r.to, r.secrets.Remove(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// HasUser reports whether a URL contains a user name or a password.
func HasUser(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.User != nil
}
