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
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ResourceInfo describes a resource. Generated code points to variables of this type, which nothing
// changes.
type ResourceInfo struct {
	URI         string // absolute (RFC 3986); characters outside ASCII are published percent-encoded
	Name        string // for programs
	Title       string // for people
	Description string
	Symbol      string // the Go function or variable, for diagnostics
	Groups      []string
	Scopes      []string // scopes that a caller needs, all of them
	MIMEType    string   // default for contents
	Size        int64    // in bytes; 0 = not known
	Annotations *Annotations
	Icons       []Icon
	// UI describes a page, for a URI that begins with ui://; nil leaves everything to the host. Its
	// MIME type is [UIMIMEType].
	UI *ResourceUI
	// Meta is published with the resource, from revision 2025-06-18 on.
	Meta Meta

	ReadInfo
}

// resourceFunc reads a resource. A nil result or [ErrNotFound] means that it does not exist.
type resourceFunc = func(ctx context.Context, req *Request) (*ResourceResult, error)

// NewResource returns a hand-written resource with one URI.
func NewResource(info ResourceInfo, f func(ctx context.Context, uri string) (*ResourceResult, error)) Feature {
	return newResource(&info, func(ctx context.Context, req *Request) (*ResourceResult, error) {
		return f(ctx, req.Name)
	})
}

// TextResource returns a resource whose content is a constant text.
func TextResource(info *ResourceInfo, text string) Feature {
	return newResource(info, func(context.Context, *Request) (*ResourceResult, error) {
		return TextContents(text), nil
	})
}

// BlobResource returns a resource whose content are constant bytes.
func BlobResource(info *ResourceInfo, data []byte) Feature {
	return newResource(info, func(context.Context, *Request) (*ResourceResult, error) {
		return BlobContents(data), nil
	})
}

// resource is the feature type of generated and hand-written resources.
type resource struct {
	info   *ResourceInfo
	name   string
	read   resourceFunc
	part   resourcePart // nil for one document
	listed listings
}

func newResource(info *ResourceInfo, read resourceFunc) *resource {
	if uri := uritemplate.Encode(info.URI); uri != info.URI {
		encoded := *info
		encoded.URI = uri
		info = &encoded
	}
	if valid.IsUI(info.URI) && info.MIMEType == "" {
		page := *info
		page.MIMEType = UIMIMEType
		info = &page
	}
	return &resource{info: info, name: info.Name, read: read}
}

func (r *resource) Info() FeatureInfo {
	return FeatureInfo{
		Kind: KindResource, Name: r.name, Title: r.info.Title, Description: r.info.Description, URI: r.info.URI,
		Groups: r.info.Groups, Symbol: r.info.Symbol, Scopes: r.info.Scopes, Files: r.files(),
	}
}

// files returns the further URIs of the resource.
func (r *resource) files() []string {
	if r.part == nil {
		return nil
	}
	return r.part.uris()
}

func (r *resource) renamed(prefix string) Feature {
	c := &resource{info: r.info, name: prefix + "_" + r.name, read: r.read}
	if r.part != nil {
		c.part = r.part.renamed(prefix)
	}
	return c
}

func (r *resource) check(declared map[string]json.RawMessage) {
	checkResourceName(KindResource, r.name, r.info.URI)
	checkPublished(declared, KindResource, r.name, r.info.MIMEType, r.info.Scopes, r.info.Annotations, r.info.Icons, r.info.Meta)
	checkUI(KindResource, r.name, r.info.Meta, checkPage(r.info.URI, r.info.MIMEType, r.info.UI))
	if fault := valid.ResourceURI("resource "+strconv.Quote(r.name), r.info.URI); fault != nil {
		panic("mcp: " + fault.Error())
	}
}

// checkResourceName panics if the name is empty. The specification does not restrict it otherwise.
func checkResourceName(kind FeatureKind, name, uri string) {
	if name == "" {
		panic(fmt.Sprintf("mcp: %s %s has no name", kind, uri))
	}
}

// names returns the listed URI and its normal form, by which other spellings are found, and the
// further URIs.
func (r *resource) names() []string {
	names := []string{r.info.URI}
	if normal := uritemplate.Normal(r.info.URI); normal != r.info.URI {
		names = append(names, normal)
	}
	return append(names, r.files()...)
}

// decidedBy returns the URI by which policies decide on one of the resource's URIs.
func (r *resource) decidedBy(uri string) string {
	if r.part == nil {
		return uri
	}
	return r.info.URI
}

func (r *resource) completes() bool { return false }

func (r *resource) listing(rev *protocol.Revision) []byte { return r.listed.get(r, rev) }

func (r *resource) listingSize() int {
	return 150 + len(r.info.URI) + len(r.name) + len(r.info.Title) + len(r.info.Description)
}

func (r *resource) appendListing(b []byte, rev *protocol.Revision) []byte {
	return appendResource(b, r.info, r.name, rev)
}

// appendResource writes a Resource in the form of the revision's lists.
func appendResource(b []byte, info *ResourceInfo, name string, rev *protocol.Revision) []byte {
	b = append(b, `{"uri":`...)
	b = wire.AppendString(b, info.URI)
	b = appendNames(b, name, info.Title, info.Description, rev)
	b = jsonobject.AppendText(b, "mimeType", info.MIMEType)
	if info.Size > 0 {
		b = append(b, `,"size":`...)
		b = strconv.AppendInt(b, info.Size, 10)
	}
	return closeListing(b, info.Annotations, info.Icons, info.UI, info.Meta, rev)
}

// appendNames writes name, title and description after other members.
func appendNames(b []byte, name, title, description string, rev *protocol.Revision) []byte {
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, name)
	if rev.Fields.Title {
		b = jsonobject.AppendText(b, "title", title)
	}
	return jsonobject.AppendText(b, "description", description)
}

// closeListing writes the last members of the entries of several kinds.
func closeListing(b []byte, a *Annotations, icons []Icon, ui *ResourceUI, m Meta, rev *protocol.Revision) []byte {
	f := &rev.Fields
	b = a.appendTo(b, f)
	if f.Icons {
		b = appendIcons(b, icons)
	}
	if f.FeatureMeta && (len(m) > 0 || !ui.empty()) {
		r := rendering{revision: rev}
		b = append(b, `,"_meta":{`...)
		start := len(b)
		b = ui.appendTo(b)
		b = r.appendMeta(b, m, len(b) > start)
		b = append(b, '}')
	}
	return append(b, '}')
}

// check returns an error for an invalid description of a resource that a function has listed. It
// does not check the URI.
func (i *ResourceInfo) check(declared map[string]json.RawMessage) error {
	if err := checkMIMEType("the description", i.MIMEType); err != nil {
		return err
	}
	if err := i.Annotations.check(); err != nil {
		return err
	}
	if err := checkIcons(i.Icons); err != nil {
		return err
	}
	if err := i.Meta.check(declared); err != nil {
		return err
	}
	if err := i.Meta.checkNoUI(); err != nil {
		return err
	}
	return checkPage(i.URI, i.MIMEType, i.UI)
}
