// Package registry writes server.json, by which the MCP registry lists a server: the packages that
// clients install, and the URLs that serve it. It publishes nothing.
package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generator/internal/bundle"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Schema is the URL of the schema that the file follows.
const Schema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// Label is the label of an image with the name of the server. It proves to the registry that image
// and name have the same owner.
const Label = "io.modelcontextprotocol.server.name"

const (
	maxName = 200
	maxText = 100 // maximum length of a title or description, in characters
	maxIcon = 255 // maximum length of the URL of an icon, in characters
)

// Server contains the values of the file. [Bundle] and [Image] return packages, and [Remote] checks
// URLs.
type Server struct {
	Name                        string // such as io.github.ada/shop
	Title, Description, Version string
	Website                     string
	Module                      string // path of the Go module
	Icons                       []model.Icon
	Packages                    []*Package
	Remotes                     []string // URLs
}

// document is the file, with its members in their order.
type document struct {
	Schema      string      `json:"$schema"`
	Name        string      `json:"name"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description"`
	Version     string      `json:"version"`
	Website     string      `json:"websiteUrl,omitempty"`
	Repository  *repository `json:"repository,omitempty"`
	Icons       []icon      `json:"icons,omitempty"`
	Packages    []*Package  `json:"packages,omitempty"`
	Remotes     []transport `json:"remotes,omitempty"`
}

type repository struct {
	URL    string `json:"url"`
	Source string `json:"source"`
}

type icon struct {
	Source   string   `json:"src"`
	MIMEType string   `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"`
	Theme    string   `json:"theme,omitempty"`
}

type transport struct {
	Type string `json:"type"`
	URL  string `json:"url,omitempty"`
}

var (
	// The registry requires more than the schema: both parts begin and end with a letter or digit.
	serverName = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?/[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$`)
	ownModule  = regexp.MustCompile(`^(github\.com/[^/]+/[^/]+)(/.*)?$`)
	iconTypes  = []string{"", "image/png", "image/jpeg", "image/jpg", "image/svg+xml", "image/webp"}
)

// CheckName checks the name of a server in the registry.
func CheckName(name string) error {
	if len(name) > maxName || !serverName.MatchString(name) {
		return &bundle.Error{
			Problem: fmt.Sprintf("%q is not a name of the registry", name),
			Hint:    "write io.github.USER/NAME, or the reversed domain that is yours: com.example/NAME",
		}
	}
	return nil
}

// JSON returns the file, and notes about omitted parts.
func (s *Server) JSON() (text []byte, notes []string, err error) {
	d := &document{Schema: Schema, Name: s.Name, Title: s.Title, Version: s.Version, Packages: s.Packages}
	if err := CheckName(s.Name); err != nil {
		return nil, nil, err
	}
	switch {
	case s.Version == "":
		return nil, nil, &bundle.Error{Problem: "the server has no version, which the registry needs", Hint: "write //mcp:server version=1.4.0"}
	case !bundle.IsVersion(s.Version):
		return nil, nil, &bundle.Error{Problem: "the version of the server, " + s.Version + ", is not a semantic version", Hint: "write //mcp:server version=1.4.0"}
	case utf8.RuneCountInString(s.Title) > maxText:
		return nil, nil, &bundle.Error{Problem: fmt.Sprintf("the title of the server has more than the %d characters that the registry takes", maxText), Hint: "write a shorter one: //mcp:server title="}
	}
	var note string
	if d.Description, note, err = shortDescription(s.Description); err != nil {
		return nil, nil, err
	}
	notes = append(notes, note)
	if isSecure(s.Website) {
		d.Website = s.Website
	} else if s.Website != "" {
		notes = append(notes, "the website "+s.Website+" is left out: the registry takes https: alone")
	}
	if m := ownModule.FindStringSubmatch(s.Module); m != nil {
		d.Repository = &repository{"https://" + m[1], "github"}
	}
	left := 0
	for _, i := range s.Icons {
		if !isSecure(i.Source) || len(i.Source) > maxIcon || !slices.Contains(iconTypes, i.MIMEType) {
			left++
			continue
		}
		d.Icons = append(d.Icons, icon(i))
	}
	if left > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d icons are left out: the registry takes https: URLs of at most %d bytes, to PNG, JPEG, SVG and WebP", left, len(s.Icons), maxIcon))
	}
	for _, u := range s.Remotes {
		d.Remotes = append(d.Remotes, transport{Type: "streamable-http", URL: u})
	}
	for _, p := range s.Packages {
		notes = append(notes, p.notes...)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return nil, nil, fmt.Errorf("write server.json: %w", err)
	}
	return out.Bytes(), slices.DeleteFunc(notes, func(note string) bool { return note == "" }), nil
}

// sentence matches the first sentence of a text.
var sentence = regexp.MustCompile(`^.*?[.!?](\s|$)`)

// shortDescription returns the part of a description that the registry accepts, with a note if it
// is shortened.
func shortDescription(s string) (short, note string, err error) {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return "", "", &bundle.Error{Problem: "the server has no description, which the registry needs", Hint: `write //mcp:server description="What the server does."`}
	}
	if utf8.RuneCountInString(s) <= maxText {
		return s, "", nil
	}
	short = strings.TrimSpace(sentence.FindString(s))
	if short == "" || utf8.RuneCountInString(short) > maxText {
		return "", "", &bundle.Error{
			Problem: fmt.Sprintf("the description of the server begins with a sentence of more than the %d characters that the registry takes", maxText),
			Hint:    `write a shorter sentence first: //mcp:server description="What the server does. More."`,
		}
	}
	return short, fmt.Sprintf("the description is cut to its first sentence: the registry takes %d characters", maxText), nil
}

// isSecure reports whether a text is an https: URL with a host.
func isSecure(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "https" && u.Hostname() != "" && u.User == nil && !strings.ContainsAny(s, " \t\n")
}

// Remote checks the URL of an endpoint that clients connect to.
func Remote(address string) error {
	u, err := url.Parse(address)
	if !isSecure(address) || err != nil || cmp.Or(u.Fragment, u.RawQuery) != "" {
		return &bundle.Error{Problem: fmt.Sprintf("%q is not the URL of an endpoint that every client reaches", address), Hint: "write an https: URL without credentials, such as https://example.com/mcp"}
	}
	if host := u.Hostname(); host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "::1" {
		return &bundle.Error{Problem: address + " is an endpoint of this machine, and the registry takes public ones", Hint: "write the URL under which clients reach it"}
	}
	return nil
}
