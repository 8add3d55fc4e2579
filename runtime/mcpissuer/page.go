package mcpissuer

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"slices"
	"strings"
)

//go:embed page.html
var pageText string

//go:embed error.html
var errorText string

//go:embed page.css
var pageStyle string

var (
	page      = template.Must(template.New("page").Parse(pageText))
	errorPage = template.Must(template.New("error").Parse(errorText))
)

// styleSource allows the style of the page, and no other.
var styleSource = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// pagePersona is a persona on the page.
type pagePersona struct {
	Name    string
	Scopes  string // of the persona, among the requested ones
	Checked bool
}

// writePage writes the page on which a person decides.
func (i *Issuer) writePage(w http.ResponseWriter, r *http.Request, id string, t *ticket) error {
	scopes := t.scopes
	if len(scopes) == 0 {
		scopes = i.scopes()
	}
	hint := r.URL.Query().Get("login_hint")
	var personas []pagePersona
	for n, p := range i.o.Personas {
		personas = append(personas, pagePersona{p.Name, strings.Join(p.allows(scopes), " "), p.Name == hint || n == 0})
	}
	if slices.ContainsFunc(i.o.Personas, func(p Persona) bool { return p.Name == hint }) {
		personas[0].Checked = personas[0].Name == hint
	}
	var text bytes.Buffer
	err := page.Execute(&text, map[string]any{
		"Ticket": id, "Style": template.CSS(pageStyle), "Client": t.client.shown(), "Name": t.client.name, "Redirect": t.redirect, //nolint:gosec // the style is embedded
		"Resources": t.resources, "Scopes": scopes, "Personas": personas,
	})
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	setPageFields(w.Header(), "'self' "+originOf(t.redirect))
	_, _ = w.Write(text.Bytes())
	return nil
}

// setPageFields sets the header fields of a page. forms are the sources to which its forms may go.
func setPageFields(h http.Header, forms string) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; style-src "+styleSource+"; form-action "+forms)
}

// writeErrorPage writes an error page for a person. It reports whether that succeeded.
func writeErrorPage(w http.ResponseWriter, f *failure) bool {
	var text bytes.Buffer
	if errorPage.Execute(&text, map[string]any{"Style": template.CSS(pageStyle), "Code": f.code, "Text": f.text}) != nil { //nolint:gosec // the style is embedded
		return false
	}
	setPageFields(w.Header(), "'none'")
	w.Header().Set("Vary", "Accept")
	w.WriteHeader(f.status)
	_, _ = w.Write(text.Bytes()) // the browser may be gone
	return true
}

// isPage reports whether a response is for a person: the path is not one of the public paths, which
// programs use, and the client explicitly accepts HTML, like browsers.
func (i *Issuer) isPage(r *http.Request) bool {
	if i.routes[r.URL.Path].public {
		return false
	}
	for _, field := range r.Header["Accept"] {
		for kind := range strings.SplitSeq(field, ",") {
			name, parameters, err := mime.ParseMediaType(kind)
			if q := parameters["q"]; err == nil && name == "text/html" && (q == "" || strings.Trim(q, "0.") != "") {
				return true
			}
		}
	}
	return false
}
