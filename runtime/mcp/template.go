package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/uripattern"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TemplateInfo describes a resource template: resources whose URIs match a URI template. Generated
// code points to variables of this type, which are not changed.
type TemplateInfo struct {
	// URITemplate is a template of RFC 6570, levels 1 to 3, or with the exploded path segments
	// {/path*}. Variables are percent-decoded once. A value that is not UTF-8 after that, or
	// contains a NUL, does not match; {x} and {+x} do not match an empty string. Characters outside
	// ASCII are published percent-encoded, and match in both forms.
	URITemplate string
	Name        string // for programs
	Title       string // for people
	Description string
	Symbol      string // the Go function, for diagnostics
	Groups      []string
	Scopes      []string // scopes that a caller needs, all of them
	MIMEType    string   // default for contents
	Annotations *Annotations
	Icons       []Icon
	// UI describes the pages of a template that begins with ui://, as in [ResourceInfo].
	UI *ResourceUI
	// Meta is published with the template, from revision 2025-06-18 on.
	Meta Meta
	// Variables describe the completion of variables. Variables without completion may be left out.
	Variables []TemplateVariable
	// List returns the resources of the template, for resources/list; nil if they are not listed.
	List ListFunc

	ReadInfo

	choices map[string]*wire.Choices // choices of variables, by their functions
}

// TemplateVariable is a variable of a resource template.
type TemplateVariable struct {
	Name string
	// Values are all values of an enumeration, for completion.
	Values []string
	// Complete finds values, instead of Values.
	Complete CompleteFunc
}

// ListFunc returns the resources of a template, for resources/list, in any order. The list is
// private to the client.
type ListFunc func(ctx context.Context) ([]ResourceInfo, error)

// NewTemplate returns a hand-written resource template. f gets the variables that the URI defines;
// the segments of a list are joined with slashes.
func NewTemplate(info TemplateInfo, f func(ctx context.Context, uri string, variables map[string]string) (*ResourceResult, error)) Feature {
	return newTemplate(&info, info.Name, func(ctx context.Context, req *Request) (*ResourceResult, error) {
		return f(ctx, req.Name, req.variables())
	}, nil)
}

// template is the feature type of generated and hand-written templates.
type template struct {
	parse    templateParser
	info     *TemplateInfo
	name     string
	read     resourceFunc
	complete map[string]CompleteFunc // by variable; takes precedence over info
	pattern  uriPattern              // nil if the template cannot be parsed
	problem  error
	traits   traits
	listed   listings
}

func newTemplate(info *TemplateInfo, name string, read resourceFunc, complete map[string]CompleteFunc) *template {
	return templateParser(parseTemplate).template(info, name, read, complete)
}

// templateParser parses URI templates. [parseTemplate] is the only one. A template stores its
// parser, so that a program without templates links the type, and not the parser.
type templateParser func(text string) (pattern uriPattern, encoded string, err error)

func parseTemplate(text string) (pattern uriPattern, encoded string, err error) {
	t, err := uritemplate.Parse(text)
	if err != nil {
		return nil, "", err
	}
	return parsedTemplate{t}, t.Encoded(), nil
}

func (parse templateParser) template(info *TemplateInfo, name string, read resourceFunc, complete map[string]CompleteFunc) *template {
	t := &template{
		parse: parse, info: info, name: name, read: read, complete: complete,
		traits: traits{help: wire.Leniency(), choices: info.choices},
	}
	var text string
	if t.pattern, text, t.problem = parse(info.URITemplate); t.problem == nil && text != info.URITemplate {
		encoded := *info
		encoded.URITemplate = text
		t.info = &encoded
	}
	if valid.IsUI(info.URITemplate) && info.MIMEType == "" {
		pages := *t.info
		pages.MIMEType = UIMIMEType
		t.info = &pages
	}
	return t
}

// uriPattern is a parsed URI template.
type uriPattern interface {
	Match(uri string, empty bool) ([]uritemplate.Value, bool)
	Variables() []uritemplate.Variable
	Literal() int
	Prefix() string
	String() string
	denied() deniedTemplate
}

type parsedTemplate struct{ *uritemplate.Template }

func (t parsedTemplate) denied() deniedTemplate { return uripattern.DenyTemplate(t.Encoded()) }

func (t *template) Info() FeatureInfo {
	return FeatureInfo{
		Kind: KindTemplate, Name: t.name, Title: t.info.Title, Description: t.info.Description, URI: t.info.URITemplate,
		Groups: t.info.Groups, Symbol: t.info.Symbol, Scopes: t.info.Scopes,
	}
}

func (t *template) renamed(prefix string) Feature {
	return t.parse.template(t.info, prefix+"_"+t.name, t.read, t.complete)
}

func (t *template) check(declared map[string]json.RawMessage) {
	checkResourceName(KindTemplate, t.name, t.info.URITemplate)
	checkPublished(declared, KindTemplate, t.name, t.info.MIMEType, t.info.Scopes, t.info.Annotations, t.info.Icons, t.info.Meta)
	checkUI(KindTemplate, t.name, t.info.Meta, checkPage(t.info.URITemplate, t.info.MIMEType, t.info.UI))
	if t.problem != nil {
		panic(fmt.Sprintf("mcp: URI template %q of %q: %v", t.info.URITemplate, t.name, t.problem))
	}
	if fault := valid.Template("resource template "+strconv.Quote(t.name), t.pattern); fault != nil {
		panic("mcp: " + fault.Error())
	}
	for _, v := range t.info.Variables {
		if !t.has(v.Name) {
			panic(fmt.Sprintf("mcp: URI template %q of %q has no variable %s", t.info.URITemplate, t.name, v.Name))
		}
	}
	for name := range t.complete {
		if !t.has(name) {
			panic(fmt.Sprintf("mcp: URI template %q of %q has no variable %s", t.info.URITemplate, t.name, name))
		}
	}
}

func (t *template) has(variable string) bool {
	for _, v := range t.pattern.Variables() {
		if v.Name == variable {
			return true
		}
	}
	return false
}

func (t *template) names() []string { return []string{t.info.URITemplate} }

func (t *template) completes() bool {
	for _, v := range t.info.Variables {
		if v.Complete != nil || len(v.Values) > 0 {
			return true
		}
	}
	return len(t.complete) > 0
}

// completer returns the function or the values that complete a variable, and whether the variable
// is completed.
func (t *template) completer(variable string) (CompleteFunc, []string, bool) {
	if f := t.complete[variable]; f != nil {
		return f, nil, true
	}
	for _, v := range t.info.Variables {
		if v.Name == variable {
			return v.Complete, v.Values, true
		}
	}
	return nil, nil, t.has(variable)
}

func (t *template) listing(rev *protocol.Revision) []byte { return t.listed.get(t, rev) }

func (t *template) listingSize() int {
	return 150 + len(t.info.URITemplate) + len(t.name) + len(t.info.Title) + len(t.info.Description)
}

func (t *template) appendListing(b []byte, rev *protocol.Revision) []byte {
	b = append(b, `{"uriTemplate":`...)
	b = wire.AppendString(b, t.info.URITemplate)
	b = appendNames(b, t.name, t.info.Title, t.info.Description, rev)
	b = jsonobject.AppendText(b, "mimeType", t.info.MIMEType)
	return closeListing(b, t.info.Annotations, t.info.Icons, t.info.UI, t.info.Meta, rev)
}

// literalPrefix returns the part of the template before its first expression.
func (t *template) literalPrefix() string { return t.pattern.Prefix() }
