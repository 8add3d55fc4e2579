package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/bundle"
)

// Package is a file or image by which clients install the server.
type Package struct {
	Type        string    `json:"registryType"`
	Identifier  string    `json:"identifier"`
	SHA256      string    `json:"fileSha256,omitempty"`
	Transport   transport `json:"transport"`
	Arguments   []*input  `json:"packageArguments,omitempty"`
	Environment []*input  `json:"environmentVariables,omitempty"`

	notes []string
}

// input is an argument, a variable of the environment, or a part of either.
type input struct {
	Type        string            `json:"type,omitempty"` // for an argument
	Name        string            `json:"name,omitempty"` // for a variable
	Hint        string            `json:"valueHint,omitempty"`
	Description string            `json:"description,omitempty"`
	Required    bool              `json:"isRequired,omitempty"`
	Secret      bool              `json:"isSecret,omitempty"`
	Repeated    bool              `json:"isRepeated,omitempty"`
	Format      string            `json:"format,omitempty"`
	Default     string            `json:"default,omitempty"`
	Value       *string           `json:"value,omitempty"` // nil means that the client requests it
	Variables   map[string]*input `json:"variables,omitempty"`
}

// Bundle returns the package of a bundle that is published at a URL, with the hash by which clients
// recognize it, and the variables of its environment for which a client asks its user.
func Bundle(address string, archive []byte, opened *bundle.Opened) (*Package, error) {
	if !isSecure(address) || !strings.Contains(strings.ToLower(address), "mcp") {
		return nil, &bundle.Error{
			Problem: fmt.Sprintf("%q is not the URL of a bundle", address),
			Hint:    "write an https: URL that ends with the name of the file, such as https://github.com/ada/shop/releases/download/v1.4.0/shop.mcpb",
		}
	}
	sum := sha256.Sum256(archive)
	p := &Package{Type: "mcpb", Identifier: address, SHA256: hex.EncodeToString(sum[:]), Transport: transport{Type: "stdio"}}
	for _, v := range opened.Config.Environment() {
		if in := p.variable(opened.Config, v); in.Value == nil || len(in.Variables) > 0 {
			p.Environment = append(p.Environment, in)
		}
	}
	p.notes = nil // a bundle contains its defaults
	return p, nil
}

// imageReference matches a repository with or without a registry's host, and a tag or digest.
var imageReference = regexp.MustCompile(`^([a-z0-9.-]+(:[0-9]+)?/)?[a-z0-9._-]+(/[a-z0-9._-]+)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[a-f0-9]{64})?$`)

// Image returns the package of a container image. The configuration, which may be nil, lists the
// arguments and environment of its program.
func Image(reference string, c *bundle.Config) (*Package, error) {
	last := reference[strings.LastIndexByte(reference, '/')+1:]
	problem := ""
	switch {
	case !imageReference.MatchString(reference):
		problem = "is not the name of an image"
	case !strings.ContainsAny(last, ":@"):
		problem = "has neither a tag nor a digest"
	case strings.HasSuffix(reference, ":latest"):
		problem = "has the tag latest, which means another image with each release"
	}
	if problem != "" {
		return nil, &bundle.Error{Problem: fmt.Sprintf("%q %s", reference, problem), Hint: "write the name with the tag of the version, such as ghcr.io/ada/shop:1.4.0"}
	}
	p := &Package{Type: "oci", Identifier: reference, Transport: transport{Type: "stdio"}}
	for _, arg := range c.Arguments() {
		in := p.input(c, arg)
		in.Type = "positional"
		p.Arguments = append(p.Arguments, in)
	}
	for _, v := range c.Environment() {
		p.Environment = append(p.Environment, p.variable(c, v))
	}
	return p, nil
}

// variable returns a variable of the environment in the registry's form.
func (p *Package) variable(c *bundle.Config, v bundle.Variable) *input {
	in := p.input(c, v.Value)
	in.Name, in.Hint, in.Repeated = v.Name, "", false
	return in
}

// formats maps the types of options to the registry's words; others are strings.
var formats = map[string]string{"number": "number", "boolean": "boolean", "directory": "filepath", "file": "filepath"}

// input returns an argument or the value of a variable in the form of the registry. A client asks
// its user for a text that is one option; a text that contains options has variables.
func (p *Package) input(c *bundle.Config, text string) *input {
	variables := map[string]*input{}
	parts := 0
	value := bundle.Replace(text, func(option, other string) string {
		parts++
		if option == "" {
			p.note("${%s} stays in %q: the registry has no such variable", other, text)
			return "${" + other + "}"
		}
		o := c.Option(option)
		in := &input{Description: o.Description, Required: o.Required, Secret: o.Sensitive, Format: formats[o.Type], Default: o.Default}
		bundle.Replace(o.Default, func(_, other string) string {
			in.Default = ""
			p.note("the default of %s is left out: the registry has no variable ${%s}", option, other)
			return ""
		})
		variables[option] = in
		return "{" + option + "}"
	})
	for name, in := range variables {
		if value == "{"+name+"}" && parts == 1 {
			in.Hint, in.Repeated = name, c.Option(name).Multiple
			return in
		}
	}
	return &input{Value: &value, Variables: variables}
}

// note adds a note, once.
func (p *Package) note(format string, args ...any) {
	note := p.Identifier + ": " + fmt.Sprintf(format, args...)
	for _, other := range p.notes {
		if other == note {
			return
		}
	}
	p.notes = append(p.notes, note)
}
