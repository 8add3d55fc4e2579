package analyze

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"net/url"
	"regexp"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// This file reads icon= and meta=, which clients get as they are written.

// iconProblem is what is wrong with an icon, and where.
type iconProblem struct {
	pos           token.Position
	message, hint string
}

// iconHint is the form of an icon with all of its members.
const iconHint = `write icon=URL, or icon={"src":"https://example.com/48.png","sizes":["48x48"],"theme":"light"}, or an array of these`

// iconsOver reads icon=, or returns those of the defaults. It returns ok as it was unless one is
// wrong.
func (a *analyzer) iconsOver(defaults []model.Icon, dir *directive.Directive, at diag.Place, ok bool) ([]model.Icon, bool) {
	arg, set := dir.Get("icon")
	if !set {
		return defaults, ok
	}
	icons, problems := readIcons(arg)
	for _, p := range problems {
		a.diags.Errorf(p.pos, at.Subject, "%s", p.message).Hint = p.hint
		ok = false
	}
	return icons, ok
}

// checkDefaultIcons reports wrong icons of //mcp:defaults, once for all features.
func (a *analyzer) checkDefaultIcons() {
	for _, d := range a.declared("defaults") {
		a.iconsOver(nil, d.dir, diag.Place{Pos: d.dir.Pos, Subject: "//mcp:defaults"}, true)
	}
}

// readIcons reads a URL, several with commas, or icons as clients get them: JSON objects (Icon in
// the specification's schema).
func readIcons(arg directive.Arg) (icons []model.Icon, problems []iconProblem) {
	if text := arg.Value; strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return readIconObjects(arg, text)
	}
	for _, item := range arg.Items() {
		icon := model.Icon{Source: item.Value}
		icons = append(icons, icon)
		if message, hint := iconFault(icon); message != "" {
			problems = append(problems, iconProblem{item.Pos, message, hint})
		}
	}
	return icons, problems
}

func readIconObjects(arg directive.Arg, text string) (icons []model.Icon, problems []iconProblem) {
	if strings.HasPrefix(text, "{") {
		text = "[" + text + "]"
	}
	var all []struct {
		Source   string   `json:"src"`
		MIMEType string   `json:"mimeType"`
		Sizes    []string `json:"sizes"`
		Theme    string   `json:"theme"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&all)
	if err == nil && len(all) == 0 {
		err = errors.New("there is no icon")
	}
	if _, more := d.Token(); err == nil && more != io.EOF {
		err = errors.New("there is more than one value")
	}
	if err != nil {
		return nil, []iconProblem{{arg.ValuePos, "the icons cannot be read: " + strings.TrimPrefix(err.Error(), "json: "), iconHint}}
	}
	for _, i := range all {
		icon := model.Icon{Source: i.Source, MIMEType: i.MIMEType, Sizes: i.Sizes, Theme: i.Theme}
		icons = append(icons, icon)
		if message, hint := iconFault(icon); message != "" {
			problems = append(problems, iconProblem{arg.ValuePos, message, hint})
		}
	}
	return icons, problems
}

var iconSize = regexp.MustCompile(`^([0-9]+x[0-9]+|any)$`)

// iconFault returns what is wrong with an icon, which clients load: from the web, or out of the URI
// itself.
func iconFault(icon model.Icon) (message, hint string) {
	if u, err := url.Parse(icon.Source); err != nil || !(u.Scheme == "data" && u.Opaque != "" || isWeb(u)) {
		return fmt.Sprintf("%q is not the URL of an icon", icon.Source), "write an https: URL"
	}
	if icon.MIMEType != "" && !isMediaType(icon.MIMEType) {
		return fmt.Sprintf("%q is not a media type", icon.MIMEType), "write a type and a subtype, such as image/png"
	}
	for _, size := range icon.Sizes {
		if !iconSize.MatchString(size) {
			return fmt.Sprintf("%q is not the size of an icon", size), `write width and height in pixels, such as "48x48", or "any"`
		}
	}
	switch icon.Theme {
	case "", "light", "dark":
		return "", ""
	}
	return fmt.Sprintf("there is no theme %q", icon.Theme), "write light or dark"
}

// metaKey is the syntax of a key: a name, or labels joined by dots, a slash and a name, which may be
// empty (basic, _meta). Which prefixes are reserved depends on the extensions of the server, which
// checks that when the feature is registered.
var metaKey = func() *regexp.Regexp {
	const label, name = `[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?`, `[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?`
	return regexp.MustCompile(`^((` + label + `(\.` + label + `)*/)(` + name + `)?|` + name + `)$`)
}()

// meta reads meta=, a JSON object. It returns ok as it was unless something is wrong.
func (a *analyzer) meta(dir *directive.Directive, at diag.Place, ok bool) ([]model.Meta, bool) {
	arg, set := dir.Get("meta")
	if !set {
		return nil, ok
	}
	fail := func(hint, format string, args ...any) ([]model.Meta, bool) {
		a.diags.Errorf(arg.ValuePos, at.Subject, format, args...).Hint = hint
		return nil, false
	}
	const hint = `write an object whose keys begin with a domain of yours, such as meta={"com.example/owner":"catalogue"}`
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(arg.Value), &members); err != nil || members == nil {
		return fail(hint, "the metadata is not a JSON object")
	}
	var all []model.Meta
	for _, key := range sortedKeys(members) {
		if !metaKey.MatchString(key) {
			return fail(hint, "%q cannot be a key of metadata", key)
		}
		if key == "progressToken" {
			return fail(hint, "the key %q of metadata is reserved", key)
		}
		var value bytes.Buffer
		if err := json.Compact(&value, members[key]); err != nil {
			return fail(hint, "the metadata is not a JSON object")
		}
		all = append(all, model.Meta{Key: key, JSON: value.String()})
	}
	return all, ok
}
