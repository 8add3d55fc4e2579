package mcpissuer

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var page = template.Must(template.New("page").Parse(pageText))

// styleSource allows the style of the page, and no other one.
var styleSource = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// pagePersona is a persona at the page.
type pagePersona struct {
	Name    string
	Scopes  string // that it may have, of those asked for
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
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; style-src "+styleSource+
		"; form-action 'self' "+originOf(t.redirect))
	_, _ = w.Write(text.Bytes())
	return nil
}
